package campaign

import (
	"time"

	"tidings/network/engine"
	"tidings/network/sim"
	"tidings/network/sim/check"
)

// genuine checks that nothing is shown at a node that its origin has never served. It knows what origins serve from the
// world, not from what nodes say that they have seen. In every world one node lies at most, and witnesses are asked:
// README, "Nobody's word is enough".
type genuine struct {
	verdict
	ever map[check.Served]bool
}

// serves notes that an origin has a content from now on.
func (g *genuine) serves(topic, content engine.ID) {
	if g.ever == nil {
		g.ever = make(map[check.Served]bool)
	}
	g.ever[check.Served{Topic: topic, Content: content}] = true
}

// Observe implements check.Checker.
func (g *genuine) Observe(at time.Duration, n sim.Node, event check.Event) {
	if e, ok := event.(check.Delivered); ok && !g.ever[check.Served{Topic: e.Topic, Content: e.Content}] {
		g.fail(at, n, e.Topic, "version %d has a content that the origin never had", e.Version)
	}
}
