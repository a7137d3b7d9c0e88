package live

import (
	"slices"
	"testing"
)

// The loop handles the peers in turn, so that a peer that sends much delays no other.
func TestInboxIsFair(t *testing.T) {
	box := newInbox()
	limits := Limits{InboxMessages: 10, InboxBytes: 1000}
	var flows []*inflow
	for range 3 {
		flows = append(flows, box.flow(&link{}, limits))
	}
	for range 10 {
		flows[0].offer(arrival{message: aWord(0), size: 1})
	}
	if flows[0].offer(arrival{message: aWord(0), size: 1}) || !flows[0].isBlocked() {
		t.Error("an eleventh message was accepted")
	}
	flows[1].offer(arrival{message: aWord(1), size: 5000}) // one always fits
	if flows[1].offer(arrival{message: aWord(1), size: 1}) {
		t.Error("more bytes than the bound were accepted")
	}
	flows[2].offer(arrival{message: aWord(2), size: 1})
	var got []uint64
	for range 5 {
		_, a, _ := box.next()
		got = append(got, numberOf(a.message))
	}
	if !slices.Equal(got, []uint64{0, 1, 2, 0, 0}) {
		t.Errorf("received from %v", got)
	}
}
