package feedtree_test

import (
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/engine/enginetest"
	"tidings/network/feedtree"
)

// An answer of a node that was not asked is not looked at, and moves no search: the node that was asked still owes one.
func TestAnAnswerUnaskedMovesNoSearch(t *testing.T) {
	stranger := enginetest.NewPeer("e5")
	for what, unasked := range map[string]*feedtree.Items{
		"nothing": {Topic: loneTopic, From: 6},
		"an item": {Topic: loneTopic, From: 6, Items: []engine.Message{signedItem(6, loneTime, "sixth")}},
	} {
		l := newFollower(t, 5)
		if asked := l.asked(t); asked.From != 6 {
			t.Fatalf("asked from %d on", asked.From)
		}
		before := l.routed
		l.Receive(stranger, unasked)
		if n := len(messages[*feedtree.Ask](t, l)); n > 0 || l.routed > before || len(l.kept) > 0 {
			t.Errorf("%s: %d are asked, %d questions routed, and %d items kept", what, n, l.routed-before, len(l.kept))
		}
		l.Receive(loneParent, &feedtree.Items{Topic: loneTopic, From: 6})
		if l.routed == before {
			t.Errorf("%s: the answer of the node that was asked does not move the search", what)
		}
	}
}

// Nodes that are named while one is asked wait until that one has answered.
func TestOneNodeIsAskedAtATime(t *testing.T) {
	l := newFollower(t, 5)
	l.asked(t)
	other := enginetest.NewPeer("e5")
	l.Receive(other, &feedtree.Has{Topic: loneTopic, Last: 9})
	if asked := messages[*feedtree.Ask](t, l); len(asked) > 0 {
		t.Errorf("while the parent owes an answer, %+v is sent", asked[0])
	}
	l.Receive(loneParent, &feedtree.Items{Topic: loneTopic, From: 6})
	if sent := l.Sent(); len(sent) != 1 || sent[0].To != other {
		t.Errorf("when it has answered, %v are sent; want a question to %v", sent, other)
	}
}

// The publisher's node learns once that an item has arrived, by whichever confirmation is the first.
func TestARepeatedConfirmationSaysNothing(t *testing.T) {
	l := newLoneWith(feedtree.Default(), nil)
	if err := l.Author(feedtree.Authoring{Topic: loneTopic}); err != nil {
		t.Fatal(err)
	}
	l.Advance(time.Minute) // its numbers are checked
	for number := range uint64(2) {
		if err := l.Publish(loneTopic, signedItem(number+1, loneTime, "news")); err != nil {
			t.Fatal(err)
		}
	}
	traces[feedtree.Arrived](l)
	for i, c := range []struct {
		from    engine.Peer
		numbers []uint64
		news    int
	}{
		{loneParent, []uint64{1}, 1},
		{loneParent, []uint64{1}, 0},
		{enginetest.NewPeer("e5"), []uint64{1, 3}, 0}, // the third is not sent yet
		{loneParent, []uint64{1, 2, 2}, 1},
		{loneParent, []uint64{1, 2}, 0},
	} {
		l.Receive(c.from, &feedtree.Confirmed{Topic: loneTopic, Numbers: c.numbers})
		if n := traces[feedtree.Arrived](l); n != c.news {
			t.Errorf("confirmation %d, of %v: %d items have arrived by it; want %d", i+1, c.numbers, n, c.news)
		}
	}
}

// Nodes that are named while the archive is asked wait until it has answered. What it finds is accepted.
func TestTheArchiveIsWaitedFor(t *testing.T) {
	a := new(slowArchive)
	l := newLoneWith(feedtree.Default(), a)
	l.follow(t, 5)
	l.Deliver(loneTopic, signedItem(7, loneTime+7, "seventh"), loneParent) // 6 is missing
	for len(a.found) == 0 && l.Now() < time.Minute {
		l.Advance(time.Second)
	}
	if len(a.found) != 1 {
		t.Fatalf("the archive is asked %d times", len(a.found))
	}
	l.Sent()
	l.kept = nil
	l.Receive(enginetest.NewPeer("e5"), &feedtree.Has{Topic: loneTopic, Last: 9})
	if asked := messages[*feedtree.Ask](t, l); len(asked) > 0 {
		t.Errorf("while the archive owes an answer, %+v is sent", asked[0])
	}
	a.found[0](signedItem(6, loneTime+6, "sixth"), nil)
	if len(l.kept) == 0 || l.kept[0].Number != 6 {
		t.Errorf("when it has found the sixth item, these are kept: %v", l.kept)
	}
}

// The Library's word counts for an item that it was given, once. For one that still waits it is none: that one is given
// to the Library all the same.
func TestTheLibrarysWordCountsOnce(t *testing.T) {
	l := newFollower(t, 5)
	l.Deliver(loneTopic, signedItem(7, loneTime, "seventh"), loneParent)
	l.Kept(loneTopic, 7, true) // it waits for the sixth
	if n := traces[feedtree.Taken](l); n > 0 {
		t.Error("an item counts as kept that the Library was not given")
	}
	l.Advance(feedtree.Default().Hold)
	if len(l.kept) != 1 {
		t.Fatalf("the Library is given %d items", len(l.kept))
	}
	for _, want := range []int{1, 0} {
		l.Kept(loneTopic, 7, true)
		if n := traces[feedtree.Taken](l); n != want {
			t.Errorf("the Library has kept the item, and %d are noted; want %d", n, want)
		}
	}
}

// A node answers for an item when its Library has kept it: before, the question goes on to a node that can give it.
func TestWhatIsNotKeptIsNotClaimed(t *testing.T) {
	l := newFollower(t, 5)
	asker := enginetest.NewPeer("e5")
	seek := &feedtree.Seek{Topic: loneTopic, From: 7, Asker: asker}
	claims := func(when string, want int) {
		t.Helper()
		l.Sent()
		goesOn := l.Routed().Forward(loneTopic, seek, loneParent)
		if n := len(messages[*feedtree.Has](t, l)); n != want || goesOn != (want == 0) {
			t.Errorf("%s it is answered %d times, and the question goes on: %v", when, n, goesOn)
		}
	}
	l.Deliver(loneTopic, signedItem(7, loneTime, "seventh"), loneParent)
	claims("while the seventh item waits for the sixth,", 0)
	l.Advance(feedtree.Default().Hold)
	claims("while it is on its way to the Library,", 0)
	l.Kept(loneTopic, 7, true)
	claims("when the Library has kept it,", 1)
}

// A publisher's node asks a node once for what comes after an item, however often that node sends it.
func TestARepeatedItemIsNotAskedBeyond(t *testing.T) {
	l := newLoneWith(feedtree.Default(), nil)
	if err := l.Author(feedtree.Authoring{Topic: loneTopic, Last: 2}); err != nil {
		t.Fatal(err)
	}
	l.Advance(0)
	if asked := messages[*feedtree.Ask](t, l); len(asked) != 1 || asked[0].From != 3 {
		t.Fatalf("its neighbour is asked %d times", len(asked))
	}
	for _, step := range []struct{ number, want uint64 }{{3, 4}, {3, 0}, {5, 6}, {3, 0}, {5, 0}} {
		i := signedItem(step.number, loneTime+int64(step.number), "news")
		l.Receive(loneParent, &feedtree.Items{Topic: loneTopic, From: 3, Items: []engine.Message{i}})
		asked := uint64(0)
		for _, m := range messages[*feedtree.Ask](t, l) {
			asked = m.From
		}
		if asked != step.want {
			t.Errorf("after item %d it asks from %d on; want %d (0: not at all)", step.number, asked, step.want)
		}
	}
}

// The archive is asked again as long as it finds something, and not when it has found nothing more.
func TestAnArchiveThatHadSomethingIsNotAskedForEver(t *testing.T) {
	a := new(slowArchive)
	l := newLoneWith(feedtree.Default(), a)
	l.follow(t, 5)
	l.Deliver(loneTopic, signedItem(9, loneTime+9, "ninth"), loneParent) // three are missing
	for len(a.found) == 0 && l.Now() < time.Minute {
		l.Advance(time.Second)
	}
	for _, step := range []struct {
		finds int
		item  uint64 // that is found; 0: none
	}{{3, 6}, {2, 0}, {0, 0}} {
		finds := a.found
		if a.found = nil; len(finds) != step.finds {
			t.Fatalf("the archive is asked for %d items, want %d", len(finds), step.finds)
		}
		for i, found := range finds {
			if i == 0 && step.item > 0 {
				found(signedItem(step.item, loneTime+int64(step.item), "news"), nil)
			} else {
				found(nil, nil)
			}
		}
	}
	if traces[feedtree.Fallback](l) != 1 {
		t.Error("the search does not fall back when the archive has nothing more")
	}
}

// Each item that no node confirms is asked for as often, though those before it were given up.
func TestEachUnconfirmedItemIsAskedFor(t *testing.T) {
	l := newLoneWith(feedtree.Default(), nil)
	if err := l.Author(feedtree.Authoring{Topic: loneTopic}); err != nil {
		t.Fatal(err)
	}
	l.Advance(time.Minute) // its numbers are checked
	first := 0
	for number := range uint64(3) {
		if err := l.Publish(loneTopic, signedItem(number+1, loneTime+int64(number), "news")); err != nil {
			t.Fatal(err)
		}
		l.Sent()
		l.Advance(time.Hour)
		asked := len(messages[*feedtree.Confirm](t, l))
		if number == 0 {
			first = asked
		}
		if asked != first || asked == 0 {
			t.Errorf("item %d: others are asked %d times whether they have it; the first time %d", number+1, asked, first)
		}
	}
}
