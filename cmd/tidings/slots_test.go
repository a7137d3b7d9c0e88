package main

import (
	"testing"
	"time"

	"tidings/view"
)

// hostile 62: status says when channels are not polled in time, and nothing when they are.
func TestStatusShowsSlots(t *testing.T) {
	for want, s := range map[string]view.Status{
		"": {PollingNow: 256, Slots: view.Slots{All: 256, Waited: time.Second}},
		"all 256 slots for polls held; a channel has waited for its turn for 6m0s": {PollingNow: 256, Overdue: 1,
			Slots: view.Slots{All: 256, Waited: 6 * time.Minute}},
		"3 checks overran and given up, 1 hang still": {Slots: view.Slots{All: 256, Overran: 3, Hanging: 1}},
	} {
		if got := slotWords(s); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
