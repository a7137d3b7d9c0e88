package scribe_test

import (
	"testing"
	"time"

	"tidings/network/routertest"
	"tidings/network/scribe"
	"tidings/network/sim/simtest"
)

// Scribe promises nothing for when the ring falls in parts: each has roots of its own, and an event that the roots of one
// have is not given to those of another later. Nor does it for clocks that run at half or twice the speed: nodes
// tell each other how long ago they joined.
func TestConform(t *testing.T) {
	c := scribe.Default()
	routertest.Conform(t, protocol(c), routertest.Promises{
		Kept: c.Kept, Settling: 3 * time.Minute, Survives: func(p *simtest.Plan) { p.Clock = 0 },
	})
}
