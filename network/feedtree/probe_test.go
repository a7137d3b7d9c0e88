package feedtree_test

import (
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/feedtree"
)

// deepArchive has all items up to one, and notes which are asked for.
type deepArchive struct {
	l     *lone
	last  uint64
	asked []uint64
}

func (a *deepArchive) Find(_ engine.ID, number uint64, found func(*feedtree.Item, *feedtree.Withdrawal)) {
	a.asked = append(a.asked, number)
	a.l.After(time.Millisecond, func() {
		if number <= a.last {
			found(signedItem(number, loneTime, "news"), nil)
		} else {
			found(nil, nil)
		}
	})
}

// A publisher's node that was restored from an old copy finds exactly how far it had come in the archive. It needs
// about two questions for each doubling. If the answer is always that the number exists, the probe still ends, and its
// steps never exceed 2^32.
func TestProbesFindTheLast(t *testing.T) {
	const own, widest = 3, 1 << 32
	for _, last := range []uint64{0, 3, 4, 5, 6, 7, 11, 12, 100, 1000, 1 << 20, 3 * widest} {
		a := &deepArchive{last: last}
		l := newLoneWith(feedtree.Default(), a)
		a.l = l
		if err := l.Author(feedtree.Authoring{Topic: loneTopic, Last: own}); err != nil {
			t.Fatal(err)
		}
		l.Advance(time.Minute)
		at, steps := uint64(own), 0
		for _, number := range a.asked {
			if number <= at || number-at > widest {
				t.Fatalf("last %d: number %d is asked for when %d is known", last, number, at)
			}
			if steps++; number <= last {
				at = number
			}
		}
		want := max(last, own)
		if last <= widest && at != want || last > widest && at < 2*widest {
			t.Errorf("last %d: it comes to %d", last, at)
		}
		most := 2
		for far := want - own; far > 0; far /= 2 {
			most += 2
		}
		if steps > most {
			t.Errorf("last %d: %d questions, not %d", last, steps, most)
		}
		overtaken := uint64(0)
		for _, e := range l.Traced() {
			if e, ok := e.(feedtree.Overtaken); ok {
				overtaken = max(overtaken, e.Last)
			}
		}
		if last > own && overtaken != at || last <= own && overtaken != 0 {
			t.Errorf("last %d: it is overtaken by %d", last, overtaken)
		}
	}
}
