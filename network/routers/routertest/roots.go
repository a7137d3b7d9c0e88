package routertest

import (
	"maps"
	"slices"
	"time"

	"tidings/network/engine"
	"tidings/network/sim"
)

// roots are the nodes that were the roots of the topics in use, by topic, and when they were last.
type roots map[engine.ID]*rooted

type rooted struct {
	now  sim.Node
	last map[sim.Node]time.Duration
}

// use begins to watch which node is the root of a topic.
func (w *World[R]) use(topic engine.ID) {
	if w.roots[topic] == nil {
		w.roots[topic] = &rooted{now: w.Root(topic), last: make(map[sim.Node]time.Duration)}
	}
}

// lookAtRoots reports to all nodes which roots have changed, now and every second.
func (w *World[R]) lookAtRoots() {
	for _, topic := range slices.SortedFunc(maps.Keys(w.roots), engine.ID.Compare) {
		r, now := w.roots[topic], w.Root(topic)
		r.last[r.now] = w.Now()
		if now == r.now {
			continue
		}
		r.now = now
		for _, n := range w.Live() {
			if w.protocol.RootChanged != nil {
				w.protocol.RootChanged(w.Node(n), topic)
			}
		}
	}
	w.After(time.Second, w.lookAtRoots)
}

// isRoot reports whether a node is the root of a topic, or was until lately: others need not know yet.
func (w *World[R]) isRoot(n sim.Node, topic engine.ID) bool {
	if w.Root(topic) == n {
		return true
	}
	r := w.roots[topic]
	last, was := r.last[n]
	return was && w.Now() <= last+lately
}

// lately is for how long updates may be under way to where they are no longer to go.
const lately = 10 * time.Second
