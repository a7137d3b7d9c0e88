package node

import (
	"slices"
	"testing"

	"tidings"
)

// What a publisher has made of an entry stays, though what it made of it before comes later. What is new in that is
// told.
func TestALatePushDoesNotUndoALaterOne(t *testing.T) {
	n := newGiven(t)
	topic, items := n.signedOf(7, 8, 7)
	for _, number := range []int{3, 1, 2} {
		if stored, err := n.pushes.Take(t.Context(), topic, items[number-1:number]); err != nil || stored != 1 {
			t.Fatalf("of item %d %d are stored: %v", number, stored, err)
		}
	}
	entries, err := n.store.Entries(t.Context(), tidings.Owner, tidings.EntryQuery{})
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, e := range entries {
		ids = append(ids, e.Content.ID) // a change would be another entry
	}
	slices.Sort(ids)
	if want := []string{"guid-7", "guid-8"}; !slices.Equal(ids, want) {
		t.Errorf("told are %v, not %v", ids, want)
	}
	if pin, err := n.store.PinOf(t.Context(), n.url); err != nil || pin.Have != 3 {
		t.Errorf("up to %d all are here: %v", pin.Have, err)
	}
}
