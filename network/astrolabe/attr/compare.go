package attr

import (
	"bytes"
	"cmp"
	"math"
	"slices"
)

// Compare returns -1, 0 or 1 as SQLite orders two values: NULL, numbers by size, texts and blobs by their bytes.
// An Integer and a Real are compared exactly: neither is rounded.
func Compare(a, b Value) int {
	if c := cmp.Compare(class(a.Type), class(b.Type)); c != 0 {
		return c
	}
	switch {
	case a.Type == Null:
		return 0
	case a.Type == Integer && b.Type == Integer:
		return cmp.Compare(a.Integer, b.Integer)
	case a.Type == Real && b.Type == Real:
		return cmp.Compare(a.Real, b.Real)
	case a.Type == Integer:
		return compareMixed(a.Integer, b.Real)
	case b.Type == Integer:
		return -compareMixed(b.Integer, a.Real)
	}
	return bytes.Compare(a.Bytes, b.Bytes)
}

// class is a place in the order of types: both kinds of numbers have the same.
func class(t Type) Type {
	if t == Real {
		return Integer
	}
	return t
}

// compareMixed compares an Integer with a Real.
func compareMixed(i int64, r float64) int {
	switch {
	case r < math.MinInt64:
		return 1
	case r >= math.MaxInt64: // as a float64: 2^63
		return -1
	}
	whole := int64(r) // toward zero
	if c := cmp.Compare(i, whole); c != 0 {
		return c
	}
	return cmp.Compare(float64(whole), r)
}

// CompareRows orders rows by their label, which is unique in a table. Rows with the same label are ordered by all that
// they hold, so that sorted rows do not depend on the order in which they came.
func CompareRows(a, b Row) int {
	if c := Compare(a.Get("label"), b.Get("label")); c != 0 {
		return c
	}
	return slices.CompareFunc(a, b, func(x, y Attribute) int {
		return cmp.Or(
			cmp.Compare(x.Name, y.Name),
			Compare(x.Value, y.Value),
			cmp.Compare(x.Value.Type, y.Value.Type),
			cmp.Compare(math.Float64bits(x.Value.Real), math.Float64bits(y.Value.Real)), // distinguishes -0 from 0
		)
	})
}
