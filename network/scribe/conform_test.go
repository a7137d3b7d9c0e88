package scribe_test

import (
	"testing"
	"time"

	"tidings/network/routertest"
	"tidings/network/scribe"
	"tidings/network/sim/simtest"
)

// Where the ring falls in parts, each has roots of its own; what those of one have is given to the others by members that
// compare (hostile 31). Where nodes crash and lose their disks as well, an event can be lost still. Scribe promises nothing
// for clocks that run at half or twice the speed: nodes tell each other how long ago they joined.
func TestConform(t *testing.T) {
	c := scribe.Default()
	routertest.Conform(t, protocol(c), routertest.Promises{
		Kept: c.Kept, Recovery: 5 * time.Minute, Settling: 3 * time.Minute,
		Survives: func(p *simtest.Plan) { p.Clock, p.Partition, p.OneWay = 0, 0, 0 },
	})
}
