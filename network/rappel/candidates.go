package rappel

import (
	"slices"
	"time"

	"tidings/network/engine"
)

// candidates are nodes that may become friends: those that were heard of, with how often (section 3.3).
type candidates struct {
	most  int
	list  []candidate // in no order that means anything: see candidate.heard
	heard uint64      // how often any was heard of
}

type candidate struct {
	peer    engine.Peer
	votes   int
	audited bool
	profile *profile // nil: not fetched yet
	rtt     time.Duration
	denied  time.Duration // until when it is not asked again, as it had no room
	heard   uint64        // when it was heard of last, by how often any had been
}

func (c *candidates) index(id engine.ID) int {
	return slices.IndexFunc(c.list, func(k candidate) bool { return k.peer.ID == id })
}

// take gives a node a vote, and takes it in for the one that was heard of longest ago. Nodes are heard of all the time, so the list is
// not kept in that order: moving its entries was a fifth of all that a node did.
func (c *candidates) take(p engine.Peer) {
	i := c.index(p.ID)
	switch {
	case i >= 0:
	case len(c.list) < c.most:
		c.list = append(c.list, candidate{})
		i = len(c.list) - 1
	default:
		i = c.longestAgo()
		c.list[i] = candidate{}
	}
	c.heard++
	k := &c.list[i]
	k.peer, k.heard = p, c.heard
	k.votes++
}

// longestAgo returns where the candidate is that was heard of longest ago.
func (c *candidates) longestAgo() (oldest int) {
	for i := range c.list {
		if c.list[i].heard < c.list[oldest].heard {
			oldest = i
		}
	}
	return oldest
}

func (c *candidates) remove(id engine.ID) {
	c.list = slices.DeleteFunc(c.list, func(k candidate) bool { return k.peer.ID == id })
}

func (c *candidates) find(id engine.ID) *candidate {
	if i := c.index(id); i >= 0 {
		return &c.list[i]
	}
	return nil
}

// next returns the candidate with the most votes of those not audited yet, and of these the one that was heard of longest ago; nil if there
// is none.
func (c *candidates) next(now time.Duration) (best *candidate) {
	for i := range c.list {
		k := &c.list[i]
		if k.audited || now < k.denied {
			continue
		}
		if best == nil || k.votes > best.votes || k.votes == best.votes && k.heard < best.heard {
			best = k
		}
	}
	return best
}

// reset opens all to audits again: the friends are others (section 3.4).
func (c *candidates) reset() {
	for i := range c.list {
		c.list[i].audited, c.list[i].votes = false, 0
	}
}
