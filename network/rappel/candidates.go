package rappel

import (
	"slices"
	"time"

	"tidings/network/engine"
)

// candidates are nodes that may become friends: those that were heard of, with how often (section 3.3).
type candidates struct {
	most int
	list []candidate // the one that was heard of longest ago first
}

type candidate struct {
	peer    engine.Peer
	votes   int
	audited bool
	profile *profile // nil: not fetched yet
	rtt     time.Duration
	denied  time.Duration // until when it is not asked again, as it had no room
}

func (c *candidates) index(id engine.ID) int {
	return slices.IndexFunc(c.list, func(k candidate) bool { return k.peer.ID == id })
}

// find returns the candidate of that ID, nil if there is none.
func (c *candidates) find(id engine.ID) *candidate {
	if i := c.index(id); i >= 0 {
		return &c.list[i]
	}
	return nil
}

// heard gives a node a vote, and takes it in for the one that was heard of longest ago.
func (c *candidates) heard(p engine.Peer) {
	var k candidate
	if i := c.index(p.ID); i >= 0 {
		k = c.list[i]
		c.list = slices.Delete(c.list, i, i+1)
	}
	k.peer = p
	k.votes++
	c.list = remember(c.list, k, c.most)
}

func (c *candidates) remove(id engine.ID) {
	c.list = slices.DeleteFunc(c.list, func(k candidate) bool { return k.peer.ID == id })
}

// next returns the candidate with the most votes of those not audited yet, nil if there is none.
func (c *candidates) next(now time.Duration) (best *candidate) {
	for i := range c.list {
		if k := &c.list[i]; !k.audited && now >= k.denied && (best == nil || k.votes > best.votes) {
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
