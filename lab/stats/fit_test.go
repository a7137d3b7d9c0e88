package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// A power is found as it is, and with noise its interval holds it about as often as it says.
func TestFitPower(t *testing.T) {
	x := []float64{100, 200, 400, 800}
	of := func(exponent, noise float64, chance *rand.Rand) []float64 {
		var y []float64
		for _, x := range x {
			y = append(y, 3*math.Pow(x, exponent)*math.Exp(noise*chance.NormFloat64()))
		}
		return y
	}
	chance := rand.New(rand.NewPCG(1, 2))
	for _, want := range []float64{-1, 0, 0.5, 2} {
		p := FitPower(x, of(want, 0, chance))
		if math.Abs(p.Exponent-want) > 1e-9 || math.Abs(p.Low-want) > 1e-5 || math.Abs(p.High-want) > 1e-5 {
			t.Errorf("of a power of %v: %+v", want, p)
		}
	}
	const tries = 2000
	holds := 0
	for range tries {
		if p := FitPower(x, of(0.7, 0.1, chance)); p.Low <= 0.7 && 0.7 <= p.High {
			holds++
		}
	}
	if share := float64(holds) / tries; share < 0.93 || share > 0.97 {
		t.Errorf("the interval holds the exponent %v of the time", share)
	}
	if p := FitPower([]float64{1, 2, 3}, []float64{0, 0, 0}); p != (Power{}) {
		t.Errorf("of nothing above zero: %+v", p)
	}
	if p := FitPower([]float64{1, 2}, []float64{1, 4}); p.Exponent != 2 || p.Low != 2 || p.High != 2 {
		t.Errorf("of two points: %+v", p)
	}
}
