package lab

import "math"

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
	half := studentT(len(values)-1) * math.Sqrt(squares/(n-1)/n)
	return mean, mean - half, mean + half
}

// studentT returns the 97.5 % quantile of Student's distribution. Up to 30 degrees of freedom it comes from a table;
// above, from the first term of its expansion around the normal one, which is right to three digits there.
func studentT(degrees int) float64 {
	table := [...]float64{
		12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
		2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
		2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
	}
	if degrees <= len(table) {
		return table[degrees-1]
	}
	const z = 1.959964
	return z + (z*z*z+z)/(4*float64(degrees))
}
