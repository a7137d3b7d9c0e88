package table

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// testAgendaItem is something with a time.
type testAgendaItem struct {
	at, number int
	slot       int32
}

func (d *testAgendaItem) AgendaSlot() *int32 { return &d.slot }
func (d *testAgendaItem) Before(e *testAgendaItem) bool {
	return d.at < e.at || d.at == e.at && d.number < e.number
}

// An agenda gives what it was given in the order of time, whatever was moved and taken out.
func TestAgendaKeepsOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var a Agenda[*testAgendaItem]
		all := make([]*testAgendaItem, 20)
		for i := range all {
			all[i] = &testAgendaItem{number: i}
		}
		for range rapid.IntRange(0, 200).Draw(t, "steps") {
			d := rapid.SampledFrom(all).Draw(t, "which")
			if rapid.Bool().Draw(t, "remove") {
				a.Remove(d)
				continue
			}
			d.at = rapid.IntRange(0, 10).Draw(t, "at")
			a.Put(d)
		}
		var want []*testAgendaItem
		for _, d := range all {
			if d.slot != 0 {
				want = append(want, d)
			}
		}
		slices.SortFunc(want, func(d, e *testAgendaItem) int {
			if d.Before(e) {
				return -1
			}
			return 1
		})
		for _, d := range want {
			first, ok := a.Next()
			if !ok || first != d {
				t.Fatalf("next is %v, want %v", first, d)
			}
			a.Remove(d)
		}
		if _, ok := a.Next(); ok {
			t.Fatal("something is left")
		}
	})
}
