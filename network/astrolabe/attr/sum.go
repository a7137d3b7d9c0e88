package attr

import (
	"math"
	"math/bits"
)

// Sum adds up values as the function SUM of aggregations does. It skips what is no number.
//
// Integers are added exactly and the result is clamped to what an Integer can hold, so their order does not matter.
// Reals are added one by one. Their order matters, and all that add must agree on one. The zero Sum is empty.
type Sum struct {
	high, low uint64 // of the sum of all Integers, 128 bits in two's complement
	real      float64
	numbers   int64
	reals     bool
}

// Add adds a value.
func (s *Sum) Add(v Value) {
	switch v.Type {
	case Integer:
		var carry uint64
		s.low, carry = bits.Add64(s.low, uint64(v.Integer), 0)
		s.high += uint64(v.Integer>>63) + carry // the sign fills the upper half
	case Real:
		s.real += v.Real
		s.reals = true
	default:
		return
	}
	s.numbers++
}

// Value returns the sum: NULL of no numbers, an Integer if all of them were, else a Real; NULL if that is not finite.
func (s *Sum) Value() Value {
	switch {
	case s.numbers == 0:
		return Value{}
	case s.reals:
		return Float(s.float())
	}
	return Int(s.integer())
}

// Mean returns the mean as a Real: NULL of no numbers, and if it is not finite.
func (s *Sum) Mean() Value {
	if s.numbers == 0 {
		return Value{}
	}
	return Float(s.float() / float64(s.numbers))
}

func (s *Sum) integer() int64 {
	switch high := int64(s.high); {
	case high == int64(s.low)>>63:
		return int64(s.low)
	case high < 0:
		return math.MinInt64
	}
	return math.MaxInt64
}

// float adds the clamped sum of the Integers to that of the Reals.
func (s *Sum) float() float64 { return float64(s.integer()) + s.real }
