package check

import (
	"fmt"
	"time"

	"tidings/network/engine"
	"tidings/network/sim"
)

// Noiseless checks that no update reaches a node over the network that does not subscribe to its topic. Routers promise
// that if their trees have subscribers alone for inner nodes.
type Noiseless struct {
	// Grace is how long after it unsubscribed a node may still get updates: those under way.
	Grace time.Duration

	// Except returns whether a node may get the topic's updates without subscribing, as
	// owners do; nil: none may.
	Except func(n sim.Node, topic engine.ID) bool

	verdict
	subscriptions subscriptions
}

// Observe sees updates under way.
func (c *Noiseless) Observe(at time.Duration, n sim.Node, event Event) {
	c.subscriptions.observe(at, n, event)
	e, ok := event.(Carried)
	if !ok {
		return
	}
	s, known := c.subscriptions.of(n, e.Topic)
	if known && (s.on || at <= s.since+c.Grace) || c.Except != nil && c.Except(n, e.Topic) {
		return
	}
	c.fail(at, n, e.Topic, fmt.Sprintf("version %d reached a node that does not subscribe", e.Version))
}
