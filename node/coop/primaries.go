package coop

import (
	"context"
	"time"

	"tidings"
	"tidings/network/engine"
)

// How people learn how their channels are polled by all nodes together.
const (
	factsFresh  = 5 * time.Second        // what primaries have said is not asked again before
	factsWithin = 300 * time.Millisecond // the first request waits so long for an answer
	factsLast   = 3                      // maintenance intervals, after which it counts no more
)

// primaries asks how channels are polled by all nodes together.
type primaries struct{ *core }

// Describe fills in how followed channels are polled by all nodes together. It asks the primaries of channels without
// fresh facts. Late answers are there the next time.
func (c *Coop) Describe(ctx context.Context, followed []tidings.Subscription) {
	urls := make([]string, len(followed))
	for i := range followed {
		urls[i] = followed[i].URL
	}
	c.primaries.inquire(ctx, urls)
	c.primaries.describe(followed, time.Now())
	c.turns.describe(ctx, followed)
}

// inquire asks the primaries of channels, and waits up to factsWithin for those that have never reported anything.
func (s *primaries) inquire(ctx context.Context, urls []string) {
	patience := time.NewTimer(factsWithin)
	defer patience.Stop()
	ids, unknown := s.toAsk(urls, time.Now())
	if len(ids) == 0 {
		return
	}
	told := s.told.Wait() // before they are asked
	s.InLoop(ctx, func() { s.corona.Inquire(ids) })
	for s.anyUnknown(unknown) {
		select {
		case <-told:
			told = s.told.Wait()
		case <-patience.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

// toAsk returns the channels of which to ask the primaries, and the ones among them without any facts. They count as
// asked from then on.
func (s *primaries) toAsk(urls []string, now time.Time) (ids, unknown []engine.ID) {
	s.table.mu.Lock()
	defer s.table.mu.Unlock()
	for _, url := range urls {
		id := engine.ID(tidings.IDOf(url))
		if c := s.table.channels[id]; c != nil && c.acked && now.Sub(c.asked) >= factsFresh {
			c.asked = now
			ids = append(ids, id)
			if c.toldAt.IsZero() {
				unknown = append(unknown, id)
			}
		}
	}
	return ids, unknown
}

// anyUnknown reports whether nothing is known of any of the channels.
func (s *primaries) anyUnknown(ids []engine.ID) bool {
	s.table.mu.Lock()
	defer s.table.mu.Unlock()
	for _, id := range ids {
		if c := s.table.channels[id]; c != nil && c.acked && c.toldAt.IsZero() {
			return true
		}
	}
	return false
}

// describe fills in what primaries have reported.
func (s *primaries) describe(followed []tidings.Subscription, now time.Time) {
	s.table.mu.Lock()
	defer s.table.mu.Unlock()
	for i := range followed {
		c := s.table.channels[engine.ID(tidings.IDOf(followed[i].URL))]
		if c == nil || followed[i].Privacy != tidings.Public || !s.knows(c, now) {
			continue
		}
		f := c.fact
		followed[i].Polling = &tidings.PollingStats{
			Nodes: int(f.Pollers), Readers: int(f.Readers), Interval: time.Duration(f.Interval) * time.Millisecond,
			Update: time.Duration(f.Update) * time.Second, Expected: time.Duration(f.Detection) * time.Millisecond, Told: c.toldAt,
			Router: c.router.String(),
		}
	}
}

// knows reports whether a primary's report of a channel is still valid. The caller holds s.table.mu.
func (s *core) knows(c *channel, now time.Time) bool {
	return c.acked && c.readers > 0 && !c.toldAt.IsZero() && now.Sub(c.toldAt) < factsLast*s.params.now().Maintenance
}
