package plot

import (
	"cmp"
	"math"
	"slices"
)

// CDF returns the distribution of samples: for each value, the share of samples that are not
// greater.
func CDF(label string, samples []float64) Series {
	sorted := slices.Sorted(slices.Values(samples))
	s := Series{Label: label, Kind: Steps, Samples: sorted}
	n := float64(len(sorted))
	for i, x := range sorted {
		if i+1 < len(sorted) && sorted[i+1] == x {
			continue
		}
		s.Points = append(s.Points, Point{X: x, Y: float64(i+1) / n})
	}
	return s
}

// Ranked returns values by rank, the greatest first, at ranks from 1. It belongs on two
// logarithmic axes.
func Ranked(label string, values []float64) Series {
	sorted := slices.Sorted(slices.Values(values))
	slices.Reverse(sorted)
	s := Series{Label: label, Kind: Dots}
	for i, y := range sorted {
		s.Points = append(s.Points, Point{X: float64(i + 1), Y: y})
	}
	return s
}

// Shares returns bars of how often each whole number from 0 up came, as shares of all.
func Shares(label string, counts []int) Series {
	total := 0
	for _, n := range counts {
		total += n
	}
	s := Series{Label: label, Kind: Bars}
	for x, n := range counts {
		s.Points = append(s.Points, Point{X: float64(x), Y: float64(n) / float64(max(total, 1))})
	}
	return s
}

// maxDrawn is how many points of a series are drawn: more cannot be seen, and make files
// long.
const maxDrawn = 1500

// thin leaves out points that look the same as their neighbours where there are too many. First and last stay, and so
// does the order.
func thin(points []Point, logX bool) []Point {
	if len(points) <= maxDrawn {
		return points
	}
	kept := make([]Point, 0, maxDrawn)
	last := -1
	for i := range maxDrawn {
		share := float64(i) / (maxDrawn - 1)
		at := int(math.Round(share * float64(len(points)-1)))
		if logX { // ranks: as many points for each decade
			at = int(math.Pow(float64(len(points)), share)) - 1
		}
		if at > last {
			kept, last = append(kept, points[at]), at
		}
	}
	if last != len(points)-1 {
		kept = append(kept, points[len(points)-1])
	}
	return kept
}

func byX(a, b Point) int { return cmp.Compare(a.X, b.X) }

// Over returns a line through a value for each of some numbers.
func Over[N ~int | ~float64](label string, xs []N, y func(i int) float64) Series {
	s := Series{Label: label, Points: make([]Point, len(xs))}
	for i, x := range xs {
		s.Points[i] = Point{X: float64(x), Y: y(i)}
	}
	return s
}

// Scatter returns dots of two measures of the same.
func Scatter(label string, x, y []float64) Series {
	s := Over(label, x, func(i int) float64 { return y[i] })
	s.Kind = Dots
	return s
}
