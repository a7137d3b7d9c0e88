package stats

import (
	"slices"
	"testing"
)

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   float64
	}{{[]float64{7}, 7}, {[]float64{9, 1}, 5}, {[]float64{3, 100, 1}, 3}, {[]float64{4, 1, 3, 100}, 3.5}} {
		before := slices.Clone(c.values)
		if got := Median(c.values); got != c.want || !slices.Equal(c.values, before) {
			t.Errorf("of %v: %v, want %v", before, got, c.want)
		}
	}
}
