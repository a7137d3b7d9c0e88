package node

import (
	"context"
	"errors"
	"time"

	"tidings"
	"tidings/network/corona"
	"tidings/source"
)

// accordSoon has a worker bring a channel in accord with what is wanted of it. The caller holds
// s.mu.
func (s *sharing) accordSoon(c *sharedChannel) {
	if c.queued {
		return
	}
	c.queued = true
	s.chores.Do(func(ctx context.Context) { s.accord(ctx, c) })
}

// accord brings the store, the watcher and Corona in accord with what is wanted of a channel.
func (s *sharing) accord(ctx context.Context, c *sharedChannel) {
	defer s.lock(c.id)()
	s.mu.Lock()
	c.queued = false
	alone := s.alone
	c.volunteer = s.terms().Volunteers && c.readers > 0 && !c.pushed && !alone
	want := *c
	s.mu.Unlock()
	var err error
	if !alone {
		s.tell(ctx, c, want)
		err = s.node.volunteering.accord(ctx, c, want)
	}
	switch {
	case err != nil:
		want.volunteer = false // it is polled as if nobody else did
	case want.lends():
		if err = s.keep(ctx, c, &want); want.private {
			return // it is queued again
		}
	case want.kept:
		err = s.letGo(ctx, c)
	}
	if err != nil && ctx.Err() == nil {
		s.log.Error("a channel is not checked as the network wants", "channel", want.url, "error", err)
	}
	s.node.watcher.Change(want.url, func(w *source.Job) { s.schedule(w, want) })
	s.forget(c)
}

// tell tells Corona how many readers a channel has here.
func (s *sharing) tell(ctx context.Context, c *sharedChannel, want sharedChannel) {
	if want.told == want.wants() {
		return
	}
	s.inLoop(ctx, func() {
		s.corona.Subscribe(corona.Channel{ID: want.id, URL: want.url}, "", want.wants())
		s.mu.Lock()
		defer s.mu.Unlock()
		c.told = want.wants()
		if want.wants() == 0 {
			c.acked = false
		}
	})
}

// keep has a channel polled for others, and kept.
func (s *sharing) keep(ctx context.Context, c *sharedChannel, want *sharedChannel) error {
	if want.kept {
		return nil
	}
	if err := s.node.store.AddRelayed(ctx, want.url); err != nil {
		return err
	}
	w, err := s.node.store.Watch(ctx, want.url)
	if err != nil {
		return err
	}
	want.private = !canShare(&w)
	s.mu.Lock()
	c.kept, c.private = true, want.private
	if want.private {
		s.accordSoon(c)
	}
	s.mu.Unlock()
	if want.private {
		return nil
	}
	if want.version == 0 {
		if err := s.remember(ctx, c); err != nil {
			return err
		}
	}
	watched := watchedOf(w)
	watched.Next = time.Time{} // schedule says
	s.node.watcher.Add(watched)
	return nil
}

// remember takes in the version that the network gave a guest that is kept still.
func (s *sharing) remember(ctx context.Context, c *sharedChannel) error {
	v, err := s.node.store.SharedVersion(ctx, c.url)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if v.Number > c.version {
		c.version, c.hash = v.Number, v.Hash
	}
	return nil
}

// letGo ends what keep began. A channel that is followed here goes on being polled.
func (s *sharing) letGo(ctx context.Context, c *sharedChannel) error {
	if err := s.node.store.RemoveRelayed(ctx, c.url); err != nil {
		return err
	}
	s.mu.Lock()
	c.kept = false
	s.mu.Unlock()
	_, err := s.node.store.Watch(ctx, c.url)
	if isGone(err) {
		s.node.watcher.Remove(c.url)
		return nil
	}
	return err
}

// forget drops a channel of which nothing is wanted any more.
func (s *sharing) forget(c *sharedChannel) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.readers == 0 && c.told == 0 && !c.polled && !c.relayed && !c.kept && !c.turns && !c.queued && s.channels[c.id] == c {
		delete(s.channels, c.id)
	}
}

// schedule says when a channel is polled from now on.
func (s *sharing) schedule(w *source.Job, want sharedChannel) {
	w.Shared = want.lends() || want.readers > 0
	w.Guest = want.lends() && want.readers == 0
	var slot source.Slot
	switch {
	case want.polls():
		slot = want.slot
	case want.pushed && want.readers > 0:
		slot = s.node.pushes.backup(&want)
	case want.volunteer:
		slot = s.node.volunteering.backup(&want)
	case want.acked && want.readers > 0 && want.suspicion != corona.Silent:
		slot = s.backup(&want)
	case want.lends() && want.readers == 0:
		slot = unpolled
	}
	switch {
	case slot == w.Slot:
		return
	case slot.IsZero():
		w.Leave(time.Now(), s.node.config.Interval)
	default:
		w.Follow(slot, time.Now())
	}
	if want.readers > 0 {
		s.node.store.Plan(w.URL, w.Last.Next, w.Last.NextWhy)
	}
}

// unpolled is the slot of a channel that is kept here and not polled, but when Corona asks for that.
var unpolled = source.Slot{Interval: 24 * time.Hour, NotBefore: time.Unix(1<<36, 0), Regular: "no check: others check"}

// isGone tells whether an error says that a channel is not polled.
func isGone(err error) bool { return errors.Is(err, tidings.ErrNotFollowed) }
