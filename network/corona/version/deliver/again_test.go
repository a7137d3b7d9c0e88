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
			t.Errorf("after %d Floor is %d", c.raise, n.Floor(news.ID))
		}
	}
}

// wary is a router that counts how often it distrusts a parent.
type wary struct {
	scribe
	distrusts *int
}

func (w wary) Distrust(engine.ID) { *w.distrusts++ }

// One request for newer versions has one answer that counts, however many come, and only for auditWait.
func TestAnAuditHasOneAnswer(t *testing.T) {
	n, distrusts := newNode(false), 0
	n.Use(network.Scribe, wary{scribe{n}, &distrusts})
	owner := enginetest.NewPeer("52")
	u := after(1, update.Hash{}, "text")
	n.Audited(owner, news.ID, u.Version)
	n.Join(news.ID, true)
	n.Audited(owner, news.ID, u.Version)
	n.env.Advance(auditGrace)
	if distrusts != 0 {
		t.Error("an answer counts that nothing was asked for")
	}
	for round := 1; round <= 2; round++ {
		for n.member[news.ID].asked == 0 {
			n.env.Advance(time.Second)
		}
		for range 3 {
			n.Audited(owner, news.ID, u.Version)
		}
		if n.env.Advance(auditGrace); distrusts != round {
			t.Errorf("after %d requests it has distrusted its parent %d times", round, distrusts)
		}
	}
	for n.member[news.ID].asked == 0 {
		n.env.Advance(time.Second)
	}
	n.env.Advance(auditWait + time.Second)
	n.Audited(owner, news.ID, u.Version)
	if n.env.Advance(auditGrace); distrusts != 2 {
		t.Error("an answer that is late counts")
	}
}

// A version that is offered while it is being requested is requested from that owner at once. The steps go on from
// there, one at a time, and come to one end.
func TestAnOfferContinuesAGapOnce(t *testing.T) {
	n := newNode(false)
	u := after(1, update.Hash{}, "text")
	source, owner := enginetest.NewPeer("91"), enginetest.NewPeer("52")
	n.do(n.Miss(source, news.ID, u.Version))
	n.env.Advance(gapWait / 2)
	next, missing := n.Offered(owner, news.ID, u.Version)
	if n.do(next); !missing {
		t.Error("it is not missing")
	}
	to, _ := sent[*Missing](n)
	if len(to) != 2 || to[0] != source || to[1] != owner {
		t.Errorf("it is requested from %v", to)
	}
	if n.env.Advance(gapWait - 1); len(n.routed) != 0 {
		t.Error("the next step does not wait for the answer")
	}
	n.env.Advance(time.Hour)
	if silent := returned[Silent](n); len(silent) != 1 || len(n.routed) != 2 || n.polls != 1 || n.Lacks(news.ID) {
		t.Errorf("%d ends, %d requests over the ring, %d polls", len(silent), len(n.routed), n.polls)
	}
}

// Each subscriber that another owner names is notified once.
func TestNamedSubscribersAreNotifiedOnce(t *testing.T) {
	n := newNode(true)
	n.Use(network.Scribe, scribe{n})
	n.find(news.ID).tree.routed, n.find(news.ID).tree.announced = true, true
	n.subscribers = peers(3)
	notified := func() (to []engine.Peer) {
		n.env.Advance(notifyWait)
		to, _ = sent[*Routed](n)
		for _, p := range to {
			n.Acknowledged(p, &Got{Channel: news.ID})
		}
		return to
	}
	for _, p := range n.subscribers {
		n.SubscriberReported(news.ID, p)
		if to := notified(); len(to) != 1 || to[0] != p {
			t.Errorf("of %v are notified %v", p, to)
		}
	}
	if to := notified(); len(to) != 0 {
		t.Errorf("later are notified %v", to)
	}
}

// An acknowledgement is of the update that it names, whichever was begun first. So each subscriber is sent each once.
func TestUpdatesUnderWayAreAcknowledgedInAnyOrder(t *testing.T) {
	n := newNode(true)
	n.subscribers = peers(3)
	versions := make([]uint64, 3)
	for i, text := range []string{"first", "second", "third"} {
		n.numbers(after(n.version, n.held, text))
		versions[i] = n.version
		if to, _ := sent[*update.Update](n); !slices.Equal(to, n.subscribers) {
			t.Fatalf("the %s is sent to %v", text, to)
		}
	}
	for _, version := range []uint64{versions[2], versions[0], versions[1]} {
		for _, p := range n.subscribers {
			n.Acknowledged(p, &Got{news.ID, version})
		}
	}
	n.env.Advance(time.Hour)
	if to, again := sent[*update.Update](n); len(again) > 0 {
		t.Errorf("%d updates are sent again, the first of them to %v", len(again), to[0])
	}
}

// A primary that lacks a version asks the other owners by lot, each time anew. So an owner that is down, or lacks it
// too, is not the only one that is asked.
func TestAPrimaryAsksAllOtherOwners(t *testing.T) {
	n := newNode(true)
	asked := make(map[engine.ID]bool)
	for round := range uint64(16) {
		n.do(n.Miss(engine.Peer{}, news.ID, round+1))
		for n.Lacks(news.ID) {
			n.env.Advance(time.Minute)
		}
		to, _ := sent[*Missing](n)
		for _, p := range to {
			asked[p.ID] = true
		}
	}
	for _, p := range n.record.others {
		if !asked[p.ID] {
			t.Errorf("%v is never asked", p)
		}
	}
}
