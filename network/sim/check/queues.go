package check

import (
	"fmt"
	"time"

	"tidings/network/engine"
	"tidings/network/sim"
)

// Queues checks that no queue is longer than its bound, nor without one: those that protocols report, and those of
// messages that wait at nodes for bandwidth, a slow reader or a sleeper.
type Queues struct {
	// Backlog is how many messages may wait in one queue of a node; 0: any number.
	Backlog int

	verdict
}

// Observe sees lengths.
func (q *Queues) Observe(at time.Duration, n sim.Node, event Event) {
	e, ok := event.(Queued)
	if !ok {
		return
	}
	switch {
	case e.Bound <= 0:
		q.fail(at, n, engine.ID{}, fmt.Sprintf("queue %s has no bound", e.Queue))
	case e.Length > e.Bound:
		q.fail(at, n, engine.ID{}, fmt.Sprintf("queue %s has %d entries, where %d are allowed", e.Queue, e.Length,
			e.Bound))
	}
}

// Finish looks at the most that ever waited at each node.
func (q *Queues) Finish(w *sim.World) {
	if q.Backlog == 0 {
		return
	}
	for n := range sim.Node(w.Len()) {
		if _, _, peak := w.Backlog(n); peak > q.Backlog {
			q.fail(w.Now(), n, engine.ID{}, fmt.Sprintf("%d messages waited in one queue, where %d are allowed", peak,
				q.Backlog))
		}
	}
}
