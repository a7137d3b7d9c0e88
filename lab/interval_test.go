package lab

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestMeanInterval(t *testing.T) {
	if mean, low, high := meanInterval([]float64{7}); mean != 7 || low != 7 || high != 7 {
		t.Errorf("one value: %v in %v to %v", mean, low, high)
	}
	// By hand: deviation sqrt(2.5), over sqrt(5), times 2.776.
	mean, low, high := meanInterval([]float64{1, 2, 3, 4, 5})
	if half := 2.776 * math.Sqrt(0.5); mean != 3 || math.Abs(low-3+half) > 1e-9 || math.Abs(high-3-half) > 1e-9 {
		t.Errorf("%v in %v to %v", mean, low, high)
	}
}

// Of intervals of samples with a known mean, 95 % hold it.
func TestMeanIntervalHoldsTheMean(t *testing.T) {
	chance := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{2, 3, 10, 31, 100} {
		const times = 4000
		held := 0
		for range times {
			values := make([]float64, n)
			for i := range values {
				values[i] = 10 + chance.NormFloat64()
			}
			if _, low, high := meanInterval(values); low <= 10 && 10 <= high {
				held++
			}
		}
		if share := float64(held) / times; math.Abs(share-0.95) > 0.015 {
			t.Errorf("of %d values: %v of the intervals hold the mean", n, share)
		}
	}
}

func TestWorst(t *testing.T) {
	values := []float64{3, 9, 5}
	for _, c := range []struct {
		within Bounds
		want   float64
		ok     bool
	}{{AtMost(10), 9, true}, {AtMost(8), 9, false}, {AtLeast(1), 3, true}, {Between(0, 9.5), 9, true},
		{Exactly(5), 9, false}} {
		f := Expected{Name: "x", Within: c.within, Worst: true}.judge(values)
		if f.Here != c.want || f.OK != c.ok || f.Low != 3 || f.High != 9 {
			t.Errorf("%+v: got %+v", c.within, f)
		}
	}
}
