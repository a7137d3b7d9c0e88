package rappel

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/vivaldi"
)

// newRoot returns a root at the origin with room for so many children.
func newRoot(t *testing.T, children int) *puppet {
	c := Default()
	c.Children = children
	return newPuppet(t, c, named("aa"), 0, 0)
}

// answers fails unless a Join is answered by want: "ok", "full", or the node to ask.
func (p *puppet) answers(from engine.Peer, m Join, want string) {
	p.t.Helper()
	got := ""
	switch a := p.joins(from, m).(type) {
	case *JoinOK:
		got = "ok"
	case *JoinForward:
		got = string(a.To.Address)
	case *JoinDeny:
		got = map[uint8]string{Full: "full", Invalid: "invalid", NoBetter: "no better"}[a.Why]
	}
	if got != want {
		p.t.Errorf("%s, which avoids %v, is answered %q, want %q", from, m.Avoid, got, want)
	}
}

// evicted fails unless just these were evicted by the last message.
func (p *puppet) evicted(want ...engine.Peer) {
	p.t.Helper()
	var got []engine.Peer
	for _, s := range p.sent {
		if _, ok := s.m.(*ChangeParent); ok {
			got = append(got, s.to)
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		p.t.Errorf("%v are evicted, want %v", got, want)
	}
}

func ids(peers ...engine.Peer) (list []engine.ID) {
	for _, p := range peers {
		list = append(list, p.ID)
	}
	return list
}

// A node that avoids another is not sent there, but by another way. If there is none it replaces a more remote child,
// and no other.
func TestAvoidedWays(t *testing.T) {
	full := func() *puppet {
		p := newRoot(t, 2)
		p.answers(b1, Join{Coordinate: place(10, 0)}, "ok")
		p.answers(b2, Join{Coordinate: place(0, 20)}, "ok")
		return p
	}
	p := full()
	p.answers(c1, Join{Coordinate: place(30, 0)}, "b1")
	p.answers(c1, Join{Coordinate: place(30, 0), Avoid: ids(b1)}, "b2")
	p.evicted()
	p.answers(c1, Join{Coordinate: place(30, 0), Avoid: ids(b1, b2)}, "full")
	p.evicted()
	p.answers(d1, Join{Coordinate: place(15, 0), Avoid: ids(b1)}, "ok")
	p.evicted(b2)
}

// A joining node drives out a child for which another way is less of a detour. A node that avoids another and has
// another way does not, as two such would alternate. Nor does a gentle one.
func TestWhoDrivesOut(t *testing.T) {
	for _, c := range []struct {
		join    Join
		want    string
		evicted []engine.Peer
	}{
		{Join{}, "ok", []engine.Peer{b2}},
		{Join{Avoid: ids(d1)}, "b1", nil},
		{Join{Gentle: true}, "b1", nil},
	} {
		p := newRoot(t, 2)
		p.answers(b1, Join{Coordinate: place(10, 0)}, "ok")
		p.answers(b2, Join{Coordinate: place(30, 0)}, "ok")
		c.join.Coordinate = place(0, 25)
		p.answers(c1, c.join, c.want)
		p.evicted(c.evicted...)
	}
}

// A bounded number of children is driven out at once, though each joining node is better than one of them.
func TestEvictionsAreBounded(t *testing.T) {
	p := newPuppet(t, Paper(), named("aa"), 0, 0)
	admitted, sent := 0, 0
	for i := range 200 {
		switch p.joins(named(fmt.Sprintf("b%03d", i)), Join{Coordinate: place(0, 1000-i)}).(type) {
		case *JoinOK:
			admitted++
		case *JoinForward, *JoinDeny:
			sent++
		}
	}
	if want := Paper().Children + evictionBurst; admitted != want || sent != 200-want {
		t.Errorf("%d are admitted and %d sent on, want %d admitted", admitted, sent, want)
	}
}

// banned admits a child with round trips a hundred times as long as its coordinate says, until it is sent away.
func (p *puppet) banned(child engine.Peer, at vivaldi.Coordinate) {
	p.t.Helper()
	p.answers(child, Join{Coordinate: at}, "ok")
	for try := 1; try <= minSamples; try++ {
		p.sent = nil
		p.advance(10 * time.Millisecond)
		pings := slices.DeleteFunc(slices.Clone(p.sent), func(s sending) bool {
			_, ok := s.m.(*Ping)
			return !ok || s.to != child
		})
		if len(pings) != 1 {
			p.t.Fatalf("a child is checked by %d pings", len(pings))
		}
		p.advance(time.Second)
		p.receives(child, &Ack{Number: pings[0].m.(*Ping).Number})
		if gone := len(sentOf[*Leave](p)) == 1; gone != (try == minSamples) {
			p.t.Fatalf("after %d round trips a child is sent away: %v", try, gone)
		}
		p.advance(verifyEvery - time.Second - 10*time.Millisecond)
	}
}

// If a node's coordinate is not believed, it can turn to the root alone, as a guest. It is served, and occupies no
// place. No node is sent to it, it is checked no more and goes after ten minutes. There are as many guests as children.
func TestGuests(t *testing.T) {
	p := newRoot(t, 2)
	near := place(5, 0)
	p.banned(c1, near)
	p.answers(c1, Join{Coordinate: near}, "ok")
	p.answers(b1, Join{Coordinate: place(10, 0)}, "ok")
	p.answers(b2, Join{Coordinate: place(0, 20)}, "ok")
	p.evicted()
	p.answers(d1, Join{Coordinate: place(30, 0)}, "b1")
	p.answers(d1, Join{Coordinate: place(30, 0), Avoid: ids(b1)}, "b2")
	p.answers(d1, Join{Coordinate: place(1, 0), Avoid: ids(b1, b2)}, "ok")
	p.evicted(b1)
	p.Publish(subject, &Void{})
	served := 0
	for _, s := range p.sent {
		if _, ok := s.m.(*Update); ok && s.to == c1 {
			served++
		}
	}
	if served != 1 {
		t.Errorf("a guest is sent %d updates, want 1", served)
	}
	p.sent = nil
	for range 19 {
		p.advance(30 * time.Second)
		p.Receive(c1, &Ping{Number: 1, Edges: []Edge{{Topic: subject}}})
		for _, s := range p.sent {
			switch m := s.m.(type) {
			case *Ping:
				if s.to == c1 {
					t.Fatal("a guest is checked")
				}
			case *Leave:
				if s.to == c1 {
					t.Fatal("a guest goes early")
				}
			case *Ack:
				if len(m.News) > 0 && m.News[0].Gone {
					t.Fatal("a guest is no child")
				}
			}
		}
	}
	p.sent = nil
	p.advance(time.Minute)
	if m := sentOf[*Leave](p); len(m) == 0 || !m[0].Child || p.trees[subject].children.find(c1.ID) != nil {
		t.Errorf("after ten minutes a guest stays: %v", p.sent)
	}
}

// The root has room for as many guests as children. A node that is a guest already may ask again.
func TestGuestsAreBounded(t *testing.T) {
	p := newRoot(t, 2)
	for _, b := range []engine.Peer{b1, b2, b3} {
		p.banned(b, place(5, 0))
	}
	p.answers(b1, Join{Coordinate: place(5, 0)}, "ok")
	p.answers(b2, Join{Coordinate: place(5, 0)}, "ok")
	p.answers(b3, Join{Coordinate: place(5, 0)}, "full")
	p.answers(b2, Join{Coordinate: place(5, 0)}, "ok")
	p.advance(shunning)
	p.answers(b3, Join{Coordinate: place(5, 0)}, "ok")
	if k := p.trees[subject].children.find(b3.ID); k.status != stays {
		t.Error("a node is a guest for ever")
	}
}

// A node that is not the root does not admit a node with a coordinate that it has found false.
func TestOnlyRootsHaveGuests(t *testing.T) {
	p := newPuppet(t, Default(), f0, 100, 0)
	p.admitted(c1, func() *Join { p.forwarded(f0, p.asks(f0), c1); return p.asks(c1) }())
	p.banned(b1, place(105, 0))
	p.answers(b1, Join{Coordinate: place(105, 0)}, "invalid")
}

// A place is refused if its path is no shorter than that of the joining node. It is also refused below a chain of
// ancestors of the greatest length.
func TestWhatIsRefused(t *testing.T) {
	p := newRoot(t, 2)
	p.answers(b1, Join{Coordinate: place(30, 0), Better: 30_000}, "no better")
	p.answers(b1, Join{Coordinate: place(30, 0), Better: 30_001}, "ok")
	for ancestors, want := range map[int]string{maxChain - 3: "ok", maxChain - 2: "full"} {
		p := newPuppet(t, Default(), f0, 100, 0)
		p.forwarded(f0, p.asks(f0), c1)
		chain := []engine.Peer{}
		for i := range ancestors - 1 {
			chain = append(chain, named(fmt.Sprintf("d%03d", i)))
		}
		p.admitted(c1, p.asks(c1), append(chain, f0)...)
		p.answers(b1, Join{Coordinate: place(105, 0)}, want)
	}
}

// The heir of a node that leaves is its least remote child, which goes to the parent. The others go to the heir. The
// node leaves when all have gone, or after half a minute.
func TestLeaving(t *testing.T) {
	p := newChild(t)
	p.answers(b1, Join{Coordinate: place(130, 0)}, "ok")
	p.answers(b4, Join{Coordinate: place(110, 0)}, "ok")
	p.sent = nil
	p.Leave(subject)
	sent := map[engine.Peer]engine.Peer{}
	for _, s := range p.sent {
		if m, ok := s.m.(*ChangeParent); ok {
			sent[s.to] = m.To
		}
	}
	if m := sentOf[*Replace](p); sent[b4] != c1 || sent[b1] != b4 || len(m) != 1 || m[0].Child != b4 {
		t.Errorf("children are sent to %v", sent)
	}
	p.receives(b4, &Leave{Topic: subject})
	if len(sentOf[*Leave](p)) > 0 {
		t.Error("it leaves before its children")
	}
	if p.receives(b1, &Leave{Topic: subject}); len(sentOf[*Leave](p)) != 1 || p.trees[subject] != nil {
		t.Error("it does not leave when its children have left")
	}
}

// A child that never answers is pinged to check where it lies. The number of pings is bounded as long as it stays. It
// is pinged anew when it has joined anew.
func TestASilentChildIsCheckedSoOften(t *testing.T) {
	p := newRoot(t, 2)
	checked := func() (pings int) {
		for range 20 {
			p.sent = nil
			p.advance(verifyEvery)
			for _, s := range p.sent {
				if _, ok := s.m.(*Ping); ok && s.to == b1 {
					pings++
				}
			}
			p.receives(b1, &Ping{Edges: []Edge{{Topic: subject}}}) // it stays
		}
		return pings
	}
	for round := range 2 {
		p.answers(b1, Join{Coordinate: place(10, 0)}, "ok")
		if n := checked(); n != 2*minSamples {
			t.Errorf("round %d: a silent child is pinged %d times", round, n)
		}
		if n := checked(); n > 0 {
			t.Errorf("round %d: after it was given up a silent child is pinged %d times", round, n)
		}
		p.receives(b1, &Leave{Topic: subject})
	}
}
