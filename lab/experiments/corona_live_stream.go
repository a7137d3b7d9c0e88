package experiments

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"tidings"
	"tidings/delivery/api"
)

// liveStream is what a node has told whoever listens at its door.
type liveStream struct {
	town *liveTown
	node *liveNode
	// by channel that the node subscribes to
	heard map[int]*liveHeard

	mu      sync.Mutex
	failed  error
	updates int
	finders map[string]int // how many updates each node has found
}

// liveHeard is what was told of a channel.
type liveHeard struct {
	since time.Duration // when the first version came
	told  []liveTold    // facts
	last  tidings.Version
}

// liveTold is one telling of a fact.
type liveTold struct {
	fact int32
	at   time.Duration // when the node stored it
}

func newLiveStream(t *liveTown, n *liveNode) *liveStream {
	s := &liveStream{town: t, node: n, heard: make(map[int]*liveHeard), finders: make(map[string]int)}
	for _, c := range n.channels {
		s.heard[c] = nil
	}
	return s
}

// listen reads the node's stream until ctx ends, over all that befalls the node.
func (s *liveStream) listen(ctx context.Context, client *api.Client) {
	cursor := int64(0)
	for ctx.Err() == nil {
		err := client.Follow(ctx, cursor, time.Time{}, func(u tidings.Update) error {
			if u.ID <= cursor {
				return fmt.Errorf("update %d came after update %d", u.ID, cursor)
			}
			cursor = u.ID
			return s.hear(&u)
		})
		if ctx.Err() == nil && !errors.Is(err, api.ErrNoNode) {
			s.fail(fmt.Errorf("listening to a node: %w", err))
			return
		}
	}
}

// hear takes note of an update.
func (s *liveStream) hear(u *tidings.Update) error {
	i, known := s.town.looks.index[u.Channel[min(len(s.town.base), len(u.Channel)):]]
	h, wanted := s.heard[i]
	if !known || !wanted {
		return fmt.Errorf("an update of %s came to a node that has not subscribed to it", u.Channel)
	}
	at := u.Received.Sub(s.town.began)
	if h == nil {
		h = &liveHeard{since: at}
		s.heard[i] = h
	}
	if u.Version <= h.last {
		return fmt.Errorf("version %d of %s came after version %d", u.Version, u.Channel, h.last)
	}
	h.last = u.Version
	facts := s.town.work.channels[i].facts
	for k := range u.Items {
		if fact, ok := facts.index[factKey(&u.Items[k])]; ok && fact >= 0 {
			h.told = append(h.told, liveTold{int32(fact), at})
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.updates++
	if u.Version > 1 {
		s.finders[u.FoundBy]++
	}
	return nil
}

func (s *liveStream) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed == nil {
		s.failed = err
	}
}

func (s *liveStream) err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failed
}
