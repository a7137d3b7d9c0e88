package scribe_test

import (
	"testing"
	"time"

	"tidings/network/routers/routertest"
	"tidings/network/routers/scribe"
	"tidings/network/sim/simtest"
)

// If the ring falls into parts, each part has roots of its own. Members that compare pass the events of one part's
// roots to the others (hostile 31). If nodes crash and lose their disks as well, an event can still be lost. Scribe
// promises nothing for clocks that run at half or twice the speed, because nodes send each other how long ago they
// joined.
func TestConform(t *testing.T) {
	c := scribe.Default()
	routertest.Conform(t, protocol(c), routertest.Promises{
		Kept: c.Kept, Recovery: 5 * time.Minute, Settling: 3 * time.Minute,
		Survives: func(p *simtest.Plan) { p.Clock, p.Partition, p.OneWay = 0, 0, 0 },
	})
}
