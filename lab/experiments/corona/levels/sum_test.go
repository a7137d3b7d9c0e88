package levels

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// exactly returns the sum of products without any rounding.
func exactly(numbers, values []float64) *big.Float {
	total := new(big.Float).SetPrec(4000)
	for i, v := range values {
		product := new(big.Float).SetPrec(4000).Mul(big.NewFloat(numbers[i]), big.NewFloat(v))
		total.Add(total, product)
	}
	return total
}

// A sum is off by less than 2^-98 of its terms, where float64 would be off by 2^-53 each time.
func TestSumsKeepTwiceThePrecision(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 100).Draw(t, "terms")
		numbers, values := make([]float64, n), make([]float64, n)
		var s sum
		terms := 0.
		for i := range n {
			numbers[i] = float64(rapid.Uint64Range(1, MaxAlike).Draw(t, "n"))
			values[i] = math.Ldexp(rapid.Float64Range(-1, 1).Draw(t, "x"), rapid.IntRange(-30, 30).Draw(t, "exponent"))
			s = s.plusProduct(numbers[i], values[i])
			terms += math.Abs(numbers[i] * values[i])
		}
		got := new(big.Float).SetPrec(4000).Add(big.NewFloat(s.hi), big.NewFloat(s.lo))
		off, _ := got.Sub(got, exactly(numbers, values)).Float64()
		if math.Abs(off) > math.Ldexp(terms, -98) {
			t.Fatalf("the sum is off by %g of %g", off, terms)
		}
		if s.hi+s.lo != s.hi {
			t.Fatalf("%v + %v is not rounded", s.hi, s.lo)
		}
	})
}

func TestProductsOfDifferencesKeepTheirTail(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := float64(rapid.Uint64Range(1, MaxAlike).Draw(t, "n"))
		a, b := rapid.Float64Range(1, 2).Draw(t, "a"), rapid.Float64Range(0, 1e-9).Draw(t, "b")
		got := difference(a, b).times(n)
		exact := exactly([]float64{n, -n}, []float64{a, b})
		off := exact.Sub(exact, new(big.Float).SetPrec(4000).Add(big.NewFloat(got.hi), big.NewFloat(got.lo)))
		if off, _ := off.Float64(); math.Abs(off) > math.Ldexp(n, -100) {
			t.Fatalf("%v·(%v - %v) is off by %g", n, a, b, off)
		}
	})
}

func TestWithinLooksAtWhatRoundingTook(t *testing.T) {
	s := sum{}.plus(1).plus(0x1p-60)
	if s.within(1) {
		t.Error("1 + 2^-60 is within 1")
	}
	if !s.plus(-0x1p-60).within(1) {
		t.Error("1 is not within 1")
	}
	if s.within(math.NaN()) {
		t.Error("something is within NaN")
	}
}
