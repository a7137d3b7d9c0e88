package believe

import (
	"testing"

	"tidings/network/engine/enginetest"
)

// Witnesses are asked for a version while those of an earlier one may still answer. Each version has its own time, and
// more witnesses are asked for the later one alone.
func TestWitnessesOfTwoVersionsUnderWay(t *testing.T) {
	n, giver := newNode("51", 100, 4), enginetest.NewPeer("53")
	one, two := version(giver, 1, "one"), version(giver, 2, "two")
	n.Ask(news, *one, 100)
	need := len(n.routed)
	n.env.Advance(spareAfter / 2)
	n.Ask(news, *two, 100)
	n.env.Advance(spareAfter)
	if want := 2*need + Spare; need == 0 || len(n.routed) != want {
		t.Errorf("%d witnesses are asked for two versions; want %d", len(n.routed), want)
	}
	n.Ask(news, *one, 100)
	n.env.Advance(attestFor / 2)
	n.Ask(news, *two, 100)
	n.env.Advance(attestFor * 3 / 4)
	if _, asked, _ := n.Seen(news.ID, two.Version); !asked {
		t.Error("the later version's witnesses do not count any more when the earlier one's time is over")
	}
	n.env.Advance(attestFor / 4)
	if _, asked, _ := n.Seen(news.ID, two.Version); asked {
		t.Error("the later version's witnesses count beyond their time")
	}
}

// Each time that witnesses were asked in vain, none are asked early for an interval.
func TestEachTimeInVainCounts(t *testing.T) {
	n, giver := newNode("51", 100, 4), enginetest.NewPeer("53")
	for round := range uint64(3) {
		if !n.MayAskEarly(news.ID) {
			t.Errorf("round %d: witnesses may not be asked early", round)
		}
		n.AskEarly(news, *version(giver, round+1, "text"), 100)
		n.Spoil(news.ID)
		if n.env.Advance(halfHour - 1); n.MayAskEarly(news.ID) {
			t.Errorf("round %d: witnesses may be asked early once more within an interval", round)
		}
		n.env.Advance(1)
	}
}

// The time of a version that a node has seen does not end that of the next one.
func TestTheTimeToSeeIsOfOneVersion(t *testing.T) {
	n, from := newNode("51", 100, 4), enginetest.NewPeer("91")
	one, two := version(from, 1, "one"), version(from, 2, "two")
	n.See(from, one)
	n.env.Advance(firstPollWithin)
	if sees, _ := n.Polled(news.ID, pollOf(one)); sees == nil {
		t.Fatal("it does not see the first version")
	}
	n.barred = true
	n.env.Advance(giveUpAfter / 2)
	n.See(from, two)
	if n.env.Advance(giveUpAfter - 1); len(n.steps) > 0 {
		t.Errorf("before the second version's time is over, others are asked: %v", n.steps)
	}
	n.env.Advance(1)
	if len(n.steps) != 1 || n.steps[0] != (Unseen{from, news.ID, two.Version}) {
		t.Errorf("when it is over, others are asked: %v", n.steps)
	}
}

// A node polls for a version until it has that or a later one. An earlier one that comes meanwhile ends nothing.
func TestAnEarlierVersionEndsNoPolls(t *testing.T) {
	from := enginetest.NewPeer("91")
	one, two := version(from, 1, "one"), version(from, 2, "two")
	for what, c := range map[string]struct {
		stored uint64
		polls  int
	}{"an earlier version": {1, 2}, "the version": {2, 1}, "a later version": {3, 1}} {
		n := newNode("51", 100, 4)
		n.held[one.Version] = one.Hash
		n.See(from, two)
		n.env.Advance(firstPollWithin)
		n.Polled(news.ID, pollOf(one))
		n.Stored(version(from, c.stored, "text"), one.Hash)
		if n.env.Advance(2 * repollAfter); n.polls != c.polls {
			t.Errorf("%s is stored: it polls %d times in all; want %d", what, n.polls, c.polls)
		}
	}
}
