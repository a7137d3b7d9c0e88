package deliver

import (
	"slices"
	"testing"
	"time"

	"tidings/network"
	"tidings/network/corona/version/update"
	"tidings/network/engine"
	"tidings/network/engine/enginetest"
)

// What other owners and witnesses say of an earlier version is late. It does not count for the version that waits for
// them.
func TestLateWordsOfAnEarlierVersion(t *testing.T) {
	n := newNode(true)
	n.numbers(after(0, update.Hash{}, "first"))
	earlier := n.version
	n.awaits = true
	returned[Published](n)
	n.do(n.Keep(news.ID, *after(earlier, n.held, "second")))
	n.env.Advance(time.Millisecond)
	for _, p := range n.record.others {
		n.do(n.ReceiveCommitted(p, &Committed{news.ID, earlier}))
	}
	if stage := n.find(news.ID).now.stage; stage != committing {
		t.Fatalf("other owners have noted the earlier version, and the later one is in stage %d", stage)
	}
	for _, p := range n.record.others {
		n.do(n.ReceiveCommitted(p, &Committed{news.ID, n.version}))
	}
	next, _ := n.Attested(&update.Update{Channel: news.ID, Version: earlier})
	if n.do(next); len(returned[Published](n)) > 0 {
		t.Error("witnesses of the earlier version publish the later one")
	}
	next, _ = n.Attested(&update.Update{Channel: news.ID, Version: n.version})
	if n.do(next); len(returned[Published](n)) != 1 {
		t.Error("its own witnesses do not publish it")
	}
}

// The library's word about another version ends nothing: the update that it is storing is kept when that is stored.
func TestTheLibrarysWordIsOfOneVersion(t *testing.T) {
	n, from := newNode(false), enginetest.NewPeer("91")
	u := after(1<<update.TagBits, update.Hash{}, "text")
	n.brings(from, u)
	for _, stored := range []bool{true, false} {
		n.do(n.Stored(news.ID, u.Version-1, stored))
		if kept := returned[Kept](n); len(kept) > 0 || len(n.arrivals) != 1 {
			t.Errorf("the library speaks of another version, stored is %v: %d are kept", stored, len(kept))
		}
	}
	n.env.Advance(time.Millisecond)
	if kept := returned[Kept](n); len(kept) != 1 || kept[0].Update.Version != u.Version {
		t.Errorf("when it is stored, %d are kept", len(kept))
	}
}

// A gap ends with the latest missing version, not with an earlier one.
func TestAnEarlierVersionEndsNoGap(t *testing.T) {
	n, source := newNode(false), enginetest.NewPeer("91")
	one, two := after(1<<update.TagBits, update.Hash{}, "one").Version,
		after(2<<update.TagBits, update.Hash{}, "two").Version
	n.do(n.Miss(source, news.ID, one))
	n.do(n.Miss(source, news.ID, two))
	if n.do(n.Came(news.ID, one)); !n.Lacks(news.ID) {
		t.Error("the earlier version has come, and the later one is not requested any more")
	}
	if n.do(n.Came(news.ID, two)); n.Lacks(news.ID) {
		t.Error("the later version has come, and is still missing")
	}
}

// When a later version is announced, it is requested as the first was: the origin is polled for it too, and as many
// offers are followed.
func TestALaterVersionIsRequestedAnew(t *testing.T) {
	n, source := newNode(false), enginetest.NewPeer("91")
	for round := range 3 {
		version := after(uint64(round+1)<<update.TagBits, update.Hash{}, "text").Version
		n.do(n.Miss(source, news.ID, version))
		n.env.Sent()
		followed := 0
		for _, p := range peers(maxOffers + 2) {
			next, _ := n.Offered(p, news.ID, version)
			n.do(next)
			to, _ := sent[*Missing](n)
			followed += len(to)
		}
		if followed != maxOffers {
			t.Errorf("version %d: %d offers are followed; want %d", round+1, followed, maxOffers)
		}
		for waited := time.Duration(0); n.polls <= round && waited < originWait; waited += time.Second {
			n.env.Advance(time.Second)
		}
		if n.polls != round+1 || !n.Lacks(news.ID) {
			t.Errorf("version %d: the origin was polled %d times in all; want %d", round+1, n.polls, round+1)
		}
	}
}

// The poll for a version that has come meanwhile is not made for the next one that is missing: others are asked first.
func TestThePollForAnotherGapIsNotMade(t *testing.T) {
	n, source := newNode(false), enginetest.NewPeer("91")
	for round := range uint64(12) {
		earlier := after((2*round+1)<<update.TagBits, update.Hash{}, "one").Version
		later := after((2*round+2)<<update.TagBits, update.Hash{}, "two").Version
		n.do(n.Miss(source, news.ID, earlier))
		for n.of[news.ID].stage != giveUp {
			n.env.Advance(100 * time.Millisecond)
		}
		polls := n.polls
		n.do(n.Came(news.ID, earlier))
		n.do(n.Miss(source, news.ID, later))
		for n.of[news.ID].stage != giveUp {
			n.env.Advance(100 * time.Millisecond)
		}
		if n.polls != polls {
			t.Fatalf("round %d: the origin is polled before all others are asked", round)
		}
		n.do(n.Came(news.ID, later))
	}
}

// A subscriber that acknowledges an update any number of times counts once: the others are sent it again.
func TestARepeatedAcknowledgementCountsOnce(t *testing.T) {
	n := newNode(true)
	n.subscribers = peers(3)
	n.numbers(after(0, update.Hash{}, "text"))
	n.env.Sent()
	for range n.subscribers {
		n.Acknowledged(n.subscribers[0], &Got{news.ID, n.version})
	}
	n.env.Advance(time.Hour)
	to, _ := sent[*update.Update](n)
	if want := slices.Repeat(n.subscribers[1:], directSends-2); !slices.Equal(to, want) {
		t.Errorf("one of three has acknowledged it, and it is sent again to %v; want %v", to, want)
	}
	if want := []engine.ID{n.subscribers[1].ID, n.subscribers[2].ID}; !slices.Equal(n.offered, want) {
		t.Errorf("then it is offered to %v; want %v", n.offered, want)
	}
}

// Subscribers that may be in no tree are notified again with each version, as long as they do not acknowledge that. One
// that other owners name while they are being notified is notified the next time.
func TestSubscribersInNoTreeAreNotifiedAgain(t *testing.T) {
	n := newNode(true)
	n.Use(network.Scribe, scribe{n})
	n.subscribers = peers(6)
	tree := &n.find(news.ID).tree
	tree.routed, tree.announced, tree.announcedAt = true, true, n.env.Now()
	tree.unjoined = slices.Clone(n.subscribers[:2])
	for round, text := range []string{"first", "second", "third", "fourth"} {
		n.numbers(after(n.version, n.held, text))
		notified := make(map[engine.ID]bool)
		if round == 0 {
			tree.addUnjoined(n.subscribers[2:3])
		}
		for range 100 {
			to, _ := sent[*Routed](n)
			for _, p := range to {
				notified[p.ID] = true
			}
			n.env.Advance(time.Second)
		}
		want := 3
		if round == 0 {
			want = 2
		}
		if len(notified) != want {
			t.Errorf("%s version: %d subscribers are notified; want %d", text, len(notified), want)
		}
	}
}

// The answer to an audit says nothing of the parent of a tree that the node has left and joined again since.
func TestAnAuditIsOfOneMembership(t *testing.T) {
	n, distrusts := newNode(false), 0
	n.Use(network.Scribe, wary{scribe{n}, &distrusts})
	n.Join(news.ID, true)
	for n.member[news.ID].asked == 0 {
		n.env.Advance(time.Second)
	}
	n.Audited(enginetest.NewPeer("52"), news.ID, after(1<<update.TagBits, update.Hash{}, "text").Version)
	n.Leave(news.ID)
	n.Join(news.ID, true)
	if n.env.Advance(auditGrace); distrusts != 0 {
		t.Errorf("the parent in a new tree is distrusted %d times", distrusts)
	}
}

// A version that the library looks up for those that lack the latest is sent to nobody if another owner has numbered a
// later one meanwhile.
func TestAVersionThatIsOverIsNotSentAgain(t *testing.T) {
	n := newNode(true)
	n.subscribers = peers(2)
	n.numbers(after(0, update.Hash{}, "text"))
	n.env.Advance(time.Hour)
	n.env.Sent()
	n.do(n.Resend(news.ID))
	later := after(n.version, n.held, "later").Version
	n.record.version = later
	n.env.Advance(time.Second)
	if to, _ := sent[*update.Update](n); len(to) > 0 {
		t.Errorf("it is sent to %v", to)
	}
}

// What the library looks up to go with a version is of that version, or is not sent.
func TestTheChangeToAVersionIsOfThatVersion(t *testing.T) {
	n := newNode(true)
	n.subscribers = peers(2)
	n.numbers(after(0, update.Hash{}, "first"))
	n.env.Sent()
	u := after(n.version, n.held, "second")
	u.Payload = nil
	n.content = u.Hash // by a poll of its own
	n.do(n.Keep(news.ID, *u))
	n.env.Advance(time.Millisecond)
	number := n.version
	n.version++ // the library has the next one when it answers
	n.env.Advance(time.Millisecond)
	to, _ := sent[*Commit](n)
	for _, p := range to {
		n.do(n.ReceiveCommitted(p, &Committed{news.ID, number}))
	}
	_, list := sent[*update.Update](n)
	for _, m := range list {
		if m.Version != number {
			t.Errorf("sent is version %d in the place of %d", m.Version, number)
		}
	}
	if len(list) != 2 {
		t.Errorf("%d updates are sent; want 2", len(list))
	}
}

// another is a channel that is owned beside the news.
type another struct{ *owned }

func (another) Channel() update.Channel {
	return update.Channel{ID: engine.PrefixID("54"), URL: "http://another/"}
}

// Two channels move to their trees at the same time. A subscriber of both that acknowledges the one is notified again
// of the other.
func TestAnAcknowledgementIsOfItsChannel(t *testing.T) {
	n := newNode(true)
	o := another{&owned{n: n}}
	n.Own(o)
	subscriber := peers(1)
	missed := make(map[engine.ID]int)
	for _, channel := range []engine.ID{news.ID, o.Channel().ID} {
		n.fan.sendRouted(n.find(channel), subscriber, func(list []engine.Peer) { missed[channel] = len(list) })
	}
	n.Acknowledged(subscriber[0], &Got{Channel: o.Channel().ID})
	n.env.Advance(time.Hour)
	if missed[news.ID] != 1 || missed[o.Channel().ID] != 0 {
		t.Errorf("missed the notice of the news: %d, and that of the other channel: %d; want 1 and 0", missed[news.ID],
			missed[o.Channel().ID])
	}
}
