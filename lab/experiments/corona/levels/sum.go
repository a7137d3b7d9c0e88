package levels

import "math"

// sum is a sum of many numbers in twice the precision of float64: hi is the sum rounded, lo what rounding removed.
// Without it the load of a million channels would depend on the order in which they were added, and could pass the
// limit by the digits that got lost.
//
// Products are converted before they are added, so that no compiler fuses the two and results are the same on every
// processor.
type sum struct{ hi, lo float64 }

// plus returns s + x.
func (s sum) plus(x float64) sum {
	hi, lost := twoSum(s.hi, x)
	return normal(hi, s.lo+lost)
}

// plusSum returns s + x.
func (s sum) plusSum(x sum) sum {
	hi, lost := twoSum(s.hi, x.hi)
	return normal(hi, s.lo+x.lo+lost)
}

// plusProduct returns s + n*x.
func (s sum) plusProduct(n, x float64) sum { return s.plusSum(sum{hi: x}.times(n)) }

// times returns n*s.
func (s sum) times(n float64) sum {
	hi := float64(n * s.hi)
	return normal(hi, math.FMA(n, s.hi, -hi)+float64(n*s.lo))
}

// within reports whether s <= limit.
func (s sum) within(limit float64) bool { return s.hi < limit || s.hi == limit && s.lo <= 0 }

// difference returns a - b exactly.
func difference(a, b float64) sum {
	hi, lost := twoSum(a, -b)
	return sum{hi, lost}
}

// twoSum returns a + b rounded, and what the rounding lost (Knuth).
func twoSum(a, b float64) (rounded, lost float64) {
	rounded = a + b
	virtual := rounded - a
	return rounded, (a - (rounded - virtual)) + (b - virtual)
}

// normal returns hi + lo such that hi is the sum rounded; |lo| must not be above |hi|, but for
// rounding (Dekker).
func normal(hi, lo float64) sum {
	rounded := hi + lo
	return sum{rounded, lo - (rounded - hi)}
}
