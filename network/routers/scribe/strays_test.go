package scribe_test

import (
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/engine/enginetest"
	"tidings/network/routers/scribe"
)

// to returns the nodes that messages of a type went to.
func to[M engine.Message](sent []enginetest.Sent) (list []engine.Peer) {
	for _, s := range sent {
		if _, ok := s.Message.(M); ok {
			list = append(list, s.To)
		}
	}
	return list
}

// A publisher that has asked for the roots offers an event to those that the first answer names. An answer that comes
// again, or that nobody has asked for, has no effect.
func TestOneAnswerNamesTheRoots(t *testing.T) {
	l := newLone()
	l.far = true
	l.publish(1)
	answer := func(digits string) []engine.Peer {
		l.env.Sent()
		l.Receive(l.roots[0], &scribe.Roots{Group: scribe.NameOf(loneTopic, loneTopic),
			Roots: []engine.Peer{enginetest.NewPeer(digits)}})
		return to[*scribe.Publish](l.env.Sent())
	}
	for rounds := range 3 {
		for asked := false; !asked; {
			if l.env.Now() > time.Hour {
				t.Fatalf("after %d answers nobody is asked for the roots", rounds)
			}
			l.env.Advance(time.Second)
			asked = len(to[*scribe.Ask](l.env.Sent())) > 0
		}
		for i, want := range []int{1, 0, 0} {
			if given := answer([]string{"82", "83", "84"}[i]); len(given) != want {
				t.Errorf("round %d, answer %d: the event is offered to %v; want %d nodes", rounds+1, i+1, given, want)
			}
		}
	}
}

// The first node that admits a member is its parent. Another one that admits it later is sent a Leave, and the member
// stays where it is.
func TestALateParentIsNone(t *testing.T) {
	l := newLone()
	l.Join(loneTopic)
	joined := &scribe.Joined{Group: scribe.NameOf(loneTopic, loneTopic), Line: 1}
	one, other := enginetest.NewPeer("a0"), enginetest.NewPeer("b0")
	l.env.Sent()
	l.Receive(one, joined)
	if left := to[*scribe.Leave](l.env.Sent()); len(left) > 0 {
		t.Fatalf("the first parent is left: %v", left)
	}
	l.Receive(other, joined)
	if left := to[*scribe.Leave](l.env.Sent()); len(left) != 1 || left[0] != other {
		t.Errorf("when another node admits it too, it leaves %v; want %v", left, other)
	}
}

// A node that is not the parent cannot leave a member: the parent stays.
func TestALeaveIsOfTheParent(t *testing.T) {
	l := newLone()
	l.Join(loneTopic)
	name := scribe.NameOf(loneTopic, loneTopic)
	parent, other, third := enginetest.NewPeer("a0"), enginetest.NewPeer("b0"), enginetest.NewPeer("c0")
	joined := &scribe.Joined{Group: name, Line: 1}
	l.Receive(parent, joined)
	for _, c := range []struct {
		leaves engine.Peer
		stays  bool
	}{{other, true}, {parent, false}} {
		l.Receive(c.leaves, &scribe.Leave{Groups: []scribe.Group{name}})
		l.env.Sent()
		l.Receive(third, joined)
		if refused := len(to[*scribe.Leave](l.env.Sent())) == 1; refused != c.stays {
			t.Errorf("when %v leaves, another parent is refused: %v; want %v", c.leaves, refused, c.stays)
		}
	}
}

// An event that is published again while it waits is offered as a new one is, soon and as often.
func TestAnEventPublishedAgainIsOfferedAnew(t *testing.T) {
	l := newLone()
	l.publish(1)
	wait := scribe.Default().PublishRetry * 9 / 8
	for range 3 {
		l.env.Advance(time.Minute)
		l.offered()
		l.Publish(loneTopic, &note{1})
		if now := l.offered(); len(now) != 1 {
			t.Errorf("published again, it is offered %d times at once", len(now))
		}
		l.env.Advance(wait)
		if later := l.offered(); len(later) != 1 {
			t.Errorf("it is not offered again after %v", wait)
		}
	}
}
