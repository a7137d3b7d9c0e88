package update

import (
	"testing"

	"pgregory.net/rapid"
)

var hashes = rapid.Custom(func(t *rapid.T) (h Hash) {
	copy(h[:], rapid.SliceOfN(rapid.Byte(), len(h), len(h)).Draw(t, "hash"))
	return h
})

// Whatever time of modification is claimed, numbers rise strictly, stay below 2^63, and belong to
// their contents.
func TestNumbersRise(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		last := uint64(0)
		for _, h := range rapid.SliceOfN(hashes, 1, 20).Draw(t, "contents") {
			next, ok := Follow(last, h, rapid.Int64().Draw(t, "modified"), rapid.Uint64().Draw(t, "latest"))
			if !ok || next <= last || next>>63 != 0 || !Numbers(h, next) {
				t.Fatalf("after %x comes %x, %v", last, next, ok)
			}
			last = next
		}
	})
}

// Two nodes that number independently assign one content after one version the same number, and different contents
// different ones.
func TestNumbersOfTwoPrimaries(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		last := uint64(rapid.Uint32().Draw(t, "last"))<<TagBits | 7
		a, b := hashes.Draw(t, "a"), hashes.Draw(t, "b")
		at := rapid.Int64Range(0, 1<<41).Draw(t, "modified")
		one, _ := Follow(last, a, at, MaxModified)
		same, _ := Follow(last, a, at, MaxModified)
		other, _ := Follow(last, b, at, MaxModified)
		if one != same || (one == other) != (TagOf(a) == TagOf(b)) {
			t.Fatalf("%x, %x and %x", one, same, other)
		}
		if TagOf(a) != TagOf(b) && Numbers(b, one) {
			t.Fatalf("%x could be the number of both", one)
		}
	})
}

func TestLastNumber(t *testing.T) {
	h := Hash{1, 2, 3}
	if last, ok := Follow((MaxCounter-1)<<TagBits, h, 0, 0); !ok || !Numbers(h, last) {
		t.Errorf("%x, %v", last, ok)
	}
	if next, ok := Follow(MaxCounter<<TagBits, h, 0, 0); ok {
		t.Errorf("after the last comes %x", next)
	}
}

// A version's number is its modification time, in seconds, if that is above the last number, possible by now, and not
// so far ahead that it would use up numbers. Otherwise it is the next number.
func TestNumbersByModification(t *testing.T) {
	t.Parallel()
	h := Hash{1, 2, 3}
	for what, c := range map[string]struct {
		last         uint64
		modified     int64
		latest, want uint64
	}{
		"later":              {100, 5_000_999, 9000, 5000},
		"the latest":         {100, 9_000_000, 9000, 9000},
		"beyond the latest":  {100, 9_001_000, 9000, 101},
		"before the last":    {100, 50_000, 9000, 101},
		"the last":           {100, 100_000, 9000, 101},
		"none":               {100, 0, 9000, 101},
		"before all times":   {100, -5_000_000, 9000, 101},
		"almost too far":     {100, (MaxModified - 1) * 1000, 1 << 40, MaxModified - 1},
		"too far":            {100, MaxModified * 1000, 1 << 40, 101},
		"the first, undated": {0, 0, 9000, 1},
	} {
		got, ok := Follow(c.last<<TagBits|5, h, c.modified, c.latest)
		if want := c.want<<TagBits | TagOf(h); !ok || got != want {
			t.Errorf("%s: number %x, not %x", what, got, want)
		}
	}
}
