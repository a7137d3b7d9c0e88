package publish

import (
	"testing"
	"time"

	"tidings/store/published"
)

// The signed time never goes back, whatever the clock does, and not behind what is kept.
func TestTimeThatIsSignedGoesOn(t *testing.T) {
	ahead := time.Now().Add(time.Hour).Truncate(time.Millisecond)
	n := newNumbering(published.Publication{Next: 4, Last: ahead})
	if at := n.now(time.Time{}); !at.Equal(ahead) {
		t.Errorf("after a start the time is %s, not %s", at, ahead)
	}
	later := ahead.Add(time.Minute)
	if at := n.now(later); !at.Equal(later) {
		t.Errorf("the time is %s, behind what is kept", at)
	}
	if at := n.now(time.Time{}); !at.Equal(later) {
		t.Errorf("the time has gone back to %s", at)
	}
}

// All was given to FeedTree when the last number that is kept was.
func TestAllIsHandedWithTheLast(t *testing.T) {
	n := newNumbering(published.Publication{Next: 4})
	says := func(when string, last uint64, all bool) {
		t.Helper()
		if l, a := n.said(); l != last || a != all {
			t.Errorf("%s: the last is %d, all given: %v; want %d, %v", when, l, a, last, all)
		}
	}
	says("at first", 3, true)
	n.kept(5)
	says("with two more", 5, false)
	n.gave(5)
	n.gave(4)
	says("when the last was given", 5, true)
	if last := n.restart(5); last != 5 {
		t.Errorf("it goes on after %d", last)
	}
	says("when it begins again", 5, false)
	if last := n.restart(0); last != 5 {
		t.Errorf("with nothing to send it goes on after %d", last)
	}
	says("with nothing known to be sent", 5, false)
	n.raise(10, 11)
	says("above others' numbers", 11, false)
	n.raise(20, 19)
	says("with nothing that was to be sent", 19, true)
}
