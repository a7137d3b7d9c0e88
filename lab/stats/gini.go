package stats

import "slices"

// Gini returns the Gini coefficient of values of at least 0: 0 if they are equal, near 1 if one has all.
func Gini(values []float64) float64 {
	sum, weighted := 0.0, 0.0
	for i, x := range slices.Sorted(slices.Values(values)) {
		sum += x
		weighted += float64(i+1) * x
	}
	if sum == 0 {
		return 0
	}
	n := float64(len(values))
	return 2*weighted/(n*sum) - (n+1)/n
}
