package experiments

import (
	"slices"
	"strings"
	"testing"

	"tidings/lab"
)

// Nodes that come and go find what they look up, and their comings and goings are seen.
func TestPastryUnderChurn(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	r := try(t, Pastry, 1, 2)
	for _, name := range []string{churnRight, traceRight} {
		i := slices.IndexFunc(r.Figures, func(f lab.Figure) bool { return strings.HasPrefix(f.Name, name) })
		if i < 0 || r.Figures[i].Here < 0.99 {
			t.Errorf("%s: %+v", name, r.Figures)
		}
	}
}
