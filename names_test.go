package tidings_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"tidings"
)

// Names are sorted as people count.
func TestCompareNames(t *testing.T) {
	want := []string{"", "2", "10", "Feed", "feed 2", "Feed 02 b", "Feed 10", "feed 010 b", "Feed x", "zebra", "Ärger"}
	got := slices.Clone(want)
	slices.Reverse(got)
	slices.SortFunc(got, tidings.CompareNames)
	if !slices.Equal(got, want) {
		t.Errorf("sorted: %q, want %q", got, want)
	}
	name := rapid.StringMatching(`[a-bA-B0-2 ]{0,6}`)
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := name.Draw(t, "a"), name.Draw(t, "b"), name.Draw(t, "c")
		if tidings.CompareNames(a, b) != -tidings.CompareNames(b, a) || (tidings.CompareNames(a, b) == 0) != (a == b) {
			t.Fatalf("%q and %q: %d and %d", a, b, tidings.CompareNames(a, b), tidings.CompareNames(b, a))
		}
		if tidings.CompareNames(a, b) < 0 && tidings.CompareNames(b, c) < 0 && tidings.CompareNames(a, c) >= 0 {
			t.Fatalf("%q < %q < %q, but not the first and last", a, b, c)
		}
	})
}
