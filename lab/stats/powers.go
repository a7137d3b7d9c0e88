package stats

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// Powers is a fit of y = a·x1^e1·x2^e2·… by least squares of the logarithms.
type Powers struct {
	factors  *mat.VecDense // ln a, e1, e2, …
	inverse  *mat.Dense    // of the product of the transposed design with itself
	variance float64       // of what the fit leaves, by degrees of freedom
	degrees  int
}

// FitPowers fits powers of the variables of each point to its y. Points with a value that is not above zero are left
// out. It returns false if what is left does not determine the powers and how far the points are off.
func FitPowers(points [][]float64, y []float64) (Powers, bool) {
	var design, logs []float64
	width := 0
	for i, x := range points {
		row := logsOf(x)
		if row == nil || y[i] <= 0 {
			continue
		}
		width = len(row)
		design, logs = append(design, row...), append(logs, math.Log(y[i]))
	}
	degrees := len(logs) - width
	if len(logs) == 0 || degrees < 1 {
		return Powers{}, false
	}
	x, v := mat.NewDense(len(logs), width, design), mat.NewVecDense(len(logs), logs)
	p := Powers{factors: new(mat.VecDense), inverse: new(mat.Dense), degrees: degrees}
	var square mat.Dense
	square.Mul(x.T(), x)
	if p.inverse.Inverse(&square) != nil {
		return Powers{}, false
	}
	var product, rest mat.VecDense
	product.MulVec(x.T(), v)
	p.factors.MulVec(p.inverse, &product)
	rest.MulVec(x, p.factors)
	rest.SubVec(v, &rest)
	p.variance = mat.Dot(&rest, &rest) / float64(degrees)
	return p, true
}

// logsOf returns a point's row of the design: 1 and the logarithms; nil if one has none.
func logsOf(x []float64) []float64 {
	row := []float64{1}
	for _, x := range x {
		if x <= 0 {
			return nil
		}
		row = append(row, math.Log(x))
	}
	return row
}

// Predict returns y at a point, with the ends of the 95 % interval in which one more measurement there would be, if the
// powers hold as far as that.
func (p Powers) Predict(x ...float64) (y, low, high float64) {
	at := mat.NewVecDense(1+len(x), logsOf(x))
	log := mat.Dot(at, p.factors)
	half := StudentT(p.degrees) * math.Sqrt(p.variance*(1+mat.Inner(at, p.inverse, at)))
	return math.Exp(log), math.Exp(log - half), math.Exp(log + half)
}
