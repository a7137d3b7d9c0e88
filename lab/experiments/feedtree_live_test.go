package experiments

import (
	"testing"

	"tidings/lab"
)

// A few whole nodes are pushed what is edited and published, each item once, also by a publisher that is killed.
func TestFeedtreeLive(t *testing.T) {
	if testing.Short() {
		t.Skip("runs whole nodes for half a minute")
	}
	r, err := lab.Try(t.Context(), FeedtreeLive, lab.Options{Scale: lab.Tiny, Seed: 1, Seeds: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Failed() {
		t.Errorf("%s is %v", f.Name, f.Here)
	}
	for _, f := range r.Figures {
		t.Logf("%s: %v", f.Name, f.Here)
	}
	if _, err := r.Save(t.TempDir()); err != nil {
		t.Error(err)
	}
}
