package coop

import (
	"context"
	"time"

	"tidings"
	"tidings/network/corona"
	"tidings/network/engine"
	"tidings/source"
	"tidings/source/feed"
	"tidings/source/fetch"
)

// poller is what Corona has poll here.
type poller struct{ *core }

// Poll has a channel polled when Corona says; it is called in the loop.
func (s *poller) Poll(c corona.Channel, t corona.Task) {
	if !fits(s.core, c) {
		s.config.Log.Debug("the network wants a check of what it has no right to", "channel", c.ID, "url", c.URL)
		return
	}
	now, at := time.Now().Round(0), s.env.Now()
	slot := source.Slot{First: now.Add(t.First - at), Interval: t.Interval, Regular: "its turn in the network's plan"}
	if t.NotBefore > at {
		slot.NotBefore = now.Add(t.NotBefore - at)
	}
	s.table.mu.Lock()
	defer s.table.mu.Unlock()
	kept := s.table.of(c.ID, c.URL)
	kept.polled, kept.slot = true, slot
	s.reconciler.enqueue(kept)
}

// fits reports whether an address that another node has sent can be that of a public channel.
func fits(s *core, c corona.Channel) bool {
	canonical, err := feed.Canonical(c.URL)
	return err == nil && canonical == c.URL && len(c.URL) <= maxSharedURL && engine.IDOf([]byte(c.URL)) == c.ID &&
		fetch.Classify(c.URL, s.config.Lab) == tidings.Public
}

// Stop ends what Poll began; it is called in the loop.
func (s *poller) Stop(channel engine.ID) {
	s.table.mu.Lock()
	defer s.table.mu.Unlock()
	if c := s.table.channels[channel]; c != nil && c.polled {
		c.polled = false
		s.reconciler.enqueue(c)
	}
}

// Verify polls a channel at once, unless its origin wants to be left alone; it is called in the
// loop.
func (s *poller) Verify(c corona.Channel) {
	s.table.mu.Lock()
	defer s.table.mu.Unlock()
	kept := s.table.channels[c.ID]
	if kept == nil { // nothing is kept to compare with what a poll would see
		s.Work(func(ctx context.Context) {
			s.InLoop(ctx, func() { s.corona.Polled(c.ID, corona.PollResult{Verified: true}) })
		})
		return
	}
	kept.checking = time.Now()
	patient := time.Now().Before(kept.slot.NotBefore)
	s.Work(func(ctx context.Context) {
		const why = "another node has seen a change"
		if !patient && s.config.Scheduler.CheckWhole(kept.url, why) {
			return
		}
		s.reconciler.reconcile(ctx, kept) // that it is polled may have been asked for only just now
		if !patient && s.config.Scheduler.CheckWhole(kept.url, why) {
			return
		}
		s.reporter.report(ctx, kept, time.Now(), corona.PollResult{}, false)
	})
}

// FirstPoll returns how long it may last until a channel without known content has been polled here. It is called in
// the loop.
func (s *poller) FirstPoll(channel engine.ID) time.Duration {
	s.table.mu.Lock()
	defer s.table.mu.Unlock()
	c := s.table.channels[channel]
	switch {
	case c == nil, c.private, c.version != 0, c.content != corona.Hash{}:
		return 0
	case s.subscribes(c): // a new follower of a channel polls once
		if s.config.Scheduler.Unseen(c.url) {
			return pollWithin
		}
	case c.isPolled():
		return time.Until(c.slot.After(time.Now())) + c.slot.Interval
	}
	return 0
}

// pollWithin is how long a poll that is waited for here may last, until it is stored, before others are asked instead.
// One that fails says so.
const pollWithin = 2 * time.Minute

var _ corona.Poller = (*poller)(nil)
