package attr

import (
	"bytes"
	"math"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Compare is an order: reflexive, antisymmetric and transitive. That it is SQLite's is tested with package sql.
func TestCompareIsAnOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := anyValue.Draw(t, "a"), anyValue.Draw(t, "b"), anyValue.Draw(t, "c")
		if Compare(a, a) != 0 || Compare(a, b) != -Compare(b, a) {
			t.Fatalf("%v, %v: %d, %d", a, b, Compare(a, b), Compare(b, a))
		}
		if Compare(a, b) <= 0 && Compare(b, c) <= 0 && Compare(a, c) > 0 {
			t.Fatalf("%v, %v, %v are no order", a, b, c)
		}
	})
}

func TestCompareNumbers(t *testing.T) {
	ascending := []Value{{}, Float(-math.MaxFloat64), Int(math.MinInt64), Int(math.MinInt64 + 1), Float(-1.5), Int(-1),
		Float(-0.5), Int(0), Float(0.5),
		Int(1), Float(1.5), Float(1 << 53), Int(1<<53 + 1), Int(math.MaxInt64), Float(1 << 63), String(""), String("1"),
		Bytes(nil), Bytes([]byte{0})}
	for i, a := range ascending {
		for j, b := range ascending {
			if got, want := Compare(a, b), Compare(Int(int64(i)), Int(int64(j))); got != want {
				t.Errorf("%v, %v: %d", a, b, got)
			}
		}
	}
	for _, same := range [][2]Value{{Int(0), Float(math.Copysign(0, -1))}, {Int(7), Float(7)},
		{Int(math.MinInt64), Float(-1 << 63)}} {
		if Compare(same[0], same[1]) != 0 {
			t.Errorf("%v differs from %v", same[0], same[1])
		}
	}
}

// Rows that differ are never equal in the order, so sorted rows do not depend on where they came from.
func TestCompareRowsDistinguishesAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		row := rapid.Map(anyAttributes, func(a []Attribute) Row { return Of(a...) })
		a, b := row.Draw(t, "a"), row.Draw(t, "b")
		if (CompareRows(a, b) == 0) != a.Equal(b) || CompareRows(a, b) != -CompareRows(b, a) {
			t.Fatalf("%v and %v: %d", a, b, CompareRows(a, b))
		}
	})
	first, second := Of(Attribute{"label", Int(1)}, Attribute{"a", Int(9)}),
		Of(Attribute{"label", Int(2)}, Attribute{"a", Int(1)})
	if CompareRows(first, second) >= 0 {
		t.Error("not by label first")
	}
	if CompareRows(Of(Attribute{"a", Int(0)}), Of(Attribute{"a", Float(0)})) == 0 ||
		CompareRows(Of(Attribute{"a", Float(0)}), Of(Attribute{"a", Float(math.Copysign(0, -1))})) == 0 {
		t.Error("values that are equal as numbers look the same")
	}
}

// The sum of Integers is exact and clamped, whatever their order.
func TestHostile48SumSaturates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.OneOf(anyValue,
			rapid.SampledFrom([]Value{Int(math.MaxInt64), Int(math.MinInt64)})), 0, 300).Draw(t, "values")
		exact, real, integers, reals := new(big.Int), 0.0, 0, 0
		var s Sum
		for _, v := range values {
			s.Add(v)
			switch v.Type {
			case Integer:
				exact.Add(exact, big.NewInt(v.Integer))
				integers++
			case Real:
				real += v.Real
				reals++
			}
		}
		whole := exact.Int64()
		if !exact.IsInt64() {
			whole = math.MinInt64
			if exact.Sign() > 0 {
				whole = math.MaxInt64
			}
		}
		want, mean := Int(whole), Float((float64(whole)+real)/float64(integers+reals))
		switch {
		case reals > 0:
			want = Float(float64(whole) + real)
		case integers == 0:
			want, mean = Value{}, Value{}
		}
		if !s.Value().Equal(want) || !s.Mean().Equal(mean) {
			t.Fatalf("%v and %v, want %v and %v", s.Value(), s.Mean(), want, mean)
		}
	})
}

// A union has the bits that any of its sets has.
func TestOr(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(anyValue, 0, 6).Draw(t, "values")
		var o Or
		longest, kind := 0, Null
		var before [][]byte
		for _, v := range values {
			o.Add(v)
			before = append(before, slices.Clone(v.Bytes))
			switch {
			case v.Type == Blob:
				longest, kind = max(longest, len(v.Bytes)), Blob
			case v.Type == Integer && kind == Null:
				kind = Integer
			}
		}
		got := o.Value()
		if got.Type != kind {
			t.Fatal(got)
		}
		integers := slices.ContainsFunc(values, func(v Value) bool { return v.Type == Integer })
		if kind == Blob && (len(got.Bytes) != longest && !integers || len(got.Bytes) != max(longest, 8) && integers) {
			t.Fatal(got, longest)
		}
		for i := int64(-1); i < 330; i++ {
			want := false
			for _, v := range values {
				want = want || Bit(v, i).Integer == 1
			}
			if (Bit(got, i).Integer == 1) != want {
				t.Fatalf("bit %d of %v", i, got)
			}
		}
		for i, v := range values {
			if !bytes.Equal(before[i], v.Bytes) {
				t.Fatal("a set was changed")
			}
		}
	})
}

func TestBit(t *testing.T) {
	for _, c := range []struct {
		v    Value
		i    int64
		want Value
	}{
		{Int(5), 0, Int(1)}, {Int(5), 1, Int(0)}, {Int(5), 2, Int(1)}, {Int(-1), 63, Int(1)}, {Int(-1), 64, Int(0)},
		{Int(-1), -1, Int(0)},
		{Bytes([]byte{0x80, 1}), 7, Int(1)}, {Bytes([]byte{0x80, 1}), 8, Int(1)}, {Bytes([]byte{0x80, 1}), 9, Int(0)},
		{Bytes([]byte{0xff}), 8, Int(0)},
		{Bytes([]byte{0xff}), -1, Int(0)}, {Bytes([]byte{0xff}), math.MaxInt64, Int(0)},
		{Bytes([]byte{0xff}), math.MinInt64, Int(0)},
		{Bytes(nil), 0, Int(0)}, {String("a"), 0, Value{}}, {Float(1), 0, Value{}}, {Value{}, 0, Value{}},
	} {
		if got := Bit(c.v, c.i); !got.Equal(c.want) {
			t.Errorf("bit %d of %v is %v", c.i, c.v, got)
		}
	}
}
