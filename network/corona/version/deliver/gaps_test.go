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

// An update that lies between waits in its place, once, and no more than a few do.
func TestUpdatesAreSetAsideInOrder(t *testing.T) {
	t.Parallel()
	g := &gap{}
	for _, v := range []uint64{5, 3, 5, 9, 4, 3, 1} {
		g.setAside(&arrival{update: &update.Update{Version: v}})
	}
	var got []uint64
	for _, a := range g.aside {
		got = append(got, a.update.Version)
	}
	if len(got) != maxAfter || got[0] != 3 || got[1] != 4 || got[2] != 5 || got[3] != 9 {
		t.Errorf("aside are %v", got)
	}
}

// An update that does not lead on from what is held waits for the one between. Then both are kept in order, and nothing
// is requested.
func TestUpdatesSetAsideFollow(t *testing.T) {
	n, from := newNode(false), enginetest.NewPeer("07")
	one := after(0, update.Hash{}, "one")
	two := after(one.Version, one.Hash, "two")
	three := after(two.Version, two.Hash, "three")
	n.brings(from, one)
	n.env.Advance(time.Second)
	n.next = nil
	for _, u := range []*update.Update{three, two} {
		n.brings(from, u)
		n.env.Advance(gapGrace / 3)
	}
	kept := returned[Kept](n)
	want := []Kept{{two, true, false, one.Hash}, {three, true, false, two.Hash}}
	if to, _ := sent[*Missing](n); !slices.Equal(kept, want) || len(to)+len(n.routed) > 0 || n.Lacks(news.ID) {
		t.Errorf("kept are %+v; %d requests, and one is missing: %v", kept, len(to)+len(n.routed), n.Lacks(news.ID))
	}
}

// What this node has seen itself has no content before it that could be withdrawn to, nor has a number alone.
func TestTheContentBeforeAnUpdate(t *testing.T) {
	one := after(0, update.Hash{}, "one")
	two := after(one.Version, one.Hash, "two")
	again := *one
	again.Version, again.Base, again.Payload = two.Version, one.Hash, nil
	for what, c := range map[string]struct {
		u       *update.Update
		content update.Hash
		seen    bool
		want    Kept
	}{
		"not seen":        {two, update.Hash{}, false, Kept{two, true, false, one.Hash}},
		"polled for it":   {two, update.Hash{}, true, Kept{two, true, false, update.Hash{}}},
		"polled before":   {two, two.Hash, false, Kept{two, true, false, update.Hash{}}},
		"a number, alone": {&again, update.Hash{}, false, Kept{&again, false, false, update.Hash{}}},
	} {
		n := newNode(false)
		n.version, n.held, n.content = one.Version, one.Hash, c.content
		next, _ := n.Bring(enginetest.NewPeer("07"), c.u, c.seen)
		n.do(next)
		n.env.Advance(time.Second)
		if got := returned[Kept](n); !slices.Equal(got, []Kept{c.want}) {
			t.Errorf("%s: kept is %+v, want %+v", what, got, c.want)
		}
	}
}

// A request says what the requester has: the number that it holds, and the content, which may be newer, as by a poll.
// After a change that did not fit, it wants the whole. An audit requests the same way.
func TestRequestsNameWhatIsHeld(t *testing.T) {
	held, seen := update.Hash{1}, update.Hash{2}
	source := enginetest.NewPeer("91")
	for what, c := range map[string]struct {
		content, base update.Hash
		whole         bool
	}{
		"what is held":      {update.Hash{}, held, false},
		"a later content":   {seen, seen, false},
		"what does not fit": {seen, update.Hash{}, true},
	} {
		n := newNode(false)
		n.version, n.held, n.content = 7, held, c.content
		if c.whole {
			n.do(n.missWhole(source, news.ID, 9))
		} else {
			n.do(n.Miss(source, news.ID, 9))
		}
		_, direct := sent[*Missing](n)
		n.env.Advance(3 * gapWait)
		all := direct
		for _, m := range n.routed {
			all = append(all, m.(*Missing))
		}
		if len(direct) != 1 || len(all) < 2 {
			t.Errorf("%s: %d requests, %d of them to the source", what, len(all), len(direct))
		}
		for _, m := range all {
			if *m != (Missing{Channel: news.ID, Base: c.base, Version: 7}) {
				t.Errorf("%s: it requests by %+v", what, m)
			}
		}
	}
	n := newNode(false)
	n.Use(network.Scribe, scribe{n})
	n.version, n.held = 7, held
	n.Join(news.ID, true)
	n.env.Advance(2 * halfHour)
	if len(n.routed) == 0 || *n.routed[0].(*Missing) != (Missing{Channel: news.ID, Base: held, Version: 7}) {
		t.Errorf("it audits by %+v", n.routed)
	}
}

// Offers of a missing version are followed a few times, and only if they offer something.
func TestOffersAreBounded(t *testing.T) {
	n, source := newNode(false), enginetest.NewPeer("91")
	if _, missing := n.Offered(source, news.ID, 9); missing {
		t.Error("an offer begins a gap")
	}
	n.version = 7
	n.do(n.Miss(source, news.ID, 9))
	n.env.Sent()
	var asked []engine.Peer
	offers := peers(maxOffers + 3)
	for i, p := range offers {
		version := uint64(9)
		if i == 0 {
			version = 7 // which is held
		}
		next, missing := n.Offered(p, news.ID, version)
		if n.do(next); !missing {
			t.Errorf("offer %d: nothing is missing", i)
		}
		to, _ := sent[*Missing](n)
		asked = append(asked, to...)
	}
	if !slices.Equal(asked, offers[1:1+maxOffers]) {
		t.Errorf("it is requested from %d nodes", len(asked))
	}
}
