package engine

import (
	"math"
	"testing"

	"github.com/fxamacker/cbor/v2"
)

// Numbers with a point are as short as another encoder makes them.
func TestFloats(t *testing.T) {
	mode, err := cbor.CoreDetEncOptions().EncMode()
	if err != nil {
		t.Fatal(err)
	}
	check := func(f float64) {
		want, err := mode.Marshal(f)
		if err != nil {
			t.Fatal(err)
		}
		got := appendFloat(nil, f)
		if string(got) != string(want) || floatSize(f) != len(got) {
			t.Errorf("%v is %x of size %d, want %x", f, got, floatSize(f), want)
		}
		m, n, rest, err := readHead(got)
		if m != majorSimple || n != math.Float64bits(f) || len(rest) > 0 || err != nil {
			t.Errorf("%x is read as %v, %v", got, math.Float64frombits(n), err)
		}
	}
	for h := range 1 << 16 { // all of half precision, their neighbours, and beyond
		f := fromHalf(uint16(h))
		if !isFinite(f) {
			continue
		}
		check(f)
		check(float64(math.Nextafter32(float32(f), 1)))
		check(float64(math.Nextafter32(float32(f), -70000)))
		check(math.Nextafter(f, 1e9))
	}
	for exponent := -1074; exponent < 1024; exponent++ { // all powers of two, and sums of two
		f := math.Ldexp(1, exponent)
		check(f)
		check(-f - math.Ldexp(f, -10))
		check(f + math.Ldexp(f, -11))
		check(f + math.Ldexp(f, -23))
		check(f + math.Ldexp(f, -24))
	}
	for _, f := range []float64{math.MaxFloat64, math.MaxFloat32, 65504, 65519, 65520, math.SmallestNonzeroFloat32} {
		check(f)
		check(-f)
	}
}
