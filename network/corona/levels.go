package corona

import (
	"tidings/network/engine"
	"tidings/network/honeycomb"
)

// wedgesOf returns the wedges that a channel can have: those that its primary is in, and some that it can lead from
// outside. The last level is that of the primary alone.
func (n *planner) WedgesOf(o *owned) *honeycomb.Wedges {
	n.size(0) // counts again if need be
	shared := n.Env.Self().ID.CommonBits(o.channel.ID)
	known := &n.aggregation.counts.wedges[n.slotAt(min(shared, engine.Bits-1)/n.config.Digit, o.channel.ID)]
	if *known == nil {
		w := n.wedgesBy(o.channel.ID, shared)
		*known = &w
	}
	return *known
}

// wedgesBy returns the wedges of a channel that shares so many first bits with this node.
func (n *planner) wedgesBy(channel engine.ID, shared int) honeycomb.Wedges {
	var counts []uint32
	last := n.orphanReach(shared)
	for l := range honeycomb.MaxLevels - 1 {
		size := uint32(0)
		switch bits := l * n.config.WedgeBits; {
		case bits > last:
		case bits > shared:
			if d, members := n.deputy(channel, bits); d != nil {
				size = addUint32(members, 1) // this node polls as well
			}
		case n.config.Sizes == Expected:
			size = n.size(0) >> bits
		default:
			size = n.size(bits)
		}
		if size <= 1 {
			break
		}
		counts = append(counts, size)
	}
	return n.config.model().Counted(append(counts, 1))
}

// levelBits returns the bits that the pollers of a level share with the channel.
func (n *planner) LevelBits(level int, w *honeycomb.Wedges) int {
	if level == w.Levels()-1 {
		return alone
	}
	return level * n.config.WedgeBits
}

// level is the inverse of levelBits.
func (n *planner) Level(bits int, w *honeycomb.Wedges) int {
	return min(bits/n.config.WedgeBits, w.Levels()-1)
}

// leastLevel returns the least level that the origin and its host's owners let the channel have.
func (n *planner) LeastLevel(o *owned, w *honeycomb.Wedges) int {
	return max(n.politeLevel(o, w), n.Level(n.node.budget.LeastBits(o), w))
}

// politeLevel returns the least level at which all pollers together keep the interval that the
// origin asks for.
func (n *planner) politeLevel(o *owned, w *honeycomb.Wedges) int {
	level := 0
	for level < w.Levels()-1 && w.Pollers(level)*float64(o.limit.interval) > float64(n.config.Interval) {
		level++
	}
	return level
}

// averageWedges returns what wedges are like on average over all channels.
func (n *planner) averageWedges() *honeycomb.Wedges {
	p := &n.planning
	nodes := int(min(n.size(0), 1<<30))
	if nodes != p.nodes {
		model := n.config.model()
		p.nodes, p.average = nodes, model.Expected(nodes, model.Levels(nodes))
		if n.config.Sizes == Expected {
			p.average = model.Nominal(nodes, model.Levels(nodes))
		}
	}
	return &p.average
}

// guess returns the level at which a channel has as many pollers as its subscribers pay for.
func (n *planner) guess(f honeycomb.Factors, w *honeycomb.Wedges) int {
	level := 0
	for level < w.Levels()-1 && w.Pollers(level) > float64(f.Subscribers) {
		level++
	}
	return level
}
