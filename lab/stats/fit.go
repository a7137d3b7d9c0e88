package stats

import "math"

// Power is a fit of y = a·x^Exponent. Low and High are the ends of the exponent's 95 % confidence interval.
type Power struct{ Exponent, Low, High float64 }

// FitPower fits a power of x to y by least squares of their logarithms. The interval is Student's: it holds how far the
// points are off a straight line, so few points make it wide. Points that are not above zero are left out. With fewer
// than two points, or all at one x, there is no exponent, and all is 0; with two the interval is the exponent alone.
func FitPower(x, y []float64) Power {
	var lx, ly []float64
	for i := range x {
		if x[i] > 0 && y[i] > 0 {
			lx, ly = append(lx, math.Log(x[i])), append(ly, math.Log(y[i]))
		}
	}
	both, xx, yy := moments(lx, ly)
	if xx == 0 {
		return Power{}
	}
	slope := both / xx
	degrees := len(lx) - 2
	if degrees < 1 {
		return Power{slope, slope, slope}
	}
	rest := max(yy-slope*both, 0)
	half := StudentT(degrees) * math.Sqrt(rest/float64(degrees)/xx)
	return Power{slope, slope - half, slope + half}
}

// StudentT returns the 97.5 % quantile of Student's distribution. Up to 30 degrees of freedom it comes from a table;
// above, from the first term of its expansion around the normal one, which is right to three digits there.
func StudentT(degrees int) float64 {
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
