package corona

import "tidings/network/honeycomb"

// demand finds the levels that channels would have if their hosts did not bound them: these are claimed.
func (n *planner) demand(own []*owned) {
	if !n.node.budget.Hosted() {
		return
	}
	choices, s := n.solvePlan(own, n.politeLevel)
	for i := range choices {
		if c := &choices[i]; c.owned.permit != nil {
			c.owned.permit.wanted = uint8(n.LevelBits(s.Level(c.index), c.wedges))
		}
	}
}

// boundLevel is the least level of a channel in the plan: the one that its host allows, where that is fewer pollers than
// the channel would have.
func (n *planner) boundLevel(o *owned, w *honeycomb.Wedges) int {
	level := n.politeLevel(o, w)
	if n.bound(o) {
		level = max(level, n.Level(n.node.budget.LeastBits(o), w))
	}
	return level
}

// bound reports whether a channel's host allows it fewer pollers than it would have.
func (n *planner) bound(o *owned) bool {
	return o.permit != nil && n.node.budget.LeastBits(o) > int(o.permit.wanted)
}

// demandLevel has a channel that its host does not bind claim the level that was chosen: others' bounds
// leave it more than it would have.
func (n *planner) demandLevel(o *owned, bits int) {
	if o.permit != nil && !n.bound(o) {
		o.permit.wanted = uint8(bits)
	}
}
