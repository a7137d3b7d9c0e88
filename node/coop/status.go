package coop

import (
	"context"
	"slices"
	"time"

	"tidings"
	"tidings/network/engine"
	"tidings/view"
)

// reckonEvery is how often it is reckoned what others poll, by what is known of them at that time.
const reckonEvery = time.Minute

// reckon counts what was polled elsewhere, and would have been polled by readers, since that was
// reckoned last. It returns false if nothing was recalled.
func (c *Coop) reckon(now time.Time) bool {
	since, known := c.polls.since(now)
	if !known {
		return false
	}
	others, readers := c.Spared(now.Sub(since), c.terms(), now)
	if sum := (tally{ByOthers: others, Readers: readers}); sum != (tally{}) {
		c.polls.add(now, sum)
	}
	return true
}

// keepCount reckons, and asks primaries once a maintenance interval, until ctx ends.
func (c *Coop) keepCount(ctx context.Context) {
	for {
		maintenance := c.terms().Maintenance
		select {
		case <-ctx.Done():
			return
		case <-time.After(min(reckonEvery, maintenance)):
		}
		now := time.Now()
		c.reckon(now)
		c.inquire(ctx, c.Due(now, maintenance, min(maintenance, reckonEvery)))
	}
}

// Penalties are what this node has against others, the latest first.
func (c *Coop) Penalties() []view.Penalty { return c.penalties.list(time.Now()) }

// Status returns how this node polls together with others.
func (c *Coop) Status() view.CoopStatus {
	now := time.Now()
	c.reckon(now)
	s := c.polls.summary(now)
	p := c.Params()
	s.Params, s.Own, s.Agreed, s.Refused = paramsOf(p.Agreement), paramsOf(c.own), p.Settled, p.Refused
	s.ByTrees = len(c.ByTrees())
	s.Penalties = c.Penalties()
	return s
}

// inquireWithin is how long the first request waits for an answer of a channel's primary.
const inquireWithin = 300 * time.Millisecond

// Describe fills in how followed channels are polled by all nodes together. It asks the primaries of channels without
// fresh facts. Late answers are there the next time.
func (c *Coop) Describe(ctx context.Context, followed []tidings.Subscription) {
	ids := make([]engine.ID, len(followed))
	for i := range followed {
		ids[i] = engine.ID(tidings.IDOf(followed[i].URL))
	}
	c.inquire(ctx, ids)
	now, terms := time.Now(), c.terms()
	c.Table.Describe(followed, terms, now)
	inTurns := slices.DeleteFunc(slices.Clone(ids), func(id engine.ID) bool {
		ch, ok := c.Get(id)
		return !ok || !ch.Turns
	})
	if len(inTurns) == 0 {
		return
	}
	pollers := make(map[engine.ID]int, len(inTurns))
	c.InLoop(ctx, func() {
		for _, id := range inTurns {
			pollers[id] = c.volunteers.Pollers(id)
		}
	})
	for i := range followed {
		// How many they are is what this node has lately learned. No node reports their readers, or how often a channel
		// changes.
		if nodes := pollers[ids[i]]; nodes > 0 && followed[i].Privacy == tidings.Public {
			followed[i].Polling = &tidings.PollingStats{Nodes: nodes, Interval: terms.Interval, Told: now, Turns: true}
		}
	}
}

// inquire asks the primaries of channels, and waits up to inquireWithin for those that have never reported anything.
func (c *Coop) inquire(ctx context.Context, ids []engine.ID) {
	patience := time.NewTimer(inquireWithin)
	defer patience.Stop()
	ids, unknown := c.ToAsk(ids, time.Now())
	if len(ids) == 0 {
		return
	}
	told := c.told.Wait() // before they are asked
	c.InLoop(ctx, func() { c.corona.Inquire(ids) })
	for c.Unknown(unknown) {
		select {
		case <-told:
			told = c.told.Wait()
		case <-patience.C:
			return
		case <-ctx.Done():
			return
		}
	}
}
