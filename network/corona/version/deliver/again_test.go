package deliver

import (
	"testing"
	"time"

	"tidings/network/corona/version/update"
	"tidings/network/engine/enginetest"
)

// At most maxLends contents are looked up at a time, and as many again once the library has answered.
func TestLookupsAreBoundedAtATime(t *testing.T) {
	n, from := newNode(false), enginetest.NewPeer("91")
	u := after(0, update.Hash{}, "text")
	n.version, n.held = u.Version, u.Hash
	for range 3 {
		for range maxLends + 10 {
			n.Answer(from, &Missing{Channel: news.ID, Base: update.Hash{1}})
		}
		n.env.Advance(time.Second)
		if _, answers := sent[*update.Update](n); len(answers) != maxLends {
			t.Errorf("%d requests are answered, want %d", len(answers), maxLends)
		}
	}
}

// An older version that goes down a tree later is not the latest that did, and an older number raises no floor.
func TestOlderNumbersChangeNothing(t *testing.T) {
	n := newNode(false)
	versions := make([]*update.Update, 5)
	for i := range versions {
		versions[i] = &update.Update{Channel: news.ID, Version: uint64(i)}
	}
	n.GoesThrough(versions[4])
	n.env.Advance(passedAge / 2)
	n.GoesThrough(versions[2])
	if n.Outdated(versions[3]) {
		t.Error("an older version is refused that may be on its way")
	}
	n.env.Advance(passedAge / 2)
	for i, u := range versions {
		if n.Outdated(u) != (i < 4) {
			t.Errorf("version %d is outdated: %v", i, !(i < 4))
		}
	}
	for _, c := range []struct{ raise, want uint64 }{{5, 5}, {3, 5}, {7, 7}, {7, 7}, {6, 7}} {
		if n.RaiseFloor(news.ID, c.raise); n.Floor(news.ID) != c.want {
			t.Errorf("after raising it to %d, the next number must be above %d", c.raise, n.Floor(news.ID))
		}
	}
}
