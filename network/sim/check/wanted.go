package check

import (
	"time"

	"tidings/network/sim"
)

// Wanted checks that nothing is delivered to a node that does not subscribe to its topic at that moment.
type Wanted struct {
	verdict
	subscriptions subscriptions
}

// Observe sees deliveries.
func (c *Wanted) Observe(at time.Duration, n sim.Node, event Event) {
	c.subscriptions.observe(at, n, event)
	e, ok := event.(Delivered)
	if !ok {
		return
	}
	if s, _ := c.subscriptions.of(n, e.Topic); !s.on {
		c.fail(at, n, e.Topic, update(e.Version, e.Content)+" is delivered to a node that does not subscribe")
	}
}
