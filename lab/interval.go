package lab

import (
	"math"

	"tidings/lab/stats"
)

// meanInterval returns the mean of values and its 95 % confidence interval by Student's t. If the runs were made again
// with other seeds, such an interval would hold the true mean 95 times of 100. It assumes that values are about normal,
// which means of many nodes are. One value is its own interval.
func meanInterval(values []float64) (mean, low, high float64) {
	n := float64(len(values))
	for _, x := range values {
		mean += x / n
	}
	if len(values) < 2 {
		return mean, mean, mean
	}
	squares := 0.0
	for _, x := range values {
		squares += (x - mean) * (x - mean)
	}
	half := stats.StudentT(len(values)-1) * math.Sqrt(squares/(n-1)/n)
	return mean, mean - half, mean + half
}
