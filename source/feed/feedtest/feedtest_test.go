package feedtest

import (
	"bytes"
	"testing"
)

// The same seed makes the same documents, another one makes others.
func TestDocumentsFollowFromTheirSeed(t *testing.T) {
	one, again, other := Documents(1), Documents(1), Documents(2)
	if len(one) != len(again) || len(one) != len(other) {
		t.Fatalf("%d, %d and %d documents", len(one), len(again), len(other))
	}
	names, differ := make(map[string]bool, len(one)), 0
	for i := range one {
		if !bytes.Equal(one[i].Body, again[i].Body) || one[i].Name != again[i].Name {
			t.Errorf("%s is made in two ways", one[i].Name)
		}
		if names[one[i].Name] {
			t.Errorf("two documents are called %q", one[i].Name)
		}
		names[one[i].Name] = true
		if !bytes.Equal(one[i].Body, other[i].Body) {
			differ++
		}
	}
	if differ < len(one)*9/10 {
		t.Errorf("only %d of %d documents differ by the seed", differ, len(one))
	}
}

// Every row of the tables is used.
func TestEveryRowIsUsed(t *testing.T) {
	for i := range twists {
		fits := 0
		for f := range formats {
			if twists[i].fits(&formats[f], &charsets[0]) {
				fits++
			}
		}
		if fits == 0 {
			t.Errorf("no format can have %q", twists[i].name)
		}
	}
}

func BenchmarkDocuments(b *testing.B) {
	made := 0
	for b.Loop() {
		made += len(Documents(1))
	}
	b.ReportMetric(float64(made)/b.Elapsed().Seconds(), "documents/s")
}
