package check

import (
	"fmt"
	"time"

	"tidings/network/engine"
	"tidings/network/sim"
)

// Queues checks that no queue is longer than its bound, nor without one: those that protocols report, and those of
// messages that wait at nodes for bandwidth, a slow reader or a sleeper. Of these the bound is one of each sender's
// messages, as live nodes have a queue for each link. Many senders that keep within it may fill a node's queue.
type Queues struct {
	// Backlog is how many messages of one sender may wait in one queue of a node; 0: any number. The simulator's own
	// queue (sim.Config.Queue) has to be longer, as no more of one sender can wait in it.
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

// Finish looks at the most of one sender that ever waited at each node.
func (q *Queues) Finish(w *sim.World) {
	if q.Backlog == 0 {
		return
	}
	for n := range sim.Node(w.Len()) {
		if peak := w.Backlog(n).PeakOfSender; peak > q.Backlog {
			q.fail(w.Now(), n, engine.ID{},
				fmt.Sprintf("%d messages of one sender waited in one queue, where %d are allowed",
					peak, q.Backlog))
		}
	}
}
