package node

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

// Poll has a channel polled when Corona says; it is called in the loop.
func (s *sharing) Poll(c corona.Channel, t corona.Task) {
	if !s.fit(c) {
		s.log.Debug("the network wants a check of what it has no right to", "channel", c.ID, "url", c.URL)
		return
	}
	now, at := time.Now().Round(0), s.env.Now()
	slot := source.Slot{First: now.Add(t.First - at), Interval: t.Interval, Regular: "its turn in the network's plan"}
	if t.NotBefore > at {
		slot.NotBefore = now.Add(t.NotBefore - at)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	kept := s.of(c.ID, c.URL)
	kept.polled, kept.slot = true, slot
	s.accordSoon(kept)
}

// fit tells whether an address that another node has sent can be that of a public channel.
func (s *sharing) fit(c corona.Channel) bool {
	canonical, err := feed.Canonical(c.URL)
	return err == nil && canonical == c.URL && len(c.URL) <= maxSharedURL && engine.IDOf([]byte(c.URL)) == c.ID &&
		fetch.Classify(c.URL, s.node.config.LabOrigins) == tidings.Public
}

// Stop ends what Poll began; it is called in the loop.
func (s *sharing) Stop(channel engine.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.channels[channel]; c != nil && c.polled {
		c.polled = false
		s.accordSoon(c)
	}
}

// Verify polls a channel at once, unless its origin wants to be left alone; it is called in the
// loop.
func (s *sharing) Verify(c corona.Channel) {
	s.mu.Lock()
	defer s.mu.Unlock()
	kept := s.channels[c.ID]
	if kept == nil { // nothing is kept to compare with what a poll would see
		s.work(func(ctx context.Context) {
			s.inLoop(ctx, func() { s.corona.Polled(c.ID, corona.PollResult{Verified: true}) })
		})
		return
	}
	kept.checking = time.Now()
	patient := time.Now().Before(kept.slot.NotBefore)
	s.work(func(ctx context.Context) {
		const why = "another node has seen a change"
		if !patient && s.node.watcher.Check(kept.url, why) {
			return
		}
		s.accord(ctx, kept) // that it is polled may have been asked for only just now
		if !patient && s.node.watcher.Check(kept.url, why) {
			return
		}
		s.report(ctx, kept, time.Now(), corona.PollResult{}, false)
	})
}

// FirstPoll tells how long it may take until a channel has been polled here of which nothing is known; it
// is called in the loop.
func (s *sharing) FirstPoll(channel engine.ID) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.channels[channel]
	switch {
	case c == nil, c.private, c.version != 0, c.content != corona.Hash{}:
		return 0
	case c.wants() > 0: // who begins to follow a channel polls once
		if s.node.watcher.Unseen(c.url) {
			return pollWithin
		}
	case c.polls():
		return time.Until(c.slot.After(time.Now())) + c.slot.Interval
	}
	return 0
}

// pollWithin is how long a poll may take that somebody here waits for, until it is stored, before others are asked for
// what it would see. One that fails says so.
const pollWithin = 2 * time.Minute

// Acknowledged notes that the owners of a channel know that it is followed here: from now on it is
// the network's to see what changes. It is called in the loop.
func (s *sharing) Acknowledged(e corona.Acknowledgement) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.channels[e.Channel]
	if c == nil {
		return
	}
	c.telling.owned = e.Version
	if acked := e.Count > 0 && !e.Refused; acked != c.acked {
		c.acked = acked
		s.accordSoon(c)
	}
	if c.acked && c.telling.withheld && c.telling.owned == 0 {
		c.telling.withheld = false
		s.work(func(ctx context.Context) { s.offer(ctx, c) })
	}
}

// Carried notes by which router a channel's updates come from now on; it is called in the loop.
func (s *sharing) Carried(e corona.Carried) {
	s.mu.Lock()
	if c := s.channels[e.Channel]; c != nil {
		c.router = e.Router
	}
	s.mu.Unlock()
	s.told.Ring()
}

// Suspected notes that the network does not seem to watch a channel for this node, or that it does
// again. It is called in the loop.
func (s *sharing) Suspected(e corona.Suspected) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.channels[e.Channel]; c != nil && c.suspicion != e.Why {
		c.suspicion = e.Why
		s.accordSoon(c)
	}
}

var (
	_ corona.Poller   = (*sharing)(nil)
	_ corona.Listener = (*sharing)(nil)
)
