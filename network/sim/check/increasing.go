package check

import (
	"fmt"
	"time"

	"tidings/network/engine"
	"tidings/network/sim"
)

// Increasing checks that the versions of a topic that a node is delivered increase strictly,
// as long as the node does not forget. Updates without a version are not looked at.
type Increasing struct {
	verdict
	latest byNode[map[engine.ID]uint64] // by topic
}

// Observe sees deliveries.
func (c *Increasing) Observe(at time.Duration, n sim.Node, event Event) {
	switch e := event.(type) {
	case Delivered:
		if e.Version == 0 {
			return
		}
		of := c.latest.of(n)
		if *of == nil {
			*of = make(map[engine.ID]uint64)
		}
		if last := (*of)[e.Topic]; e.Version <= last {
			c.fail(at, n, e.Topic, fmt.Sprintf("version %d is delivered after version %d", e.Version, last))
		}
		(*of)[e.Topic] = max((*of)[e.Topic], e.Version)
	case Forgot:
		*c.latest.of(n) = nil
	}
}
