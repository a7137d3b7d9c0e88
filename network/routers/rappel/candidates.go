package rappel

import (
	"slices"
	"time"

	"tidings/network/engine"
)

// candidates are nodes that may become friends: those that others have named, with how often (section 3.3).
type candidates struct {
	most int
	list []*candidate // the one named longest ago first
}

type candidate struct {
	peer    engine.Peer
	votes   int
	audited bool
	profile *profile // nil: not fetched yet
	rtt     time.Duration
	denied  time.Duration // until when it is not asked again, as it had no room
}

// find returns the candidate of that ID, nil if there is none.
func (c *candidates) find(id engine.ID) *candidate {
	for _, k := range c.list {
		if k.peer.ID == id {
			return k
		}
	}
	return nil
}

// named gives a node a vote, and admits it in place of the one named longest ago.
func (c *candidates) named(p engine.Peer) {
	k := c.find(p.ID)
	if k == nil {
		k = new(candidate)
	}
	c.remove(p.ID)
	k.peer = p
	k.votes++
	c.list = remember(c.list, k, c.most)
}

func (c *candidates) remove(id engine.ID) {
	c.list = slices.DeleteFunc(c.list, func(k *candidate) bool { return k.peer.ID == id })
}

// next returns the candidate with the most votes of those not audited yet, nil if there is none.
func (c *candidates) next(now time.Duration) (best *candidate) {
	for _, k := range c.list {
		if !k.audited && now >= k.denied && (best == nil || k.votes > best.votes) {
			best = k
		}
	}
	return best
}

// reset opens all to audits again: the friends are others (section 3.4).
func (c *candidates) reset() {
	for _, k := range c.list {
		k.audited, k.votes = false, 0
	}
}
