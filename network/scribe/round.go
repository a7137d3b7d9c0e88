package scribe

import (
	"slices"
	"time"

	"tidings/network/engine"
)

// comparing is a comparison under way, and the round that it is part of: in a round each root answers
// once.
type comparing struct {
	with  engine.Peer // zero: none
	tries int         // that were not answered, in a row
	alarm engine.Alarm

	answered []engine.ID   // in this round
	partly   bool          // some did not send all that they said
	began    time.Duration // this round
	settled  time.Duration // when the last whole round began; what came before is compared no more
}

// compareTries is how many roots a member asks, one after the other, until one answers. Then it waits
// for the next time.
const compareTries = 4

// rootsChanged has the next round be about all that anybody keeps, if there are roots that were none before: where the ring
// had fallen in parts, they lack what the roots before had, and have what those lacked.
func (c *comparing) rootsChanged(before, now []engine.Peer) {
	for _, p := range now {
		if !slices.ContainsFunc(before, func(q engine.Peer) bool { return q.ID == p.ID }) {
			c.settled, c.partly = 0, true
		}
	}
}

// nextRoot returns whom to compare with, and begins a round if all have answered.
func (n *Node) nextRoot(g *group) (root engine.Peer, ok bool) {
	c := &g.comparing
	rest := slices.DeleteFunc(slices.Clone(g.roots.list), func(p engine.Peer) bool {
		return n.isSelf(p) || slices.Contains(c.answered, p.ID)
	})
	if len(rest) == 0 || len(c.answered) >= 2*maxRoots {
		if len(c.answered) > 0 && !c.partly {
			c.settled = c.began
		}
		c.answered, c.partly, c.began = nil, false, n.env.Now()
		rest = slices.DeleteFunc(slices.Clone(g.roots.list), n.isSelf)
	}
	if len(rest) > 1 && rest[0].ID == g.roots.list[0].ID {
		rest = rest[1:]
	}
	if len(rest) == 0 {
		return root, false
	}
	return rest[n.env.Rand().IntN(len(rest))], true
}

// notCompared asks another root, as one has not answered.
func (n *Node) notCompared(g *group) {
	c := &g.comparing
	if g.gone {
		return
	}
	g.roots.drop(c.with.ID)
	c.with = engine.Peer{}
	if c.tries++; c.tries >= compareTries {
		c.tries = 0
		return
	}
	n.compareWithRoot(g)
}
