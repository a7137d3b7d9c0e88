package report

import (
	"testing"
	"time"

	"tidings/network/corona/version/update"
)

// The returns of a channel to an earlier content are counted up to maxTurns, and forgotten when there was none for
// turnsLast. A content that is not the doubted one ends the doubt, and counts as one.
func TestDoubts(t *testing.T) {
	var d doubt
	now := time.Hour
	for i := range uint8(2 * maxTurns) {
		d.turn(now)
		if want := min(i+1, maxTurns); d.turns != want {
			t.Errorf("after %d returns it counts %d", i+1, d.turns)
		}
		now += turnsLast
	}
	now++
	if d.turn(now); d.turns != 1 {
		t.Errorf("after more than a day it counts %d", d.turns)
	}
	doubted := update.Hash{1}
	begin := func(verifies int) { d = doubt{hash: doubted, verifies: verifies, busy: true, turns: 1, turned: now} }
	for _, c := range []struct {
		verifies int
		shows    update.Hash
		ends     bool
	}{{3, doubted, false}, {3, update.Hash{}, false}, {3, update.Hash{2}, true}, {0, update.Hash{2}, false}} {
		begin(c.verifies)
		d.sees(c.shows, now)
		ended := d.hash == (update.Hash{}) && d.verifies == 0 && !d.busy && d.turns == 2
		if ended != c.ends || !ended && d.verifies != c.verifies {
			t.Errorf("after %d polls, and one that shows %x: %+v", c.verifies, c.shows[:1], d)
		}
	}
}

// A content counts as seen since the latest was numbered if it was seen later, and after the node's start.
func TestWhatWasSeenSince(t *testing.T) {
	for _, c := range []struct {
		numberedAt, seen time.Duration
		since            bool
	}{{10, 0, false}, {10, 9, false}, {10, 10, false}, {10, 11, true}, {-10, 0, false}, {-10, 1, true}} {
		if w := (contents{numberedAt: c.numberedAt, seen: c.seen}); w.sawSinceNumbered() != c.since {
			t.Errorf("%+v: %v", c, !c.since)
		}
	}
}

// A channel that turns back and forth lets its primary doubt an earlier content for longer. A primary that lacks the
// latest version waits for no more than an interval: no owner could lend that version, which may be an invention.
func TestAVersionThatNobodyHolds(t *testing.T) {
	for _, lacks := range []bool{false, true} {
		n := newNode("51", true)
		n.versions("first", "second")
		for range 3 {
			n.find(news.ID).contents.doubt.turn(n.env.Now())
		}
		n.lacks, n.polls = lacks, 0
		for range 3 {
			n.receives(one, "first")
			n.env.Advance(halfHour)
		}
		if verifies := n.polls > 0; verifies != lacks {
			t.Errorf("the primary lacks the latest version: %t; it polls %d times in an hour for the one before", lacks,
				n.polls)
		}
	}
}
