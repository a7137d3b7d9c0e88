package churn

import (
	"time"

	"tidings/network/sim"
)

// JoinStorm is nodes that all come within a time, at even intervals.
type JoinStorm struct{ Over time.Duration }

// Drive boots the nodes in their order, the last one at Over.
func (c JoinStorm) Drive(w *sim.World, nodes []sim.Node) {
	evenly(w, nodes, c.Over, func(n sim.Node) { boot(w, n) })
}

// LeaveStorm is nodes that all go within a time, at even intervals; at once if Over is 0.
type LeaveStorm struct {
	Over time.Duration
	Leaving
}

// Drive ends the nodes in their order, the last one at Over.
func (c LeaveStorm) Drive(w *sim.World, nodes []sim.Node) {
	chance := churnChance(w)
	evenly(w, nodes, c.Over, func(n sim.Node) { c.leave(w, chance, n) })
}

func evenly(w *sim.World, nodes []sim.Node, over time.Duration, do func(sim.Node)) {
	start := w.Now()
	var step func(i int)
	step = func(i int) {
		if i < len(nodes) {
			at := start + over/time.Duration(len(nodes))*time.Duration(i+1)
			w.After(at-w.Now(), func() {
				do(nodes[i])
				step(i + 1)
			})
		}
	}
	step(0)
}

var (
	_ Model = JoinStorm{}
	_ Model = LeaveStorm{}
)
