package feedtree_test

import (
	"crypto/ed25519"
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/engine/enginetest"
	"tidings/network/feedtree"
	"tidings/network/feedtree/feedtreetest"
)

// lone is one node that follows a publisher. Its neighbours, ring and library are the test.
type lone struct {
	*feedtree.Node
	*enginetest.Env
	at        surroundings
	published []engine.Message
	kept      []*feedtree.Item
	lends     []func([]*feedtree.Item) // answers that the library owes
	routed    int                      // questions
}

// surroundings are what a lone node has around it; its parent is the only other node.
type surroundings struct{ l *lone }

var (
	loneParent  = enginetest.NewPeer("a1")
	lonePrivate = feedtreetest.PrivateKey("key of a lone node's feed")
	loneChannel = engine.IDOf([]byte("a lone node's channel"))
	loneTopic   = topicOf(lonePrivate)
)

func topicOf(private ed25519.PrivateKey) engine.ID {
	return feedtree.TopicOf(loneChannel, feedtree.KeyOf(private).Fingerprint())
}

func (s surroundings) Join(engine.ID)  {}
func (s surroundings) Leave(engine.ID) {}
func (s surroundings) Publish(_ engine.ID, m engine.Message) {
	s.l.published = append(s.l.published, m)
}
func (s surroundings) Parent(engine.ID) (engine.Peer, bool)  { return loneParent, true }
func (s surroundings) Children(engine.ID) []engine.Peer      { return nil }
func (s surroundings) Roots(engine.ID) []engine.Peer         { return nil }
func (s surroundings) Distrust(engine.ID)                    {}
func (s surroundings) Active() bool                          { return true }
func (s surroundings) Route(engine.ID, engine.Message)       { s.l.routed++ }
func (s surroundings) Known() []engine.Peer                  { return nil }
func (s surroundings) Keep(_ engine.ID, item *feedtree.Item) { s.l.kept = append(s.l.kept, item) }
func (s surroundings) Lend(_ engine.ID, _, _ uint64, _ int, found func([]*feedtree.Item)) {
	s.l.lends = append(s.l.lends, found)
}

// newLoneWith returns a node that follows nothing yet.
func newLoneWith(c feedtree.Config, a feedtree.Archive) *lone {
	l := &lone{Env: enginetest.NewEnv(enginetest.NewPeer("c3"))}
	l.at = surroundings{l}
	l.Node = feedtree.New(l.Env, l.at, l.at, a, c)
	l.Use(l.at)
	return l
}

// newFollower returns a node that has the items up to a number, and follows on.
func newFollower(t testing.TB, have uint64) *lone {
	l := newLoneWith(feedtree.Default(), nil)
	l.follow(t, have)
	return l
}

func (l *lone) follow(t testing.TB, have uint64) {
	w := feedtree.Following{Topic: loneTopic, Channel: loneChannel, Pin: feedtree.KeyOf(lonePrivate).Fingerprint(),
		Have: have}
	if err := l.Follow(w); err != nil {
		t.Fatal(err)
	}
}

// asked has a search for what is missing go as far as the parent, and returns the question.
func (l *lone) asked(t testing.TB) *feedtree.Ask {
	for range 100 {
		l.Advance(time.Second)
		for _, s := range l.Sent() {
			if ask, ok := s.Message.(*feedtree.Ask); ok && s.To == loneParent {
				return ask
			}
		}
	}
	t.Fatal("the parent is not asked")
	return nil
}

// traces returns how many events of a type were traced since the last call.
func traces[E any](l *lone) (n int) {
	for _, e := range l.Traced() {
		if _, ok := e.(E); ok {
			n++
		}
	}
	return n
}

// loneTime is a time at which everything can have been said.
var loneTime = enginetest.NewEnv(engine.Peer{}).Wall().UnixMilli()

func signedItem(number uint64, at int64, entry string) *feedtree.Item {
	i := &feedtree.Item{Number: number, Time: at, Entry: []byte(entry)}
	i.Sign(loneTopic, lonePrivate)
	return i
}

// Any change to a signed word makes it refused, down the tree and in answers. Nothing is kept of it, and nothing
// changes in what is known of the publisher. The sender is blamed (hostile 42).
func TestEachFieldOfAPublishersWordsCounts(t *testing.T) {
	// down delivers an event as trees do.
	down := func(event engine.Message) (l *lone, ok bool) {
		l = newFollower(t, 5)
		before, _ := l.Status(loneTopic)
		if event == nil {
			return l, false
		}
		if _, _, ok = l.Admit(loneTopic, event, loneParent); ok {
			l.Deliver(loneTopic, event, loneParent)
			return l, true
		}
		if after, _ := l.Status(loneTopic); after != before || len(l.kept) > 0 || len(l.Refusals()) != 1 {
			t.Errorf("%#v is refused, and yet %+v has become %+v, %d items are kept, and blamed are %v", event, before,
				after, len(l.kept), l.Refusals())
		}
		return l, false
	}
	enginetest.CheckProof(t, signedItem(6, loneTime, "six"), signedItem(7, loneTime+1, "seven"), nil,
		func(i *feedtree.Item) bool {
			l, _ := down(i)
			return len(l.kept) > 0
		})
	beat := func(number uint64, at int64, silence uint32) *feedtree.Heartbeat {
		h := &feedtree.Heartbeat{Number: number, Time: at, Silence: silence}
		h.Sign(loneTopic, lonePrivate)
		return h
	}
	enginetest.CheckProof(t, beat(6, loneTime, 60), beat(7, loneTime+1, 90), nil, func(h *feedtree.Heartbeat) bool {
		l, _ := down(h)
		s, _ := l.Status(loneTopic)
		return s.Last > 5 || s.Silence > 0
	})
	rotation := func(to string, at int64) *feedtree.Rotation {
		r := &feedtree.Rotation{New: feedtree.KeyOf(feedtreetest.PrivateKey(to)), Time: at}
		r.Sign(lonePrivate)
		return r
	}
	enginetest.CheckProof(t, rotation("next", loneTime), rotation("another", loneTime+1), nil,
		func(r *feedtree.Rotation) bool {
			l, _ := down(r)
			return traces[feedtree.Rotated](l) > 0
		})
	revocation := func(by ed25519.PrivateKey, at int64) *feedtree.Revocation {
		r := &feedtree.Revocation{Time: at}
		r.Sign(by)
		return r
	}
	other := revocation(feedtreetest.PrivateKey("another"), loneTime+1)
	enginetest.CheckProof(t, revocation(lonePrivate, loneTime), other, nil, func(r *feedtree.Revocation) bool {
		l, _ := down(r)
		return traces[feedtree.Revoked](l) > 0
	})

	withdrawal := func(number uint64) *feedtree.Withdrawal {
		w := &feedtree.Withdrawal{Number: number}
		w.Sign(loneTopic, lonePrivate)
		return w
	}
	enginetest.CheckProof(t, withdrawal(6), withdrawal(7), nil, func(w *feedtree.Withdrawal) bool {
		return w.Verify(loneTopic) == nil
	})
}

// Other nodes' reports of a publisher's words are believed for their signatures, each, and only if they were requested.
func TestEachFieldOfAnAnswerCounts(t *testing.T) {
	answer := func(m *feedtree.Items) *lone {
		l := newFollower(t, 5)
		l.asked(t)
		l.Receive(loneParent, m)
		return l
	}
	items := func(items ...engine.Message) *feedtree.Items {
		return &feedtree.Items{Topic: loneTopic, From: 6, Items: items}
	}
	words := func(words ...engine.Message) *feedtree.Items {
		return &feedtree.Items{Topic: loneTopic, From: 6, Words: words}
	}

	enginetest.CheckProof(t, signedItem(6, loneTime, "six"), signedItem(7, loneTime+1, "seven"), nil,
		func(i *feedtree.Item) bool { return len(answer(items(i)).kept) > 0 })
	enginetest.CheckProof(t, signedItem(6, loneTime, "six").Head(), signedItem(7, loneTime+1, "seven").Head(), nil,
		func(h *feedtree.Head) bool {
			s, _ := answer(words(h)).Status(loneTopic)
			return s.Last > 5
		})
	proof := func(number uint64) *feedtree.Equivocation {
		one, two := signedItem(number, loneTime, "one thing"), signedItem(number, loneTime+1, "another")
		return &feedtree.Equivocation{Topic: loneTopic, First: *one.Head(), Second: *two.Head()}
	}
	enginetest.CheckProof(t, proof(6), proof(7), nil, func(e *feedtree.Equivocation) bool {
		l := newFollower(t, 5)
		l.Receive(loneParent, e)
		s, _ := l.Status(loneTopic)
		return s.Doubled
	})
}
