package newswire_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"tidings/network/engine"
	"tidings/network/routers/newswire"
)

// A filter claims every topic that it was made of, also where it was joined with others by OR (NewsWire, section 6).
func TestFiltersNeverDeny(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newswire.Shape{Bits: 8 * rapid.IntRange(1, 256).Draw(t, "bytes"),
			Hashes: rapid.IntRange(1, 5).Draw(t, "hashes")}
		topic := rapid.Custom(func(t *rapid.T) engine.ID {
			return engine.IDOf(rapid.SliceOfN(rapid.Byte(), 4, 4).Draw(t,
				"topic"))
		})
		a := rapid.SliceOfN(topic, 0, 20).Draw(t, "a")
		b := rapid.SliceOfN(topic, 0, 20).Draw(t, "b")
		f := s.Filter(a)
		for i, x := range s.Filter(b) {
			f[i] |= x
		}
		for _, id := range append(a, b...) {
			if !newswire.Has(s, f, id) {
				t.Fatalf("%v is denied", id)
			}
			if other := engine.IDOf(id[:]); !newswire.Has(s, f, other, id) || !newswire.Has(s, f, id, other) {
				t.Fatalf("%v is denied beside another", id)
			}
		}
		if len(a)+len(b) == 0 && newswire.Has(s, f, engine.IDOf(nil)) {
			t.Fatal("an empty filter claims something")
		}
	})
}

// False claims are as many as the formula for Bloom filters says: (1-(1-1/m)^(k s))^k for s topics in m bits with k
// hashes.
func TestFalseClaims(t *testing.T) {
	chance := rand.New(rand.NewPCG(1, 1))
	draw := func() engine.ID { return engine.DrawID(chance) }
	for _, test := range []struct{ bits, hashes, topics int }{
		{1024, 1, 10}, {1024, 1, 300}, {1024, 3, 100}, {1024, 3, 10}, {256, 1, 50}, {4096, 3, 1000}, {1 << 15, 1, 5000},
	} {
		t.Run(fmt.Sprint(test), func(t *testing.T) {
			s := newswire.Shape{Bits: test.bits, Hashes: test.hashes}
			const filters, draws = 50, 2000
			claims := 0
			for range filters {
				topics := make([]engine.ID, test.topics)
				for i := range topics {
					topics[i] = draw()
				}
				f := s.Filter(topics)
				for range draws {
					if newswire.Has(s, f, draw()) {
						claims++
					}
				}
			}
			got := float64(claims) / filters / draws
			want := math.Pow(1-math.Pow(1-1/float64(test.bits), float64(test.hashes*test.topics)), float64(test.hashes))
			if math.Abs(got-want) > 0.05*want+3*math.Sqrt(want/filters/draws) {
				t.Errorf("%.5f false claims, %.5f by the formula", got, want)
			}
		})
	}
}

// Filters of other sizes, as hostile rows may have, claim nothing beyond their end and do no harm.
func TestFiltersOfOtherSizes(t *testing.T) {
	s := newswire.Shape{Bits: 1024, Hashes: 2}
	topic := engine.IDOf([]byte("topic"))
	whole := s.Filter([]engine.ID{topic})
	for n := range len(whole) + 1 {
		if newswire.Has(s, whole[:n], topic) && n < len(whole)/8 {
			t.Errorf("%d bytes claim the topic", n)
		}
	}
	if !newswire.Has(s, append(whole, 1, 2, 3), topic) || newswire.Has(s, nil, topic) {
		t.Error("a longer filter denies the topic, or none claims it")
	}
	if newswire.Has(s, whole) {
		t.Error("an item without topics is claimed")
	}
}

// A shape has bounds, and is refused beyond them.
func TestShapes(t *testing.T) {
	for s, ok := range map[newswire.Shape]bool{
		{8, 1}: true, {1024, 1}: true, {1 << 15, 5}: true,
		{0, 1}: false, {7, 1}: false, {12, 1}: false, {1<<15 + 8, 1}: false, {1024, 0}: false, {1024, 6}: false,
		{-8, 1}: false,
	} {
		if err := s.Validate(); (err == nil) != ok {
			t.Errorf("%v: %v", s, err)
		}
	}
}
