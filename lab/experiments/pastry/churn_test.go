package pastry

import (
	"testing"

	"tidings/lab"
	"tidings/lab/labtest"
)

// Nodes that come and go find what they look up, and their comings and goings are seen.
func TestPastryUnderChurn(t *testing.T) {
	if testing.Short() {
		t.Skip("needs seconds")
	}
	figures := labtest.Figures(t, Experiment)
	for _, name := range []string{lab.Sized(churnRight, Experiment.Tiny.ChurnNodes),
		lab.Sized(traceRight, Experiment.Tiny.TraceNodes)} {
		if figures[name] < 0.99 {
			t.Errorf("%s: %v", name, figures[name])
		}
	}
}
