// Package stats sums up what was measured: means, quantiles, shares, and how two measures hang together.
package stats

import (
	"math"
	"slices"
)

// Share returns what part a is of b; 0 of nothing.
func Share(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

// Sum returns the sum of values.
func Sum(values []float64) (sum float64) {
	for _, x := range values {
		sum += x
	}
	return sum
}

// Mean returns the mean of values; 0 of none.
func Mean(values []float64) float64 { return Sum(values) / float64(max(len(values), 1)) }

// Quantile returns the value below which a share of ascending ones lies; 0 if there are none.
func Quantile(sorted []float64, q float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)]
}

// QuantileOf is Quantile of values in any order.
func QuantileOf(values []float64, q float64) float64 {
	return Quantile(slices.Sorted(slices.Values(values)), q)
}

// Median returns the middle one of values in any order, or the mean of the two in the middle.
func Median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

// AtLeast returns which share of ascending values is at least x.
func AtLeast(sorted []float64, x float64) float64 {
	n, _ := slices.BinarySearch(sorted, x-1e-9)
	return Share(float64(len(sorted)-n), float64(len(sorted)))
}

// AtMost returns which share of ascending values is at most x.
func AtMost(sorted []float64, x float64) float64 {
	n, _ := slices.BinarySearch(sorted, math.Nextafter(x, math.Inf(1)))
	return Share(float64(n), float64(len(sorted)))
}

// moments returns the sums of products of two measures' deviations from their means: of both, and of each with itself.
func moments(x, y []float64) (both, xx, yy float64) {
	mx, my := Mean(x), Mean(y)
	for i := range x {
		both += (x[i] - mx) * (y[i] - my)
		xx += (x[i] - mx) * (x[i] - mx)
		yy += (y[i] - my) * (y[i] - my)
	}
	return both, xx, yy
}

// Correlation returns Pearson's of two measures of the same.
func Correlation(x, y []float64) float64 {
	both, xx, yy := moments(x, y)
	return Share(both, math.Sqrt(xx*yy))
}

// Slope returns by how much y grows with x, by least squares.
func Slope(x, y []float64) float64 {
	both, xx, _ := moments(x, y)
	return Share(both, xx)
}

// maxThinned is of how many values a plot is made.
const maxThinned = 2000

// Thinned returns some of ascending values, evenly.
func Thinned(sorted []float64) []float64 {
	if len(sorted) <= maxThinned {
		return sorted
	}
	some := make([]float64, maxThinned)
	for i := range some {
		some[i] = sorted[i*(len(sorted)-1)/(maxThinned-1)]
	}
	return some
}
