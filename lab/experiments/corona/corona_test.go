package corona

import (
	"math"
	"testing"

	"tidings/lab/labtest"
)

// What probes find is what the gaps between polls come to, and nobody polls more than legacy does.
func TestCoronaMeasuresTwice(t *testing.T) {
	if testing.Short() {
		t.Skip("needs seconds")
	}
	figures := labtest.Figures(t, Experiment)
	for _, setting := range settings {
		row := setting.name + ".lite"
		probes, gaps := figures[row+".detection_seconds"], figures[row+".gaps_detection_seconds"]
		if gaps == 0 || math.Abs(probes/gaps-1) > 0.2 {
			t.Errorf("%s: probes wait %v s, by gaps it is %v s", row, probes, gaps)
		}
		load, legacy := figures[row+".polls"], figures["ours.legacy.polls"]
		if setting.sized {
			load, legacy = figures[row+".bytes"], figures["sized.legacy.bytes"]
		}
		if load < 1 || load > 1.1*legacy {
			t.Errorf("%s: %v polls or bytes, legacy %v", row, load, legacy)
		}
		if reached := figures[row+".reached_all"]; reached < 0.99 {
			t.Errorf("%s: %v of the updates reached all subscribers", row, reached)
		}
	}
}
