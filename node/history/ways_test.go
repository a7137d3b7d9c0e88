package history

import (
	"fmt"
	"slices"
	"testing"
)

// The way through a channel's documents is known up to where it was read, until enough others have been read.
func TestWays(t *testing.T) {
	var w ways
	if _, known := w.to("channel", ""); known {
		t.Error("a way is known that nobody went")
	}
	w.keep("channel", []string{"3", "2"})
	w.keep("channel", []string{"3", "2", "1"})
	if before, known := w.to("channel", "1"); !known || !slices.Equal(before, []string{"3", "2"}) {
		t.Errorf("the way to a document is %q, %v", before, known)
	}
	for _, of := range [][2]string{{"channel", "0"}, {"other", "1"}, {"channel", ""}} {
		if _, known := w.to(of[0], of[1]); known {
			t.Errorf("a way is known to %q", of)
		}
	}
	for i := range maxWays - 1 {
		w.keep(fmt.Sprint(i), nil)
	}
	if _, known := w.to("channel", "1"); !known {
		t.Error("a way is forgotten too early")
	}
	w.keep("last", nil)
	if _, known := w.to("channel", "1"); known || len(w.known) != maxWays {
		t.Errorf("%d ways are known", len(w.known))
	}
}
