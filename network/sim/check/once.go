package check

import (
	"time"

	"tidings/network/sim"
)

// Once checks that each update is delivered at most once to a node, as long as the node does
// not forget.
type Once struct {
	verdict
	delivered deliveries
}

// Observe sees deliveries.
func (o *Once) Observe(at time.Duration, n sim.Node, event Event) {
	switch e := event.(type) {
	case Delivered:
		if !o.delivered.add(n, e) {
			o.fail(at, n, e.Topic, update(e.Version, e.Content)+" is delivered a second time")
		}
	case Forgot:
		o.delivered.forget(n)
	}
}
