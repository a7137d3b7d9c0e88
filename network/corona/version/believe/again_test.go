package believe

import (
	"testing"
	"time"

	"tidings/network/engine/enginetest"
)

// The signatures of a version stay when those of an older one come, or its header alone: it can be passed on with its
// finder.
func TestSignaturesOfTheLatestVersionStay(t *testing.T) {
	n, finder := newNode("51", 100, 0), enginetest.NewPeer("91")
	one, two := version(finder, 1, "one"), version(finder, 2, "two")
	n.held[two.Version] = two.Hash
	n.Note(two)
	n.Note(one)
	n.NoteHeader(two.Header())
	n.NoteHeader(one.Header())
	if h := n.HeaderOf(news.ID); h.Version != two.Version || string(h.Given) != string(two.Seal.Given) {
		t.Errorf("the header is %+v", h)
	}
	lent := *two
	lent.ForgetFinder()
	if !n.Sealed(&lent) || lent.FoundBy != finder.ID || string(lent.Seal.Found) != string(two.Seal.Found) {
		t.Errorf("lent is %+v", lent)
	}
}

// A node that equivocates again after its time is excluded again, and counts once.
func TestAnEquivocatorIsExcludedAgain(t *testing.T) {
	n, giver := newNode("51", 100, 0), enginetest.NewPeer("91")
	proof := func(number uint64) *Equivocation {
		a, b := version(giver, number, "one"), version(giver, number, "one") // with one tag
		b.Hash[31] ^= 1
		b.Seal.Found = keys{giver.ID}.Sign(b.ReportWords())
		h := b.Header()
		h.Given = keys{giver.ID}.Sign(h.Words())
		return &Equivocation{a.Header(), h}
	}
	from := enginetest.NewPeer("99")
	for number := range uint64(3) {
		if n.ReceiveEquivocation(from, proof(number+1)) == nil || !n.IsEquivocator(giver.ID) {
			t.Fatalf("proof %d is not new", number)
		}
		if n.ReceiveEquivocation(from, proof(number+10)) != nil || len(n.equivocators) != 1 {
			t.Errorf("a second proof is new, or it counts %d times", len(n.equivocators))
		}
		n.env.Advance(EquivocatorAge - 1)
		if !n.IsEquivocator(giver.ID) {
			t.Error("it is forgotten too soon")
		}
		if n.env.Advance(1); n.IsEquivocator(giver.ID) {
			t.Error("it is not forgotten")
		}
	}
}

// An older version does not take the place of the one that a node is to see, and is not polled for after it has given
// up.
func TestAnOlderVersionIsNotLookedFor(t *testing.T) {
	n, from := newNode("51", 100, 4), enginetest.NewPeer("91")
	two, three, four := version(from, 2, "two"), version(from, 3, "three"), version(from, 4, "four")
	n.See(from, three)
	n.See(from, two)
	n.env.Advance(firstPollWithin)
	if n.polls != 1 {
		t.Fatalf("it has polled %d times", n.polls)
	}
	if sees, _ := n.Polled(news.ID, pollOf(three)); sees == nil || sees.Update.Version != three.Version {
		t.Errorf("it has seen %+v", sees)
	}

	n = newNode("51", 100, 4)
	n.barred = true
	n.See(from, three)
	n.env.Advance(giveUpAfter)
	if len(n.steps) != 1 || n.polls != 0 {
		t.Fatalf("it has polled %d times, and asks others for %v", n.polls, n.steps)
	}
	n.barred = false
	n.See(from, two)
	n.See(from, three)
	if n.env.Advance(time.Minute); n.polls != 0 {
		t.Errorf("it has polled %d times after it had given up", n.polls)
	}
	n.See(from, four)
	if n.env.Advance(firstPollWithin); n.polls != 1 {
		t.Errorf("it has polled %d times for a newer version", n.polls)
	}
	if sees, _ := n.Polled(news.ID, pollOf(four)); sees == nil {
		t.Error("it has not seen the newer version")
	}
}

// An owner that knows less is notified once an interval.
func TestAnOwnerIsNotifiedOnceAnInterval(t *testing.T) {
	n, owner := newNode("51", 100, 0), enginetest.NewPeer("91")
	u := version(owner, 2, "two")
	n.held[u.Version] = u.Hash
	notified := func() int {
		n.MaybeAhead(owner, news.ID, u.Version-1)
		return len(n.env.Sent())
	}
	n.MaybeAhead(owner, news.ID, u.Version+1)
	if len(n.env.Sent()) != 0 {
		t.Error("an owner that knows more is notified")
	}
	for range 3 {
		if notified() != 1 || notified() != 0 {
			t.Error("it is not notified once")
		}
		if n.env.Advance(halfHour - 1); notified() != 0 {
			t.Error("it is notified again within the interval")
		}
		n.env.Advance(1)
	}
}
