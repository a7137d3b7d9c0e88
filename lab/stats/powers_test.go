package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Powers are found as they are. With noise, the interval of a prediction far beyond the points holds one more
// measurement as often as it says.
func TestFitPowers(t *testing.T) {
	points := [][]float64{{100, 50, 5}, {200, 50, 5}, {400, 50, 5}, {800, 50, 5}, {200, 100, 5}, {200, 200, 5},
		{200, 50, 10}, {200, 50, 20}}
	far := []float64{1e6, 1e8, 100}
	chance := rand.New(rand.NewPCG(1, 2))
	of := func(x []float64, noise float64) float64 {
		return 3 * math.Pow(x[0], 0.5) * math.Pow(x[1], -0.25) * x[2] * math.Exp(noise*chance.NormFloat64())
	}
	all := func(noise float64) (y []float64) {
		for _, x := range points {
			y = append(y, of(x, noise))
		}
		return y
	}
	p, ok := FitPowers(points, all(0))
	if y, low, high := p.Predict(far...); !ok || math.Abs(y/of(far, 0)-1) > 1e-6 || high/low > 1+1e-5 {
		t.Errorf("of exact points: %v in %v to %v, want %v", y, low, high, of(far, 0))
	}
	const tries = 2000
	holds := 0
	for range tries {
		p, _ := FitPowers(points, all(0.05))
		if _, low, high := p.Predict(far...); low <= of(far, 0.05) && of(far, 0.05) <= high {
			holds++
		}
	}
	if share := float64(holds) / tries; share < 0.93 || share > 0.97 {
		t.Errorf("the interval holds one more measurement %v of the time", share)
	}
	for name, points := range map[string][][]float64{
		"no point":                  {},
		"as many points as powers":  {{1, 1}, {2, 1}, {1, 2}},
		"a variable that is one":    {{1, 3}, {2, 3}, {3, 3}, {4, 3}, {5, 3}},
		"only some are above zero":  {{1, 1}, {0, 1}, {2, 1}, {1, 2}, {-1, 3}},
		"all points are in a place": {{2, 3}, {2, 3}, {2, 3}, {2, 3}},
	} {
		y := make([]float64, len(points))
		for i := range y {
			y[i] = float64(1 + i)
		}
		if _, ok := FitPowers(points, y); ok {
			t.Errorf("%s: there is a fit", name)
		}
	}
}
