package feedtree_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/feedtree"
)

// A node publishes on so many topics and no more, on each once, and what it ends makes room.
func TestAuthoredTopicsAreBounded(t *testing.T) {
	c := feedtree.Default()
	c.MaxAuthored = 2
	l := newLoneWith(c, nil)
	author := func(i int) error {
		return l.Author(feedtree.Authoring{Topic: engine.IDOf(fmt.Append(nil, "topic ", i))})
	}
	for round := range 3 {
		if err := errors.Join(author(2*round), author(2*round+1)); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		if err := author(2 * round); !errors.Is(err, feedtree.ErrKnown) {
			t.Errorf("round %d: the same again: %v", round, err)
		}
		if err := author(99); !errors.Is(err, feedtree.ErrFull) {
			t.Errorf("round %d: a third: %v", round, err)
		}
		l.Unauthor(engine.IDOf([]byte("nothing")))
		for i := range 2 {
			l.Unauthor(engine.IDOf(fmt.Append(nil, "topic ", 2*round+i)))
		}
		if err := l.Publish(engine.IDOf(fmt.Append(nil, "topic ", 2*round)),
			signedItem(1, loneTime, "news")); !errors.Is(err, feedtree.ErrAuthor) {
			t.Errorf("round %d: it publishes when that has ended: %v", round, err)
		}
	}
}

// Refused messages are counted by sender and reason. A sender of more than any honest node sends is ignored for a
// while, and after that for as long again. Faults far apart do not add up.
func TestStrikes(t *testing.T) {
	c := feedtree.Default()
	forged := func(number uint64) *feedtree.Item {
		i := signedItem(number, loneTime, "news")
		i.Entry = []byte("other")
		return i
	}
	l := newFollower(t, 5)
	banned := 0
	send := func(number uint64) {
		l.Admit(loneTopic, forged(number), loneParent)
		for _, e := range l.Traced() {
			switch e := e.(type) {
			case feedtree.Banned:
				if banned++; e.Topic != loneTopic || e.Peer != loneParent {
					t.Errorf("%+v", e)
				}
			case feedtree.Refused:
				if e.Topic != loneTopic || e.From != loneParent || e.Number != number {
					t.Errorf("%+v, not number %d", e, number)
				}
			}
		}
	}
	number := uint64(6)
	for round := range 3 {
		for i := range c.Strikes {
			if banned != round {
				t.Fatalf("round %d: after %d it is banned %d times", round, i, banned)
			}
			send(number)
			number++
		}
		if banned != round+1 {
			t.Fatalf("round %d: it is not banned", round)
		}
		l.Advance(c.StrikeFor + time.Second)
	}
	for range 3 * c.Strikes { // far apart
		send(number)
		number++
		l.Advance(c.StrikeFor + time.Second)
	}
	if banned != 3 {
		t.Errorf("one that fails rarely is banned %d times", banned-3)
	}
	total := 0
	for _, r := range l.Refusals() {
		if r.Peer != loneParent.ID {
			t.Errorf("%+v", r)
		}
		total += int(r.Count)
	}
	if total != 6*c.Strikes {
		t.Errorf("%d are counted, not %d", total, 6*c.Strikes)
	}
}

// Of two items with one number the first always passes, and the second never. No node is blamed for passing it on.
func TestTheSecondOfANumberDoesNotPass(t *testing.T) {
	l := newFollower(t, 5)
	for number := uint64(6); number < 9; number++ {
		one, other := signedItem(number, loneTime, "one"), signedItem(number, loneTime, "another")
		if _, _, ok := l.Admit(loneTopic, one, loneParent); !ok {
			t.Fatalf("number %d is refused", number)
		}
		l.Traced()
		for range 2 {
			if _, _, ok := l.Admit(loneTopic, other, loneParent); ok {
				t.Errorf("another item with number %d passes", number)
			}
		}
		for _, e := range l.Traced() {
			if e, ok := e.(feedtree.Refused); ok && e.Why != feedtree.Doubled {
				t.Errorf("number %d is refused for %v", number, e.Why)
			}
		}
	}
}
