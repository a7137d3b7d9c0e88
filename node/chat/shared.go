package chat

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"tidings"
)

// keepEnded is how long is noted that a channel is not followed any more, and that an address was forgotten. A node
// that is away for longer may have addresses follow channels again that they have ended.
const keepEnded = 30 * 24 * time.Hour

// Notes keep when what addresses follow was changed last.
type Notes interface {
	Of(ctx context.Context, address string) ([]tidings.Following, error)
	List(ctx context.Context, after tidings.FollowingCursor, most int) ([]tidings.Following, error)
	Addresses(ctx context.Context) ([]string, error)
	Put(ctx context.Context, rows []tidings.Following) error
	Forget(ctx context.Context, address, hash string, at time.Time) error
	Forgotten(ctx context.Context, hash string) (time.Time, error)
	Expire(ctx context.Context, before time.Time) error
}

// Names lists accounts that stand for addresses outside.
type Names interface {
	Names(ctx context.Context, prefix string) ([]string, error)
}

// Shared keeps a directory in agreement with those of other nodes that have the same account of chat. The later of two
// changes holds. Its methods may be called by many goroutines at once.
type Shared struct {
	Directory *Directory
	Notes     Notes
	Names     Names
	Key       []byte // that all nodes of the account have, by which hashes of forgotten addresses are made

	mu    sync.Mutex
	begun bool // what was followed before the account was shared is noted
}

// hash stands for an address that is forgotten.
func (s *Shared) hash(address string) string {
	h := hmac.New(sha256.New, s.Key)
	h.Write([]byte(address))
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil))
}

// Note returns what has changed of an address since it was noted last, and notes it.
func (s *Shared) Note(ctx context.Context, address string) ([]tidings.Following, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.note(ctx, address)
}

func (s *Shared) note(ctx context.Context, address string) ([]tidings.Following, error) {
	noted, err := s.Notes.Of(ctx, address)
	if err != nil {
		return nil, err
	}
	now := time.Now().Truncate(time.Millisecond)
	for _, f := range noted {
		if !f.Changed.Before(now) {
			now = f.Changed.Add(time.Millisecond)
		}
	}
	account, err := s.Directory.Find(ctx, address)
	if errors.Is(err, tidings.ErrNotFound) {
		if len(noted) == 0 {
			return nil, nil
		}
		gone := tidings.Following{Forgotten: s.hash(address), Changed: now}
		return []tidings.Following{gone}, s.Notes.Forget(ctx, address, gone.Forgotten, now)
	}
	if err != nil {
		return nil, err
	}
	rows, err := s.changes(ctx, address, account, noted, now)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return rows, s.Notes.Put(ctx, rows)
}

// changes returns how what an account follows differs from what is noted.
func (s *Shared) changes(
	ctx context.Context, address string, account tidings.AccountID, noted []tidings.Following, now time.Time,
) (rows []tidings.Following, err error) {
	follows, err := s.Directory.Channels(ctx, account)
	if err != nil {
		return nil, err
	}
	schedule, err := s.Directory.Schedule(ctx, account)
	if err != nil && !errors.Is(err, tidings.ErrNotFound) {
		return nil, err
	}
	known := make(map[string]tidings.Following)
	for _, f := range noted {
		known[f.Channel] = f
	}
	for _, c := range follows {
		if f, found := known[c.URL]; !found || f.Ended {
			rows = append(rows, tidings.Following{Address: address, Channel: c.URL, Changed: now})
		}
		delete(known, c.URL)
	}
	for _, f := range noted {
		if _, left := known[f.Channel]; left && f.Channel != tidings.FollowingSchedule && !f.Ended {
			rows = append(rows, tidings.Following{Address: address, Channel: f.Channel, Changed: now, Ended: true})
		}
	}
	before := known[tidings.FollowingSchedule].Schedule
	if before == nil {
		before = &tidings.Schedule{}
	}
	if !same(*before, schedule) {
		rows = append(rows, tidings.Following{Address: address, Channel: tidings.FollowingSchedule, Schedule: &schedule,
			Changed: now})
	}
	return rows, nil
}

func same(a, b tidings.Schedule) bool {
	one, _ := json.Marshal(a) // which never fails
	other, _ := json.Marshal(b)
	return string(one) == string(other)
}

// begin notes what was followed before the account was shared. The caller holds s.mu.
func (s *Shared) begin(ctx context.Context) error {
	if s.begun {
		return nil
	}
	names, err := s.Names.Names(ctx, scheme)
	if err != nil {
		return err
	}
	noted, err := s.Notes.Addresses(ctx)
	if err != nil {
		return err
	}
	slices.Sort(noted)
	for _, name := range names {
		address := strings.TrimPrefix(name, scheme)
		if _, found := slices.BinarySearch(noted, address); found {
			continue
		}
		if _, err := s.note(ctx, address); err != nil {
			return err
		}
	}
	s.begun = true
	return nil
}

// Followings lists what is noted, in order, after a place: at most so many.
func (s *Shared) Followings(ctx context.Context, after tidings.FollowingCursor, most int) ([]tidings.Following, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	if after == (tidings.FollowingCursor{}) {
		if err := s.Notes.Expire(ctx, time.Now().Add(-keepEnded)); err != nil {
			return nil, err
		}
	}
	return s.Notes.List(ctx, after, most)
}

// Merge does here what was changed at another node, where that is later than what is noted. An address follows at most
// so many channels. What strangers may not follow at this node is left out.
func (s *Shared) Merge(ctx context.Context, all []tidings.Following, most int) error {
	var failures []error
	for _, f := range all {
		err := s.mergeOne(ctx, f, most)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil && !errors.Is(err, tidings.ErrInvalid) {
			failures = append(failures, err)
		}
	}
	return errors.Join(failures...)
}

func (s *Shared) mergeOne(ctx context.Context, f tidings.Following, most int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.begin(ctx); err != nil {
		return err
	}
	if time.Since(f.Changed) > keepEnded && (f.Ended || f.Forgotten != "") {
		return nil
	}
	return s.merge(ctx, f, most)
}

func (s *Shared) merge(ctx context.Context, f tidings.Following, most int) error {
	if f.Forgotten != "" {
		return s.forget(ctx, f)
	}
	forgotten, err := s.Notes.Forgotten(ctx, s.hash(f.Address))
	if err != nil || !f.Changed.After(forgotten) {
		return err
	}
	noted, err := s.Notes.Of(ctx, f.Address)
	if err != nil {
		return err
	}
	for _, own := range noted {
		if own.Channel == f.Channel && !later(f, own) {
			return nil
		}
	}
	if err := s.apply(ctx, f, most); err != nil {
		return fmt.Errorf("having an address follow what it follows at another node: %w", err)
	}
	return s.Notes.Put(ctx, []tidings.Following{f})
}

// later reports whether one change holds against another. Of two at one moment all nodes choose the same.
func later(a, b tidings.Following) bool {
	if c := a.Changed.Compare(b.Changed); c != 0 {
		return c > 0
	}
	if a.Schedule == nil || b.Schedule == nil {
		return a.Ended && !b.Ended
	}
	one, _ := json.Marshal(a.Schedule) // which never fails
	other, _ := json.Marshal(b.Schedule)
	return string(one) > string(other)
}

// apply does what another node has done.
func (s *Shared) apply(ctx context.Context, f tidings.Following, most int) error {
	if f.Channel != tidings.FollowingSchedule && !f.Ended {
		_, err := s.Directory.Subscribe(ctx, f.Address, f.Channel, most)
		return err
	}
	if !f.Ended && f.Schedule != nil {
		account, err := s.Directory.admit(ctx, f.Address)
		if err != nil {
			return err
		}
		return s.Directory.Reschedule(ctx, account, *f.Schedule)
	}
	account, err := s.Directory.Find(ctx, f.Address)
	switch {
	case errors.Is(err, tidings.ErrNotFound):
		return nil
	case err != nil:
		return err
	}
	if err = s.Directory.Follow.Unsubscribe(ctx, account, f.Channel); errors.Is(err, tidings.ErrNotFollowed) {
		return nil
	}
	return err
}

// forget ends what an address follows that asked another node to be forgotten. What it has followed since stays.
func (s *Shared) forget(ctx context.Context, f tidings.Following) error {
	before, err := s.Notes.Forgotten(ctx, f.Forgotten)
	if err != nil || !f.Changed.After(before) {
		return err
	}
	addresses, err := s.Notes.Addresses(ctx)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(addresses, func(a string) bool { return s.hash(a) == f.Forgotten })
	if at < 0 {
		return s.Notes.Put(ctx, []tidings.Following{f})
	}
	address := addresses[at]
	noted, err := s.Notes.Of(ctx, address)
	if err != nil {
		return err
	}
	later := slices.DeleteFunc(slices.Clone(noted), func(n tidings.Following) bool {
		return !n.Changed.After(f.Changed)
	})
	account, err := s.Directory.Find(ctx, address)
	found := err == nil
	switch {
	case err != nil && !errors.Is(err, tidings.ErrNotFound):
		return err
	case len(later) == 0 && found:
		err = s.Directory.Forget(ctx, account)
	case found:
		err = s.endBefore(ctx, account, noted, f.Changed)
	default:
		err = nil
	}
	if err != nil {
		return err
	}
	if err := s.Notes.Forget(ctx, address, f.Forgotten, f.Changed); err != nil {
		return err
	}
	return s.Notes.Put(ctx, later)
}

// endBefore ends what an account follows by notes up to a time.
func (s *Shared) endBefore(ctx context.Context, account tidings.AccountID, noted []tidings.Following,
	at time.Time) error {
	for _, n := range noted {
		if n.Ended || n.Changed.After(at) {
			continue
		}
		if n.Channel == tidings.FollowingSchedule {
			if err := s.Directory.Reschedule(ctx, account, tidings.Schedule{}); err != nil {
				return err
			}
			continue
		}
		if err := s.Directory.Follow.Unsubscribe(ctx, account, n.Channel); err != nil &&
			!errors.Is(err, tidings.ErrNotFollowed) {
			return err
		}
	}
	return nil
}
