package xmpp

import (
	"context"
	"sync"

	"tidings"
)

// fakeShared notes what it is asked.
type fakeShared struct {
	of *fakeDirectory

	mu     sync.Mutex
	noted  []tidings.Following
	merged []tidings.Following
}

func (s *fakeShared) Note(context.Context, string) ([]tidings.Following, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	rows := s.noted
	s.noted = nil
	return rows, nil
}

func (s *fakeShared) Followings(context.Context, tidings.FollowingCursor, int) ([]tidings.Following, error) {
	return nil, nil
}

func (s *fakeShared) Merge(_ context.Context, all []tidings.Following, _ int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.merged = append(s.merged, all...)
	return nil
}
