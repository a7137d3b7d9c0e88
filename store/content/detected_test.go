package content

import (
	"testing"
	"time"

	"tidings"
)

// An edge belongs to the bin above it, and edges rise about twofold.
func TestDetectionBins(t *testing.T) {
	edges := tidings.DetectionEdges()
	for i, edge := range edges {
		if i > 0 && (edge < edges[i-1]*3/2 || edge > edges[i-1]*5/2) {
			t.Errorf("%v follows %v", edge, edges[i-1])
		}
		for _, c := range []struct {
			time time.Duration
			bin  int
		}{{edge, i + 1}, {edge - 1, i}} {
			if bins := binned([]time.Duration{c.time}); bins[c.bin] != 1 {
				t.Errorf("%v is not in bin %d: %v", c.time, c.bin, bins)
			}
		}
	}
}
