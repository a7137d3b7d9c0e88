package experiments

import (
	"slices"
	"strings"
	"testing"

	"tidings/lab"
	"tidings/lab/dataset"
)

// Where the recorded data are missing, what needs them is shown as not measured, and all else
// is measured.
func TestPastryWithoutRecordedData(t *testing.T) {
	t.Setenv(dataset.EnvDir, t.TempDir())
	r := try(t, Pastry, 1, 2)
	if len(r.Omitted) != 3 || len(r.Figures)+3 != len(Pastry.At(lab.Tiny).Expected) {
		t.Errorf("%d figures, omitted %+v", len(r.Figures), r.Omitted)
	}
	for _, o := range r.Omitted {
		if !strings.Contains(o.Name, "Tor") || !strings.Contains(o.Why, dataset.EnvDir) {
			t.Errorf("%+v", o)
		}
	}
}

// Nodes that come and go find what they look up, and their comings and goings are seen.
func TestPastryUnderChurn(t *testing.T) {
	dataset.NeedDir(t)
	r := try(t, Pastry, 1, 2)
	for _, name := range []string{churnRight, traceRight} {
		i := slices.IndexFunc(r.Figures, func(f lab.Figure) bool { return strings.HasPrefix(f.Name, name) })
		if i < 0 || r.Figures[i].Here < 0.99 {
			t.Errorf("%s: %+v", name, r.Figures)
		}
	}
}
