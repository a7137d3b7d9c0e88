package check

import (
	"fmt"
	"time"

	"tidings/network/engine"
	"tidings/network/sim"
)

// PollLimit checks that in no window of time more polls are made than the load limit allows.
type PollLimit struct {
	// Window is the length of the windows. Two polls a whole window apart are in none
	// together.
	Window time.Duration

	// Topic returns how many polls one topic's origin may get in a window; nil: any number.
	Topic func(topic engine.ID) int

	// All is how many polls all nodes together may make in a window; 0: any number.
	All int

	verdict
	byTopic map[engine.ID]*window
	all     window
}

// window is the times of the latest polls, the oldest first.
type window struct{ times []time.Duration }

// add puts in a poll and returns how many there are within the length before it.
func (w *window) add(at, length time.Duration) int {
	gone := 0
	for gone < len(w.times) && w.times[gone] <= at-length {
		gone++
	}
	w.times = append(w.times[gone:], at)
	return len(w.times)
}

// Observe sees polls.
func (p *PollLimit) Observe(at time.Duration, n sim.Node, event Event) {
	e, ok := event.(Polled)
	if !ok {
		return
	}
	if p.All > 0 {
		if count := p.all.add(at, p.Window); count > p.All {
			p.fail(at, n, engine.ID{}, fmt.Sprintf("%d polls within %v, where %d are allowed", count, p.Window, p.All))
		}
	}
	if p.Topic == nil {
		return
	}
	if p.byTopic == nil {
		p.byTopic = make(map[engine.ID]*window)
	}
	of := p.byTopic[e.Topic]
	if of == nil {
		of = &window{}
		p.byTopic[e.Topic] = of
	}
	limit := p.Topic(e.Topic)
	if count := of.add(at, p.Window); count > limit {
		p.fail(at, n, e.Topic, fmt.Sprintf("%d polls of one topic within %v, where %d are allowed", count,
			p.Window, limit))
	}
}
