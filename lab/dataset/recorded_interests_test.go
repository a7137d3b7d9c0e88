package dataset

import (
	"errors"
	"slices"
	"testing"
)

// What was recorded is as many people and interests as its description says, each once.
func TestRecordedInterests(t *testing.T) {
	NeedDir(t)
	for _, test := range []struct {
		of                       RecordedInterests
		people, interests, pairs int
	}{
		{DeezerTopics, 47_538, 84, 284_901},
		{LastFMArtists, 1_135, 12_876, 55_787},
	} {
		people, err := test.of.Read()
		if err != nil {
			t.Fatal(err)
		}
		pairs, interests := 0, make(map[int]bool)
		for i, all := range people {
			if len(all) == 0 || len(slices.Compact(slices.Clone(all))) != len(all) {
				t.Fatalf("%s: person %d follows %v", test.of.file, i, all)
			}
			pairs += len(all)
			for _, n := range all {
				interests[n] = true
			}
		}
		if len(people) != test.people || len(interests) != test.interests || pairs != test.pairs {
			t.Errorf("%s: %d people follow %d of %d interests", test.of.file, len(people), pairs, len(interests))
		}
	}
}

// Where the recorded documents are not at hand, that is said.
func TestInterestsThatAreNotAtHand(t *testing.T) {
	t.Setenv(EnvDir, t.TempDir())
	if _, err := DeezerTopics.Read(); !errors.Is(err, ErrMissing) {
		t.Errorf("got %v, want ErrMissing", err)
	}
}
