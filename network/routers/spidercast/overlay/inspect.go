package overlay

import (
	"time"

	"tidings/network/engine"
)

// NeighborView is a neighbour, for people and experiments.
type NeighborView struct {
	Peer           engine.Peer
	Greedy, Random bool          // the sets that it is in
	Shared         []engine.ID   // the topics that the link carries
	Since          time.Duration // when the link came up, since the node started
}

// Neighbors returns the neighbours, the oldest link first.
func (o *Overlay) Neighbors() []NeighborView {
	list := make([]NeighborView, 0, len(o.links.list))
	for _, l := range o.links.list {
		v := NeighborView{Peer: l.peer, Greedy: l.sets[Greedy].in, Random: l.sets[Random].in, Since: never}
		for i := range l.sets {
			if m := &l.sets[i]; m.in {
				v.Since = min(v.Since, m.since)
			}
		}
		for _, slot := range l.reported {
			v.Shared = append(v.Shared, o.topics.slots[slot].id)
		}
		list = append(list, v)
	}
	return list
}

// Uncovered returns the node's topics for which it seeks more neighbours, because they are not covered.
func (o *Overlay) Uncovered() (list []engine.ID) {
	for i := range o.topics.slots {
		lacks := func(t *task) bool { return t.lacks() > 0 && int(o.topics.slots[i].cover[t.kind]) < t.k }
		if t := &o.topics.slots[i]; t.on() && (lacks(&o.tasks[Greedy]) || lacks(&o.tasks[Random])) {
			list = append(list, t.id)
		}
	}
	return list
}

// Random returns K_r as it is now.
func (o *Overlay) Random() int { return o.tasks[Random].k }
