package stats

import (
	"math"
	"testing"
)

func TestGini(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   float64
	}{{nil, 0}, {[]float64{0, 0}, 0}, {[]float64{3, 3, 3}, 0}, {[]float64{0, 0, 0, 8}, 0.75}, {[]float64{3, 1}, 0.25}} {
		if got := Gini(c.values); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("of %v: %v, want %v", c.values, got, c.want)
		}
	}
}
