package check

import (
	"time"

	"tidings/network/sim"
)

// Genuine checks that whatever content a node is delivered is one that the topic's origin has
// served before.
type Genuine struct {
	verdict
	served map[Served]bool
}

// Observe sees what is served and delivered.
func (g *Genuine) Observe(at time.Duration, n sim.Node, event Event) {
	switch e := event.(type) {
	case Served:
		if g.served == nil {
			g.served = make(map[Served]bool)
		}
		g.served[e] = true
	case Delivered:
		if !g.served[Served{e.Topic, e.Content}] {
			g.fail(at, n, e.Topic, "the origin never served "+update(e.Version, e.Content))
		}
	}
}
