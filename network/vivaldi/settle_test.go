package vivaldi

import (
	"testing"
	"time"

	"tidings/network/sim"
)

// Where delays vary so much that the coordinate never freezes, pings become as rare as if it did.
func TestPingsBecomeRareWhereDelaysVary(t *testing.T) {
	t.Parallel()
	c := Default()
	c.FreezeError = 0
	w := newNet(sim.Constant(10*time.Millisecond),
		setup{seed: 1, nodes: 6, neighbours: 5, config: func(sim.Node) Config { return c }})
	w.Run(5 * time.Minute)
	before := w.sent()
	w.Run(10 * time.Minute)
	if len(w.frozen) > 0 {
		t.Fatalf("%d nodes froze", len(w.frozen))
	}
	want := 2 * 6 * uint64(10*time.Minute/c.Watch)
	if sent := w.sent() - before; sent > want*5/4 || sent < want*3/4 {
		t.Errorf("%d messages in ten minutes, want about %d", sent, want)
	}
}

// A coordinate that has settled without freezing is measured as at the start when it has become wrong towards most
// peers.
func TestASettledCoordinateThaws(t *testing.T) {
	t.Parallel()
	c := Default()
	c.FreezeError, c.SettleUpdates = 0, 10
	v, _ := alone(c)
	for range 20 {
		for n := range byte(8) {
			v.Observe(peerOf(n), Coordinate{Vector: []int32{0, 0, 0}, Height: 10_000}, 20*time.Millisecond)
		}
	}
	if !v.settled() || v.Frozen() {
		t.Fatalf("settled: %v, frozen: %v", v.settled(), v.Frozen())
	}
	for n := range byte(8) {
		for range c.Samples {
			v.Observe(peerOf(n), Coordinate{Vector: []int32{0, 0, 0}, Height: 10_000}, 2*time.Second)
		}
	}
	if v.settled() {
		t.Error("settled where nothing fits any more")
	}
}
