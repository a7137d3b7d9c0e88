package check

import (
	"fmt"
	"testing"
	"time"

	"tidings/network/engine"
)

func TestJournalForgetsTheOldest(t *testing.T) {
	var j journal
	for i := range journalLength + 3 {
		of := topic
		if i < 5 {
			of = one
		}
		j.add(time.Duration(i), 0, Polled{of})
	}
	if got, want := fmt.Sprint(j.about(one)), "[3ns node 0 polled 4ns node 0 polled]"; got != want {
		t.Errorf("of the first topic %s, want %s", got, want)
	}
	story := j.about(engine.ID{})
	if want := fmt.Sprintf("%v node 0 polled", time.Duration(journalLength+2)); len(story) != storyLength ||
		story[storyLength-1] != want {
		t.Errorf("the story ends with %q, want %q", story[len(story)-1], want)
	}
}
