package engine

import (
	"math/big"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// The oracle is arithmetic of numbers of any length.
var ring = new(big.Int).Lsh(big.NewInt(1), Bits)

func number(id ID) *big.Int { return new(big.Int).SetBytes(id[:]) }

func modRing(n *big.Int) *big.Int { return new(big.Int).Mod(n, ring) }

// apartByNumbers is the shorter way round between a and b.
func apartByNumbers(a, b ID) *big.Int {
	there, back := modRing(new(big.Int).Sub(number(b), number(a))), modRing(new(big.Int).Sub(number(a), number(b)))
	if there.Cmp(back) < 0 {
		return there
	}
	return back
}

// idNear draws IDs of which many share a prefix, lie next to each other, or lie opposite.
func idNear(t *rapid.T, name string, other ID) ID {
	switch rapid.IntRange(0, 4).Draw(t, name+" how") {
	case 0:
		return other
	case 1: // share a prefix
		bit := rapid.IntRange(0, Bits-1).Draw(t, name+" bit")
		other[bit/8] ^= 0x80 >> (bit % 8)
		return other
	case 2, 3: // a small step away from the other, or from what lies opposite
		step := big.NewInt(rapid.Int64Range(-3, 3).Draw(t, name+" step"))
		if rapid.Bool().Draw(t, name+" opposite") {
			step.Add(step, new(big.Int).Rsh(ring, 1))
		}
		var id ID
		modRing(step.Add(step, number(other))).FillBytes(id[:])
		return id
	}
	return ID(rapid.SliceOfN(rapid.Byte(), len(ID{}), len(ID{})).Draw(t, name))
}

func drawIDs(t *rapid.T) (a, b, c ID) {
	a = idNear(t, "a", ID{})
	b = idNear(t, "b", a)
	return a, b, idNear(t, "c", b)
}

func TestRingArithmetic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, _ := drawIDs(t)
		if got, want := number(a.Clockwise(b)), modRing(new(big.Int).Sub(number(b), number(a))); got.Cmp(want) != 0 {
			t.Errorf("clockwise from %v to %v: %x, want %x", a, b, got, want)
		}
		if got, want := number(a.Distance(b)), apartByNumbers(a, b); got.Cmp(want) != 0 {
			t.Errorf("distance of %v and %v: %x, want %x", a, b, got, want)
		}
		if a.Distance(b) != b.Distance(a) {
			t.Errorf("the distance of %v and %v depends on the direction", a, b)
		}
		if got, want := a.Compare(b), number(a).Cmp(number(b)); got != want {
			t.Errorf("compare %v and %v: %d, want %d", a, b, got, want)
		}
		position, _ := new(big.Rat).SetFrac(number(a), ring).Float64()
		if got := a.Position(); got < 0 || got >= 1 || position-got > 1e-15 || got-position > 1e-15 {
			t.Errorf("position of %v: %v, want %v", a, got, position)
		}
	})
}

func TestPrefixes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, _ := drawIDs(t)
		different := new(big.Int).Xor(number(a), number(b))
		if got, want := a.CommonBits(b), Bits-different.BitLen(); got != want {
			t.Errorf("common bits of %v and %v: %d, want %d", a, b, got, want)
		}
		k := rapid.SampledFrom([]int{1, 2, 4, 8}).Draw(t, "k")
		common := 0
		for common < Bits/k && digitByNumbers(a, common, k) == digitByNumbers(b, common, k) {
			common++
		}
		if got := a.CommonDigits(b, k); got != common {
			t.Errorf("common digits of base 2^%d of %v and %v: %d, want %d", k, a, b, got, common)
		}
	})
}

// digitByNumbers is the i-th digit of base 2^k.
func digitByNumbers(a ID, i, k int) int {
	shifted := new(big.Int).Rsh(number(a), uint(Bits-(i+1)*k))
	return int(shifted.And(shifted, big.NewInt(1<<k-1)).Int64())
}

func TestDigits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, _, _ := drawIDs(t)
		k := rapid.SampledFrom([]int{1, 2, 4, 8}).Draw(t, "k")
		i := rapid.IntRange(0, Bits/k-1).Draw(t, "i")
		d := rapid.IntRange(0, 1<<k-1).Draw(t, "d")
		if got, want := a.Digit(i, k), digitByNumbers(a, i, k); got != want {
			t.Errorf("digit %d of base 2^%d of %v: %d, want %d", i, k, a, got, want)
		}
		behind := uint(Bits - (i+1)*k)
		want := new(big.Int).Rsh(number(a), behind+uint(k))
		want.Add(want.Lsh(want, uint(k)), big.NewInt(int64(d))).Lsh(want, behind)
		if got := number(a.WithDigit(i, k, d)); got.Cmp(want) != 0 {
			t.Errorf("%v with digit %d of base 2^%d set to %d: %x, want %x", a, i, k, d, got, want)
		}
	})
}

// Closer is a strict total order around every key: all nodes that compare the same IDs, in
// whatever order, find the same closest one.
func TestCloserIsStrictTotalOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := drawIDs(t)
		key := idNear(t, "key", rapid.SampledFrom([]ID{a, b, c}).Draw(t, "key near"))
		want := apartByNumbers(key, a).Cmp(apartByNumbers(key, b))
		if want == 0 {
			want = number(a).Cmp(number(b))
		}
		switch {
		case Closer(key, a, b) != (want < 0):
			t.Errorf("around %v: %v closer than %v: %v", key, a, b, want >= 0)
		case a != b && Closer(key, a, b) == Closer(key, b, a), a == b && Closer(key, a, b):
			t.Errorf("around %v: %v and %v have no order", key, a, b)
		case Closer(key, a, b) && Closer(key, b, c) && !Closer(key, a, c):
			t.Errorf("around %v: %v, %v, %v go in a circle", key, a, b, c)
		}
	})
}

func TestClosest(t *testing.T) {
	if got := Closest(ID{}, nil); got != -1 {
		t.Errorf("of no peers the closest is %d, want -1", got)
	}
	rapid.Check(t, func(t *rapid.T) {
		key := idNear(t, "key", ID{})
		peers := make([]Peer, rapid.IntRange(1, 6).Draw(t, "peers"))
		for i := range peers {
			peers[i].ID = idNear(t, "peer", key)
		}
		got := Closest(key, peers)
		for i, p := range peers {
			if Closer(key, p.ID, peers[got].ID) || p.ID == peers[got].ID && i < got {
				t.Errorf("closest to %v of %v is %d, but %d is closer", key, peers, got, i)
			}
		}
		turned := slices.Clone(peers)
		slices.Reverse(turned)
		if other := Closest(key, turned); turned[other].ID != peers[got].ID {
			t.Errorf("the closest to %v of %v depends on their order", key, peers)
		}
	})
}

func TestIDText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, _, _ := drawIDs(t)
		back, err := ParseID(a.String())
		if err != nil || back != a {
			t.Errorf("%v comes back as %v, %v", a, back, err)
		}
		if back, err = ParseID(strings.ToUpper(a.String())); err != nil || back != a {
			t.Errorf("%v in capitals comes back as %v, %v", a, back, err)
		}
		if !strings.HasPrefix(a.String(), a.Short()) || len(a.Short()) != 8 {
			t.Errorf("%v is %q in short", a, a.Short())
		}
		digits := rapid.IntRange(0, 40).Draw(t, "digits")
		if p := PrefixID(a.String()[:digits]); a.CommonDigits(p, 4) < digits ||
			number(p).TrailingZeroBits() < uint(4*(40-digits)) && number(p).Sign() != 0 {
			t.Errorf("the first %d digits of %v are %v", digits, a, p)
		}
	})
}

func TestPrefixIDPanics(t *testing.T) {
	for _, digits := range []string{"g", "0x", strings.Repeat("0", 41)} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("PrefixID(%q) returned", digits)
				}
			}()
			PrefixID(digits)
		}()
	}
}

func FuzzParseID(f *testing.F) {
	for _, seed := range []string{"", strings.Repeat("0", 40), strings.Repeat("fF", 20), strings.Repeat("0", 39) + "g",
		strings.Repeat("é", 20), strings.Repeat("a", 41)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		id, err := ParseID(s)
		switch {
		case err == nil && id.String() != strings.ToLower(s):
			t.Errorf("%q is read as %v", s, id)
		case err != nil && id != ID{}:
			t.Errorf("%q gives %v with an error", s, id)
		case err != nil && len(s) == 40 && strings.Trim(s, "0123456789abcdefABCDEF") == "":
			t.Errorf("%q is refused: %v", s, err)
		}
		var m ID
		if got := m.UnmarshalText([]byte(s)); (got == nil) != (err == nil) || m != id {
			t.Errorf("%q is %v as text of a document, %v alone", s, m, id)
		}
	})
}

func BenchmarkID(b *testing.B) {
	key, x, y := IDOf([]byte("key")), IDOf([]byte("x")), IDOf([]byte("y"))
	peers := make([]Peer, 16)
	for i := range peers {
		peers[i].ID = IDOf([]byte{byte(i)})
	}
	for _, bench := range []struct {
		name string
		run  func() int
	}{
		{"CommonBits", func() int { return x.CommonBits(y) }},
		{"CommonDigits", func() int { return x.CommonDigits(y, 4) }},
		{"Digit", func() int { return x.Digit(7, 4) }},
		{"WithDigit", func() int { return int(x.WithDigit(7, 4, 9)[3]) }},
		{"Distance", func() int { return int(x.Distance(y)[0]) }},
		{"Closer", func() int {
			if Closer(key, x, y) {
				return 1
			}
			return 0
		}},
		{"ClosestOf16", func() int { return Closest(key, peers) }},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				sink += bench.run()
			}
		})
	}
}

var sink int
