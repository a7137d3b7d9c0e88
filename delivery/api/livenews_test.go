package api

import (
	"strings"
	"testing"

	"tidings"
)

// Once an item is withdrawn, nothing of it is kept for streams. A stream that is behind reads the store.
func TestStreamsForgetWhatIsWithdrawn(t *testing.T) {
	f := &liveFeed{grown: make(chan struct{})}
	grow := func(id int64, n *tidings.News) {
		t.Helper()
		frames, err := framesOf([]tidings.Update{{ID: id, Items: []tidings.Item{{Title: "T", News: n}}}})
		if err != nil {
			t.Fatal(err)
		}
		f.grow(frames, 10, 1000000)
	}
	grow(1, nil)
	grow(2, &tidings.News{GUID: "a", Headline: "SECRET"})
	if frames, _, ok := f.after(0); !ok || len(frames) != 2 {
		t.Fatalf("%d frames, %v", len(frames), ok)
	}
	grow(3, &tidings.News{GUID: "a", Status: tidings.Canceled})
	grow(4, nil)
	if _, _, ok := f.after(1); ok {
		t.Error("a stream that is behind is not sent to the store")
	}
	frames, _, ok := f.after(2)
	if !ok || len(frames) != 2 || frames[0].id != 3 || frames[1].id != 4 {
		t.Errorf("%+v, %v", frames, ok)
	}
	for _, x := range f.frames {
		if strings.Contains(string(x.event), "SECRET") {
			t.Errorf("kept: %s", x.event)
		}
	}
}
