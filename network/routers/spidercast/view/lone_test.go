package view_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/engine/enginetest"
	"tidings/network/routers/spidercast/interest"
	"tidings/network/routers/spidercast/view"
)

// lone is a view with the test as all other nodes.
type lone struct {
	*view.View
	env  *enginetest.Env
	from engine.Peer
	n    uint32
}

func newLone(c view.Config, follows ...int) *lone {
	l := &lone{env: enginetest.NewEnv(enginetest.NewPeer("50")), from: enginetest.NewPeer("a0")}
	l.View = view.New(l.env, c, &watched{known: map[engine.ID]view.Entry{}})
	l.follow(follows...)
	return l
}

func (l *lone) follow(follows ...int) {
	var topics []engine.ID
	for _, i := range follows {
		topics = append(topics, topic(i))
	}
	l.n++
	l.Follow(topics, interest.Of(topics, 64), l.n)
}

func entryOf(p engine.Peer, age uint32, follows ...int) view.Entry {
	var topics []engine.ID
	for _, i := range follows {
		topics = append(topics, topic(i))
	}
	return view.Entry{Peer: p, Follows: interest.Of(topics, 64), Version: 1, Age: age}
}

// send makes a node that speaks for the first time in a while name others.
func (l *lone) send(entries ...view.Entry) {
	l.from = enginetest.NewPeer(fmt.Sprintf("a%03x", l.n))
	l.n++
	l.Receive(l.from, &view.Shuffle{Self: entryOf(l.from, 0, 99), Sample: entries})
}

// shuffles returns the nodes to which Shuffles were sent since the last call, in order.
func (l *lone) shuffles() (to []engine.Peer) {
	for _, s := range l.env.Sent() {
		if _, ok := s.Message.(*view.Shuffle); ok {
			to = append(to, s.To)
		}
	}
	return to
}

// How many entries follow a topic is counted as they come, change, go, and as this node follows other topics.
func TestCoversAreCounted(t *testing.T) {
	l := newLone(view.Default(), 1, 2)
	p, q := enginetest.NewPeer("60"), enginetest.NewPeer("70")
	want := func(what string, one, two, three int) {
		t.Helper()
		if a, b, c := l.Covers(topic(1)), l.Covers(topic(2)), l.Covers(topic(3)); a != one || b != two || c != three {
			t.Errorf("%s: %d, %d and %d follow the topics, want %d, %d and %d", what, a, b, c, one, two, three)
		}
	}
	want("at first", 0, 0, 0)
	l.send(entryOf(p, 9, 1), entryOf(q, 9, 1, 2, 3))
	want("two", 2, 1, 0)
	changed := entryOf(p, 0, 2, 3)
	changed.Version = 2
	l.send(changed)
	want("one follows others", 1, 2, 0)
	l.follow(1, 3)
	want("this node follows others", 1, 0, 2)
	l.PeerDown(q)
	want("one is down", 0, 0, 1)
	l.PeerDown(q)
	want("it is down again", 0, 0, 1)
}

// Each is asked in its turn, first the one with the oldest last sign of life. One that does not answer is asked no more
// but at intervals.
func TestEachIsAskedInItsTurn(t *testing.T) {
	c := view.Default()
	l := newLone(c, 1)
	var peers []engine.Peer
	for i := range 4 {
		peers = append(peers, enginetest.NewPeer(fmt.Sprintf("6%d", i)))
	}
	l.send(entryOf(peers[2], 30, 1), entryOf(peers[0], 50, 1), entryOf(peers[3], 20, 1), entryOf(peers[1], 40, 1))
	var asked []engine.Peer
	for range 2000 {
		l.env.Advance(c.FastRound / 4)
		for _, s := range l.env.Sent() {
			m, ok := s.Message.(*view.Shuffle)
			if !ok {
				continue
			}
			if s.To != l.from {
				asked = append(asked, s.To)
			}
			l.Receive(s.To, &view.ShuffleReply{Number: m.Number, Self: entryOf(s.To, 0, 1)})
		}
		if len(asked) >= 8 {
			break
		}
	}
	if want := slices.Concat(peers, peers); len(asked) < 8 || !slices.Equal(asked[:8], want) {
		t.Errorf("these are asked: %v", asked)
	}
}

// An entry that is not confirmed goes when it is too old, at its age and not before. What was said of it before that is
// not believed any more; what it says itself is.
func TestEntriesAgeOut(t *testing.T) {
	c := view.Default()
	l := newLone(c, 1)
	p := enginetest.NewPeer("60")
	has := func() bool {
		return slices.ContainsFunc(l.Entries(), func(e view.Entry) bool { return e.Peer == p })
	}
	l.send(entryOf(p, 10, 1))
	born := l.env.Now() - 10*time.Second
	for has() {
		if l.env.Now() > born+c.MaxAge+2*c.Round {
			t.Fatal("it stays")
		}
		l.env.Advance(time.Second) // nobody answers
		if expired := slices.Contains(l.env.Traced(), any(view.Expired{Peer: p})); expired &&
			l.env.Now() < born+c.MaxAge {
			t.Fatalf("it is gone after %v of %v", l.env.Now()-born, c.MaxAge)
		}
		l.env.Sent()
	}
	if l.send(entryOf(p, uint32(l.env.Now().Seconds()), 1)); has() {
		t.Error("what was said before is believed")
	}
	if l.Receive(p, &view.Shuffle{Self: entryOf(p, 0, 1)}); !has() {
		t.Error("it is not believed when it speaks itself")
	}
}

// A node that was met and does not answer is asked again at intervals. It is one of the lost until it sends something.
func TestThoseThatWereMet(t *testing.T) {
	c := view.Default()
	l := newLone(c, 1)
	p := enginetest.NewPeer("60")
	l.Meet(p, l.env.Self())
	l.env.Advance(2 * c.FastRound)
	if to := l.shuffles(); len(to) == 0 || slices.Contains(to, l.env.Self()) || to[0] != p {
		t.Errorf("these are asked: %v", to)
	}
	l.env.Advance(4 * c.Retry)
	if to := l.shuffles(); len(to) < 2 {
		t.Errorf("it is asked %d times more", len(to))
	}
	l.Receive(p, &view.Shuffle{Self: entryOf(p, 0, 1)})
	if l.Len() != 1 {
		t.Errorf("%d entries", l.Len())
	}
	l.Stop()
	l.env.Sent()
	if l.env.Advance(time.Hour); len(l.shuffles()) > 0 || l.env.Timers() > 0 {
		t.Errorf("it goes on after its end, with %d timers", l.env.Timers())
	}
}
