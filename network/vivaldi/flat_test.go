package vivaldi

import (
	"testing"

	"tidings/network/sim"
	"tidings/network/sim/latency"
)

// Flat coordinates have no height but the least there is, and still distinguish near from far.
func TestFlatCoordinates(t *testing.T) {
	t.Parallel()
	m := planetLab().rtt[:64]
	rtt := m[:0:0]
	for _, row := range m {
		rtt = append(rtt, row[:64])
	}
	w := newNet(latency.NewMatrix(1, rtt), setup{seed: 1, nodes: 64, landmarks: LandmarkCount,
		config: func(sim.Node) Config {
			c := DefaultWithLandmarks()
			c.Flat = true
			return c
		}})
	w.Run(30e9)
	for n := range sim.Node(64) {
		if h := w.vivaldi(n).Coordinate().Height; h > 10 {
			t.Fatalf("node %d has a height of %d µs", n, h)
		}
	}
	if e := at(w.errors(), 0.5); e > 0.3 {
		t.Errorf("distances are off by %.0f %% in the median", 100*e)
	}
}
