package rappel

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/routers/rappel/window"
)

// live lets time pass in which the parent answers pings, a moment after they came, and nobody else answers anything. It
// returns what was sent.
func (p *puppet) live(d, rtt time.Duration) (sent []sending) {
	for end := p.time + d; p.time < end; {
		p.sent = nil
		p.advance(100 * time.Millisecond)
		now := p.sent
		for _, s := range now {
			if m, ok := s.m.(*Ping); ok && s.to == c1 {
				p.advance(rtt)
				p.Receive(c1, &Ack{Number: m.Number})
			}
		}
		sent = append(sent, now...)
	}
	return sent
}

// pulls returns the nodes that were asked for updates.
func pulls(sent []sending) (list []string) {
	for _, s := range sent {
		if _, ok := s.m.(*Pull); ok {
			list = append(list, string(s.to.Address))
		}
	}
	return list
}

// Missing updates are requested from the parent twice, then from the nodes above it, and from the root last (section
// 4.1). Nothing is given up before all have said that they lack it. This holds at the first gap and at each later one.
func TestWhoIsAskedForWhatIsMissing(t *testing.T) {
	p := newChild(t)
	for gap := range uint64(3) {
		last := 2 * (gap + 1)
		stamp := window.Stamp{Epoch: 1, Number: last}
		p.receives(c1, &Update{Topic: subject, Stamp: stamp, Event: &Void{Stamp: stamp}})
		p.sent = nil
		p.advance(Default().Pull)
		for i, want := range []engine.Peer{c1, c1, b2, f0} {
			if got := pulls(p.sent); !slices.Equal(got, []string{string(want.Address)}) {
				t.Fatalf("gap %d, try %d: %v are asked, want %s", gap, i, got, want)
			}
			if traces[GaveUp](p) != int(gap) {
				t.Fatalf("gap %d: it is given up after %d answers", gap, i)
			}
			p.receives(want, &Pulled{Topic: subject, Epoch: 1, Last: last})
		}
		if v, _ := p.Tree(subject); traces[GaveUp](p) != int(gap)+1 || v.Missing > 0 || len(p.sent) > 0 {
			t.Errorf("gap %d: it is not given up when all have answered: %v", gap, p.sent)
		}
	}
}

// A node that leaves serves its child with what comes, and pulls nothing: neither what was missing before, nor what
// turns out to be missing while it leaves. Once it joins again it does.
func TestANodeThatLeavesPullsNothing(t *testing.T) {
	void := func(last uint64) *Void { return &Void{Topic: subject, Stamp: window.Stamp{Epoch: 1, Number: last}} }
	for _, before := range []bool{true, false} {
		p := newChild(t)
		p.trees[subject].feed.inspection.next = p.time + time.Hour
		p.answers(d1, Join{Coordinate: place(130, 0)}, "ok")
		if before {
			p.receives(c1, void(3))
		}
		p.Leave(subject)
		if !before {
			p.receives(c1, void(3))
		}
		if asked := pulls(p.live(Default().Parting/2, 50*time.Millisecond)); len(asked) > 0 {
			t.Errorf("a node that leaves asks %v", asked)
		}
		p.Join(subject)
		p.trees[subject].feed.void = 0
		p.receives(c1, void(4))
		if asked := pulls(p.live(2*Default().Pull, 50*time.Millisecond)); len(asked) == 0 {
			t.Error("a node that has joined again asks nobody")
		}
	}
}

// Where nobody answers the network may be cut: more is asked, ever more seldom, and each as often as others.
func TestNobodyHasWhatIsMissing(t *testing.T) {
	p := newChild(t)
	p.receives(c1, &Void{Topic: subject, Stamp: window.Stamp{Epoch: 1, Number: 2}})
	asked := map[string]int{}
	for range 200 {
		p.trees[subject].feed.inspection.next = p.time + time.Hour
		for _, to := range pulls(p.live(5*time.Second, 50*time.Millisecond)) {
			asked[to]++
		}
	}
	if got := fmt.Sprint(asked); got != "map[b2:4 c1:8 f0:4]" || traces[GaveUp](p) != 1 {
		t.Errorf("these are asked: %s", got)
	}
}

// An ancestor is asked at intervals. If it has an update that the parent does not bring, that is the parent's fault. An
// ancestor that does not answer twice was invented, and so was one that does not know the topic.
func TestInspections(t *testing.T) {
	update := &Update{Topic: subject, Stamp: window.Stamp{Epoch: 1, Number: 1},
		Event: &Void{Stamp: window.Stamp{Number: 1}}}
	inspected := func() (p *puppet, by engine.Peer) {
		p = newChild(t)
		p.trees[subject].seeking.rejoinAt = never
		for range 10_000 {
			if asked := pulls(p.live(100*time.Millisecond, 50*time.Millisecond)); len(asked) == 1 {
				return p, named(asked[0])
			}
		}
		t.Fatal("nobody is inspected")
		return nil, engine.Peer{}
	}
	for _, c := range []struct {
		name   string
		play   func(p *puppet, by engine.Peer)
		blamed string
	}{
		{"all agree", func(p *puppet, by engine.Peer) { p.receives(by, &Pulled{Topic: subject, Epoch: 1}) }, ""},
		{"the parent is later", func(p *puppet, by engine.Peer) {
			p.receives(by, update)
			p.receives(by, &Pulled{Topic: subject, Epoch: 1, Last: 1, Sent: 1})
			p.live(10*time.Second, 50*time.Millisecond)
			p.receives(c1, update)
		}, ""},
		{"the parent brings nothing", func(p *puppet, by engine.Peer) {
			p.receives(by, update)
			p.receives(by, &Pulled{Topic: subject, Epoch: 1, Last: 1, Sent: 1})
		}, "updates"},
		{"the ancestor knows nothing",
			func(p *puppet, by engine.Peer) { p.receives(by, &Pulled{Topic: subject, Gone: true}) }, "chain"},
		{"nobody answers twice", func(p *puppet, _ engine.Peer) {
			p.live(time.Duration(1.6*float64(Default().Inspect)), 50*time.Millisecond)
			if traces[Blamed](p) > 0 {
				t.Error("an ancestor that did not answer once is the parent's fault")
			}
			p.live(Default().Inspect, 50*time.Millisecond)
		}, "chain"},
	} {
		p, by := inspected()
		c.play(p, by)
		p.live(20*time.Second, 50*time.Millisecond)
		var got string
		for _, e := range p.traced {
			if b, ok := e.(Blamed); ok && b.Parent == c1 {
				got = b.What
			}
		}
		if got != c.blamed {
			t.Errorf("%s: the parent is blamed for %q, want %q", c.name, got, c.blamed)
		}
	}
}

// A parent that is far from where it claims to be is left after three round trips.
func TestAParentThatLiesElsewhere(t *testing.T) {
	for rtt, blamed := range map[time.Duration]bool{50 * time.Millisecond: false, time.Second: true} {
		p := newChild(t)
		p.live(55*time.Second, rtt)
		if traces[Blamed](p) != 0 {
			t.Fatalf("a parent %v away is left after two round trips", rtt)
		}
		p.live(45*time.Second, rtt)
		if got := traces[Blamed](p) > 0; got != blamed {
			t.Errorf("a parent %v away is blamed: %v, want %v", rtt, got, blamed)
		}
	}
}

// A void update goes down once in half a period, whatever the parent sends, and from nobody else.
func TestVoidGoesDownOnce(t *testing.T) {
	p := newChild(t)
	p.answers(b1, Join{Coordinate: place(105, 0)}, "ok")
	handed := func(from engine.Peer) int {
		p.receives(from, &Void{Topic: subject, Stamp: window.Stamp{Epoch: 1, Number: 0}})
		return len(sentOf[*Void](p))
	}
	if handed(b2) != 0 || handed(c1) != 1 || handed(c1) != 0 {
		t.Error("a void update is not handed on just once")
	}
	p.trees[subject].children.find(b1.ID).heard = never / 2
	p.live(Default().Void/2, 5*time.Millisecond)
	if handed(c1) != 1 {
		t.Error("a void update is not handed on half a period later")
	}
}

// A root begins an epoch above what a child knows of, once a minute. An epoch beyond all calendars it does not believe.
func TestEpochsRise(t *testing.T) {
	p := newRoot(t, 2)
	p.answers(b1, Join{Coordinate: place(10, 0)}, "ok")
	begun := p.trees[subject].feed.Epoch
	claims := func(epoch uint64) uint64 {
		p.receives(b1, &Ping{Edges: []Edge{{Topic: subject, Epoch: epoch}}})
		return p.trees[subject].feed.Epoch
	}
	if claims(begun-1) != begun || claims(1<<63) != begun {
		t.Error("an epoch of the past, or of no calendar, is believed")
	}
	if got := claims(begun + 1e10); got != begun+1e10+1 || claims(begun+2e10) != got {
		t.Errorf("the epoch is %d above the first", got-begun)
	}
	p.advance(raising - time.Second)
	p.answers(b1, Join{Coordinate: place(10, 0)}, "ok")
	p.advance(time.Second)
	if got := claims(begun + 2e10); got != begun+2e10+1 {
		t.Errorf("a minute later the epoch is %d above the first", got-begun)
	}
}

// A node names its children to its parent when they have changed, until the parent has answered, and not again. It does
// so the first time and each later time. It also does so if a child comes between the question and the answer.
func TestChildrenAreNamedUntilTheParentAnswers(t *testing.T) {
	p := newChild(t)
	p.trees[subject].seeking.rejoinAt = never
	var children []engine.Peer
	asked := func() (m *Ping) { // the next Ping to the parent
		t.Helper()
		for i := range 6000 {
			if i%10 == 0 {
				for _, child := range children {
					p.receives(child, &Ping{Number: uint32(i), Edges: []Edge{{Topic: subject, Epoch: 1}}})
				}
			}
			p.sent = nil
			p.advance(100 * time.Millisecond)
			for _, s := range p.sent {
				if ping, ok := s.m.(*Ping); ok && s.to == c1 && len(ping.Edges) == 1 {
					return ping
				}
			}
		}
		t.Fatal("the parent is not asked")
		return nil
	}
	answer := func(m *Ping) { p.receives(c1, &Ack{Number: m.Number}) }
	comes := func(i int) {
		from := named(fmt.Sprintf("d%d", i))
		if _, ok := p.joins(from, Join{Coordinate: place(200, 10*i)}).(*JoinOK); !ok {
			t.Fatalf("child %d is not admitted", i)
		}
		children = append(children, from)
	}
	answer(asked())
	for round := range 2 { // it has room for few more
		comes(2 * round)
		first := asked()
		if e := first.Edges[0]; !e.Family || len(e.Children) == 0 {
			t.Fatalf("round %d: with a new child %+v is said", round, e)
		}
		again := asked() // nobody has answered
		if !again.Edges[0].Family {
			t.Errorf("round %d: what was not answered is not said again", round)
		}
		comes(2*round + 1) // before the answer
		answer(again)
		if last := asked(); !last.Edges[0].Family || len(last.Edges[0].Children) != len(first.Edges[0].Children)+1 {
			t.Errorf("round %d: a child that came before the answer is not named: %+v", round, last.Edges[0])
		} else {
			answer(last)
		}
		for range 3 {
			m := asked()
			if answer(m); m.Edges[0].Family {
				t.Errorf("round %d: children are named again that have not changed", round)
			}
		}
	}
}
