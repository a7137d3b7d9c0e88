package node

import (
	"context"
	"time"

	"tidings"
	"tidings/network/corona"
	"tidings/network/engine"
)

// How people are told how their channels are polled by all nodes together.
const (
	factsFresh  = 5 * time.Second        // what primaries have said is not asked again before
	factsWithin = 300 * time.Millisecond // whoever asks the first time waits so long for an answer
	factsLast   = 3                      // maintenance intervals, after which it counts no more
)

// Together fills in how channels are polled by all nodes together, and how soon changes were
// detected. It asks the primaries of those of which nothing new is known: what they answer late is
// there the next time.
func (n *Node) PollingStats(ctx context.Context, followed []tidings.Subscription) error {
	urls := make([]string, len(followed))
	for i := range followed {
		urls[i] = followed[i].URL
	}
	detected, err := n.store.Detected(ctx, urls)
	if err != nil {
		return err
	}
	for i := range followed {
		followed[i].Detected = detected[i]
	}
	if n.sharing == nil {
		return nil
	}
	n.sharing.inquire(ctx, urls)
	n.sharing.describe(followed, time.Now())
	n.volunteering.describe(ctx, followed)
	n.pushes.describe(followed)
	return nil
}

// inquire has the primaries of channels asked, and waits a moment for those that have never told
// anything.
func (s *sharing) inquire(ctx context.Context, urls []string) {
	patience := time.NewTimer(factsWithin)
	defer patience.Stop()
	ids, unknown := s.toAsk(urls, time.Now())
	if len(ids) == 0 {
		return
	}
	told := s.told.Wait() // before they are asked
	s.inLoop(ctx, func() { s.corona.Inquire(ids) })
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

// toAsk returns the channels whose primaries are to be asked, and those of them of which nothing
// is known. They count as asked from then on.
func (s *sharing) toAsk(urls []string, now time.Time) (ids, unknown []engine.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, url := range urls {
		id := engine.ID(tidings.IDOf(url))
		if c := s.channels[id]; c != nil && c.acked && now.Sub(c.asked) >= factsFresh {
			c.asked = now
			ids = append(ids, id)
			if c.toldAt.IsZero() {
				unknown = append(unknown, id)
			}
		}
	}
	return ids, unknown
}

// anyUnknown tells whether nothing is known of any of the channels.
func (s *sharing) anyUnknown(ids []engine.ID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range ids {
		if c := s.channels[id]; c != nil && c.acked && c.toldAt.IsZero() {
			return true
		}
	}
	return false
}

// Told notes what a primary has told; it is called in the loop.
func (s *sharing) Told(f corona.Fact) {
	s.mu.Lock()
	if c := s.channels[f.Channel]; c != nil {
		c.fact, c.toldAt = f, time.Now()
	}
	s.mu.Unlock()
	s.told.Ring()
}

// describe fills in what primaries have told.
func (s *sharing) describe(followed []tidings.Subscription, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range followed {
		c := s.channels[engine.ID(tidings.IDOf(followed[i].URL))]
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

// knows tells whether what a primary has told of a channel counts still. The caller holds s.mu.
func (s *sharing) knows(c *sharedChannel, now time.Time) bool {
	return c.acked && c.readers > 0 && !c.toldAt.IsZero() && now.Sub(c.toldAt) < factsLast*s.terms().Maintenance
}
