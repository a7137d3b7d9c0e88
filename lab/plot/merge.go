package plot

import (
	"fmt"
	"math"
	"slices"
)

// Interval returns the middle of values and the ends of the error bar around it.
type Interval func(values []float64) (middle, low, high float64)

// Merge makes one plot of those that runs with different seeds made. Distributions are pooled, dots laid over each
// other, and other series averaged at each X, with the error bars that interval gives. The plots must be alike but for
// their points.
func Merge(plots []Plot, interval Interval) (Plot, error) {
	merged := plots[0]
	if len(plots) == 1 {
		return merged, nil
	}
	merged.Series = slices.Clone(merged.Series)
	for i := range merged.Series {
		alike := make([]Series, len(plots))
		for j, p := range plots {
			if p.Name != merged.Name || len(p.Series) != len(merged.Series) ||
				p.Series[i].Label != merged.Series[i].Label {
				return Plot{}, fmt.Errorf("plot %q differs from run to run in more than its points", merged.Name)
			}
			alike[j] = p.Series[i]
		}
		merged.Series[i] = mergeSeries(alike, interval)
	}
	return merged, nil
}

func mergeSeries(alike []Series, interval Interval) Series {
	s := Series{Label: alike[0].Label, Kind: alike[0].Kind}
	var all []Point
	for _, one := range alike {
		s.Samples = append(s.Samples, one.Samples...)
		all = append(all, one.Points...)
	}
	switch {
	case len(s.Samples) > 0:
		return CDF(s.Label, s.Samples)
	case s.Kind == Dots:
		s.Points = all
		return s
	}
	slices.SortStableFunc(all, byX)
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[n].X == all[0].X {
			n++
		}
		s.Points = append(s.Points, average(all[:n], len(alike), s.Kind, interval))
		all = all[n:]
	}
	return s
}

// average is of points at one X. A bar that a run does not have is one of height zero.
func average(at []Point, runs int, kind Kind, interval Interval) Point {
	values := make([]float64, len(at), max(runs, len(at)))
	for i, p := range at {
		values[i] = p.Y
	}
	if kind == Bars {
		values = append(values, make([]float64, max(0, runs-len(at)))...)
	}
	p := Point{X: at[0].X}
	p.Y, p.Low, p.High = interval(values)
	if math.IsNaN(p.Low) || p.Low == p.High {
		p.Low, p.High = 0, 0
	}
	return p
}
