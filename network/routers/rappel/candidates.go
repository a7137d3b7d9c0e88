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
	byID map[engine.ID]*candidate
}

type candidate struct {
	peer    engine.Peer
	votes   int
	audited bool
	profile *profile // nil: not fetched yet
	rtt     time.Duration
	denied  time.Duration // until when it is not asked again, as it had no room
}

func newCandidates(most int) candidates {
	return candidates{most: most, byID: make(map[engine.ID]*candidate)}
}

// find returns the candidate of that ID, nil if there is none.
func (c *candidates) find(id engine.ID) *candidate { return c.byID[id] }

// named gives a node a vote, and admits it in place of the one named longest ago.
func (c *candidates) named(p engine.Peer) {
	k := c.find(p.ID)
	switch {
	case k != nil:
		c.remove(p.ID)
	case len(c.list) == c.most:
		c.remove(c.list[0].peer.ID)
	}
	if k == nil {
		k = new(candidate)
	}
	k.peer = p
	k.votes++
	c.list = append(c.list, k)
	c.byID[p.ID] = k
}

func (c *candidates) remove(id engine.ID) {
	if k := c.find(id); k != nil {
		i := slices.Index(c.list, k)
		c.list = slices.Delete(c.list, i, i+1)
		delete(c.byID, id)
	}
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
