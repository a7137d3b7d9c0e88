package interest_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"tidings/network/engine"
	"tidings/network/routers/spidercast/interest"
)

func topics(from, count int) (ids []engine.ID) {
	for i := range count {
		ids = append(ids, engine.IDOf(fmt.Append(nil, "topic ", from+i)))
	}
	return ids
}

// Whatever its form, a set has what it was made of; an exact one has nothing else.
func TestSetHasItsTopics(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		count := rapid.IntRange(0, 3000).Draw(t, "count")
		exact := rapid.IntRange(0, interest.MaxExact).Draw(t, "exact")
		ids := topics(0, count)
		s := interest.Of(ids, exact)
		if err := s.Validate(); err != nil || len(s) > interest.MaxBytes {
			t.Fatalf("%d topics make an invalid set of %d bytes: %v", count, len(s), err)
		}
		if want := count <= exact; s.Exact() != want {
			t.Fatalf("exact is %v with %d topics of %d", s.Exact(), count, exact)
		}
		for _, id := range ids {
			if !s.Has(interest.NameOf(id)) {
				t.Fatalf("a topic is denied")
			}
		}
		if !s.Exact() {
			if n := s.Len(); n < count*9/10-5 || n > count*11/10+5 {
				t.Fatalf("a filter of %d topics is estimated at %d", count, n)
			}
			return
		}
		for _, id := range topics(10_000, 50) {
			if s.Has(interest.NameOf(id)) {
				t.Fatalf("an exact set claims what it has not")
			}
		}
		if s.Len() != count || len(s.Names()) != count {
			t.Fatalf("%d topics are counted as %d", count, s.Len())
		}
	})
}

// A filter seldom claims topics that it does not have: 1 in 120 up to 1,600 topics, where it has ten bits for each.
func TestFilterErrsSeldom(t *testing.T) {
	for count, most := range map[int]float64{65: 0.012, 400: 0.012, 1600: 0.012, 5000: 0.3} {
		s := interest.Of(topics(0, count), 64)
		false := 0
		for _, id := range topics(1_000_000, 20_000) {
			if s.Has(interest.NameOf(id)) {
				false++
			}
		}
		if rate := float64(false) / 20_000; rate > most {
			t.Errorf("a filter of %d topics (%d bytes) claims %.4f of all others", count, len(s), rate)
		}
	}
}

// Topics that two sets have in common are counted, also where one of them is a filter.
func TestCommon(t *testing.T) {
	small, other, large := interest.Of(topics(0, 10), 64), interest.Of(topics(7, 10), 64),
		interest.Of(topics(5, 500), 64)
	for _, test := range []struct {
		name string
		a, b interest.Set
		want int
	}{
		{"two lists", small, other, 3}, {"a list and a filter", small, large, 5},
		{"a filter and a list", large, small, 5},
		{"two filters", large, large, 0}, {"nothing", nil, small, 0},
	} {
		if got := interest.Common(test.a, test.b); got != test.want {
			t.Errorf("%s have %d in common, want %d", test.name, got, test.want)
		}
	}
}

// Bytes of strangers are either refused, or every question can be asked of them.
func FuzzSet(f *testing.F) {
	seeds := []interest.Set{nil, interest.Of(topics(0, 1), 64), interest.Of(topics(0, 64), 64),
		interest.Of(topics(0, 65), 64), interest.Of(topics(0, 9000), 64)}
	for _, s := range seeds {
		if s.Validate() != nil {
			f.Fatal("a seed is no set")
		}
		f.Add([]byte(s))
	}
	f.Add([]byte{8: 0})
	f.Add(slices.Repeat([]byte{7}, 16))
	f.Add(slices.Repeat([]byte{0xff}, 65))
	f.Fuzz(func(t *testing.T, data []byte) {
		s := interest.Set(data)
		if s.Validate() != nil {
			return
		}
		if s.Len() < 0 {
			t.Errorf("a set of %d topics", s.Len())
		}
		s.Has(interest.Name(1))
		interest.Common(s, interest.Of(topics(0, 3), 64))
		if s.Exact() {
			names := s.Names()
			if again := interest.List(names); !slices.Equal(again, s) {
				t.Errorf("%x becomes %x", []byte(s), []byte(again))
			}
			for _, n := range names {
				if !s.Has(n) {
					t.Errorf("%x denies %x", []byte(s), n)
				}
			}
		}
	})
}

// What is no set is known as such.
func TestInvalidSets(t *testing.T) {
	filter := interest.Of(topics(0, 65), 64)
	for name, s := range map[string]interest.Set{
		"names that fall":   {8: 0, 15: 0},
		"a name twice":      append(interest.Of(topics(0, 1), 64), interest.Of(topics(0, 1), 64)...),
		"a cut name":        make(interest.Set, 9),
		"a short filter":    append(interest.Set{7}, make([]byte, 32)...),
		"an odd filter":     append(interest.Set{7}, make([]byte, 96)...),
		"a long filter":     append(interest.Set{7}, make([]byte, 2*interest.MaxFilter)...),
		"no hashes":         append(interest.Set{0}, filter[1:]...),
		"too many hashes":   append(interest.Set{8}, filter[1:]...),
		"a byte too little": filter[:len(filter)-2],
	} {
		if s.Validate() == nil {
			t.Errorf("%s: passes as a set", name)
		}
	}
}
