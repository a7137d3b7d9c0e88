package believe

import (
	"slices"
	"testing"
	"time"

	"tidings/network/corona/version/update"
	"tidings/network/engine"
	"tidings/network/engine/enginetest"
)

// answered has the poll under way show a content, and returns the nodes that are sent it.
func (n *node) answered() (to []engine.Peer) {
	n.Answer(news.ID, update.Hash{1})
	for _, s := range n.env.Sent() {
		to = append(to, s.To)
	}
	return to
}

// A poll serves all nodes that ask while it is under way, for a minute from when it began. One that was lost is
// repeated for the next node that asks, which alone is answered.
func TestAPollUnderWayServesAllRequesters(t *testing.T) {
	n, a, b := newNode("51", 100, 0), enginetest.NewPeer("91"), enginetest.NewPeer("92")
	ask := func(from engine.Peer) int {
		before := n.polls
		if !n.PollFor(from, news, 100) {
			t.Error("it does not poll, nor wait for a poll")
		}
		return n.polls - before
	}
	for round := range 4 {
		if ask(a) != 1 {
			t.Errorf("round %d: no poll is begun", round)
		}
		n.env.Advance(verifyPatience - 1)
		if ask(b) != 0 {
			t.Errorf("round %d: a poll is begun while one is under way", round)
		}
		if to := n.answered(); !slices.Equal(to, []engine.Peer{a, b}) {
			t.Errorf("round %d: %v are answered", round, to)
		}
		n.env.Advance(time.Minute)
	}
	for round := range 3 {
		if begun := ask(a); begun != 1 {
			t.Errorf("round %d: %d polls are begun after a lost one", round, begun)
		}
		n.env.Advance(verifyPatience)
	}
	if begun := ask(b); begun != 1 {
		t.Errorf("%d polls are begun after the lost ones", begun)
	}
	if to := n.answered(); !slices.Equal(to, []engine.Peer{b}) {
		t.Errorf("%v are answered", to)
	}
	if to := n.answered(); to != nil {
		t.Errorf("%v are answered once more", to)
	}
}

// A node that asks at the end of an interval is answered in the next. So many can wait for a poll; others ask again.
func TestNodesThatWaitForAPoll(t *testing.T) {
	n := newNode("51", 100, 0)
	var from []engine.Peer
	for i := range maxPendingVerify + 1 {
		from = append(from, enginetest.NewPeer(string(rune('a'+i))))
	}
	for round := range 3 {
		n.PollFor(from[0], news, 100)
		n.answered()
		n.env.Advance(halfHour - time.Second)
		for i, p := range from {
			if got := n.PollFor(p, news, 100); got != (i < maxPendingVerify) {
				t.Errorf("round %d: node %d waits: %v", round, i, got)
			}
		}
		n.env.Advance(2 * time.Second)
		if to := n.answered(); !slices.Equal(to, from[:maxPendingVerify]) {
			t.Errorf("round %d: %v are answered", round, to)
		}
		if n.env.Advance(halfHour); len(n.pending) != 0 {
			t.Errorf("round %d: after an interval without requests a channel is remembered", round)
		}
	}
}

// What other nodes can make a node poll in an interval is bounded, and the bound begins anew with each interval.
func TestPollsForOthersAreBounded(t *testing.T) {
	n, from := newNode("51", 100, 0), enginetest.NewPeer("91")
	const most = 3
	for interval := range 3 {
		for poll := range most + 2 {
			if got := n.PollFor(from, news, most); got != (poll < most) {
				t.Errorf("interval %d: poll %d is made: %v", interval, poll, got)
			}
			n.answered()
		}
		n.env.Advance(halfHour)
	}
	if n.polls != 3*most {
		t.Errorf("%d polls are made, want %d", n.polls, 3*most)
	}
}

// The signatures of a version are passed on with that content alone: not with another number, nor with another content
// for its number, of which the giver would seem to equivocate. An owner signs such an update anew.
func TestSignaturesAreOfOneContent(t *testing.T) {
	giver := enginetest.NewPeer("91")
	known := version(giver, 2, "two")
	for what, c := range map[string]struct {
		change func(u *update.Update)
		known  bool
	}{
		"the version itself": {func(*update.Update) {}, true},
		"another number":     {func(u *update.Update) { u.Version += 1 << update.TagBits }, false},
		"another content":    {func(u *update.Update) { u.Hash[31] ^= 1 }, false},
		"another channel":    {func(u *update.Update) { u.Channel[0] ^= 1 }, false},
	} {
		for _, owns := range []bool{false, true} {
			n := newNode("51", 100, 0)
			n.owns = owns
			n.Note(known)
			u := &update.Update{Channel: known.Channel, Version: known.Version, Hash: known.Hash}
			c.change(u)
			want := *u
			sealed := n.Sealed(u)
			switch {
			case sealed != (c.known || owns):
				t.Errorf("%s, owned here %v: it may be lent: %v", what, owns, sealed)
			case c.known && (u.Seal.Giver != giver || string(u.Seal.Given) != string(known.Seal.Given) ||
				u.FoundBy != giver.ID):
				t.Errorf("%s, owned here %v: it is lent with %+v", what, owns, u)
			case !c.known && !owns && (u.Seal.Given != nil || u.FoundBy != want.FoundBy):
				t.Errorf("%s: what is not lent has got signatures: %+v", what, u)
			case !c.known && owns && u.Seal.Giver.ID != n.env.Self().ID:
				t.Errorf("%s: an owner lends it as of %v", what, u.Seal.Giver)
			}
			if h := u.Header(); sealed && !update.IsSigned(keys{}, &h) {
				t.Errorf("%s, owned here %v: it is lent with a signature of something else", what, owns)
			}

			n.held[u.Version] = u.Hash
			h := n.HeaderOf(u.Channel)
			is := h.Channel == u.Channel && h.Version == u.Version && h.Hash == u.Hash
			if !owns && len(h.Given) > 0 != c.known || what != "another channel" && !is {
				t.Errorf("%s: the header of what is held here is %+v", what, h)
			}
			f := &update.Update{Channel: u.Channel, Hash: u.Hash}
			if n.FoundAs(f); !owns && what != "another number" && (f.FoundBy == giver.ID) != c.known {
				t.Errorf("%s: its finder is %v", what, f.FoundBy)
			}
		}
	}
}
