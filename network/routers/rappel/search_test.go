package rappel

import (
	"testing"
	"time"

	"tidings/network/engine"
)

var f0, b1, b2, b3, b4, c1, d1 = named("f0"), named("b1"), named("b2"), named("b3"), named("b4"), named("c1"),
	named("d1")

// admitted makes the node that was asked by m admit the puppet, below these ancestors; none: below the root.
func (p *puppet) admitted(by engine.Peer, m *Join, chain ...engine.Peer) {
	p.t.Helper()
	if chain == nil {
		chain = []engine.Peer{f0}
	}
	p.receives(by, &JoinOK{Topic: subject, Attempt: m.Attempt, Epoch: 1, Place: Place{
		Version: 7, Chain: chain, Self: place(50, 0), Root: place(0, 0), Path: 50_000,
	}})
	if !p.trees[subject].isParent(by.ID) {
		p.t.Fatalf("%s is not the parent", by)
	}
}

// newChild returns a node with the parent c1, below b2, b3 and the root.
func newChild(t *testing.T) *puppet {
	p := newPuppet(t, Default(), f0, 100, 0)
	p.forwarded(f0, p.asks(f0), c1)
	p.admitted(c1, p.asks(c1), b2, b3, f0)
	return p
}

// denied makes the node that was asked by m refuse.
func (p *puppet) denied(by engine.Peer, m *Join, why uint8) {
	p.receives(by, &JoinDeny{Topic: subject, Attempt: m.Attempt, Why: why})
}

// A node that is sent back to where it came from asks there again, to be sent elsewhere: one of the two does not know
// where the other lies. What is avoided by that is forgotten when there is a parent.
func TestSentBack(t *testing.T) {
	p := newPuppet(t, Default(), f0, 100, 0)
	p.forwarded(f0, p.asks(f0), b1)
	p.forwarded(b1, p.asks(b1), f0)
	p.forwarded(f0, p.asks(f0, b1), c1)
	p.admitted(c1, p.asks(c1, b1))
	p.receives(c1, &ChangeParent{Topic: subject, To: b2})
	p.asks(b2)
}

// Two that send a node to each other, whatever it avoids, are asked so often and no more.
func TestTwoThatAvoidEachOther(t *testing.T) {
	c := Default()
	p := newPuppet(t, c, f0, 100, 0)
	asked := 1
	p.forwarded(f0, p.asks(f0), b1)
	m, at, other := p.asks(b1), b1, f0
	for ; len(sentOf[*Join](p)) > 0 && asked <= 2*c.Forwards; asked++ {
		p.forwarded(at, m, other)
		if at, other = other, at; len(sentOf[*Join](p)) > 0 {
			m = p.asks(at, other)
		}
	}
	if asked != c.Forwards+1 {
		t.Errorf("they were asked %d times, want %d", asked, c.Forwards+1)
	}
	p.advance(2 * c.JoinRetry)
	if m := p.asks(f0, p.peer(p.trees[subject].seeking.dead)); m.Attempt == 0 {
		t.Error("the search does not begin anew")
	}
}

// peer returns the peer with an ID.
func (p *puppet) peer(id engine.ID) engine.Peer {
	for _, q := range []engine.Peer{f0, b1} {
		if q.ID == id {
			return q
		}
	}
	p.t.Fatalf("%s is avoided", id)
	return engine.Peer{}
}

// If a node's coordinate is not believed, it asks the node that sent it there to send it elsewhere. It names all nodes
// that do not believe it, and asks none of these again. The latest three are remembered. When no node is left, all are
// asked again.
func TestNotBelieved(t *testing.T) {
	p := newPuppet(t, Default(), f0, 100, 0)
	var avoided []engine.Peer
	for _, b := range []engine.Peer{b1, b2, b3, b4} {
		p.forwarded(f0, p.asks(f0, avoided...), b)
		p.denied(b, p.asks(b, avoided...), Invalid)
		avoided = append(avoided, b)
		avoided = avoided[max(len(avoided)-3, 0):]
	}
	p.forwarded(f0, p.asks(f0, avoided...), b3)
	if m := sentOf[*Join](p); len(m) > 0 {
		t.Fatalf("a node that does not believe it is asked again: %+v", m[0])
	}
	p.advance(2 * Default().JoinRetry)
	p.asks(f0)
}

// A node may be asked because a parent, or a plan, said so. If it does not believe the asking node, it is not avoided:
// no other sent the node there.
func TestNotBelievedWhereNobodySentIt(t *testing.T) {
	p := newPuppet(t, Default(), f0, 100, 0)
	p.forwarded(f0, p.asks(f0), c1)
	p.admitted(c1, p.asks(c1))
	p.receives(c1, &ChangeParent{Topic: subject, To: b1})
	p.denied(b1, p.asks(b1), Invalid)
	p.denied(f0, p.asks(f0), Full)
	if m := sentOf[*Join](p); len(m) > 0 {
		t.Errorf("%+v is asked", m[0])
	}
}

// Only after an Invalid is the sender of the node asked once more: other refusals say nothing of its coordinate.
func TestFullIsNotAvoided(t *testing.T) {
	p := newPuppet(t, Default(), f0, 100, 0)
	p.forwarded(f0, p.asks(f0), b1)
	p.denied(b1, p.asks(b1), Full)
	if m := sentOf[*Join](p); len(m) > 0 {
		t.Errorf("%+v is asked, though all were", m[0])
	}
}

// A node that does not answer is named to the next one that is asked. It does not matter whether the transport reports
// it or nothing comes. A lost parent is named too.
func TestTheDeadAreAvoided(t *testing.T) {
	for name, dies := range map[string]func(p *puppet){
		"by the transport": func(p *puppet) { p.PeerDown(b1) },
		"by silence":       func(p *puppet) { p.advance(Default().JoinTimeout) },
	} {
		p := newPuppet(t, Default(), f0, 100, 0)
		p.forwarded(f0, p.asks(f0), b1)
		p.asks(b1)
		p.sent = nil
		dies(p)
		p.advance(2 * Default().JoinRetry)
		if m := p.asks(f0, b1); m == nil {
			t.Errorf("%s: nobody is asked", name)
		}
	}
	p := newPuppet(t, Default(), f0, 100, 0)
	p.forwarded(f0, p.asks(f0), c1)
	p.admitted(c1, p.asks(c1))
	p.sent = nil
	p.PeerDown(c1)
	p.asks(f0, c1)
}

// An evicted node goes where its parent says, once. A parent that only does not know it any more is asked first, and
// avoided by nobody.
func TestAParentThatIsAlive(t *testing.T) {
	p := newPuppet(t, Default(), f0, 100, 0)
	p.forwarded(f0, p.asks(f0), c1)
	p.admitted(c1, p.asks(c1))
	p.receives(c1, &ChangeParent{Topic: subject, To: b1})
	p.asks(b1)
	if p.receives(c1, &ChangeParent{Topic: subject, To: b1}); len(p.sent) > 0 {
		t.Errorf("a search that is on begins anew: %v", p.sent)
	}
	p.receives(c1, &Leave{Topic: subject, Child: true})
	p.denied(c1, p.asks(c1), Detached)
	p.asks(f0)
}

// A root is at the top: what children may make it do, or a former parent, has no effect.
func TestARootHasNoParent(t *testing.T) {
	p := newPuppet(t, Default(), f0, 0, 0)
	p.forwarded(f0, p.asks(f0), c1)
	m := p.asks(c1)
	p.root = p.Self()
	p.RootChanged(subject)
	p.receives(c1, &JoinOK{Topic: subject, Attempt: m.Attempt, Place: Place{Chain: []engine.Peer{f0}, Self: place(0, 0),
		Root: place(0, 0)}})
	v, _ := p.Tree(subject)
	if !v.Root || len(v.Ancestors) > 0 || len(sentOf[*Leave](p)) != 1 {
		t.Errorf("the root is below %v and answers %v", v.Ancestors, p.sent)
	}
	p.sent = nil
	if p.advance(time.Hour); len(sentOf[*Join](p)) > 0 {
		t.Error("the root looks for a parent")
	}
}

// A node that did not believe another, or lied, is avoided by its later searches too.
func TestAvoidedFromNowOn(t *testing.T) {
	p := newPuppet(t, Default(), f0, 100, 0)
	p.forwarded(f0, p.asks(f0), b1)
	p.denied(b1, p.asks(b1), Invalid)
	p.forwarded(f0, p.asks(f0, b1), c1)
	p.admitted(c1, p.asks(c1, b1))
	p.receives(c1, &ChangeParent{Topic: subject, To: b1})
	p.admitted(f0, p.asks(f0, b1))
	p.sent = nil
	p.trees[subject].blame("updates")
	if m := sentOf[*Join](p); len(m) > 0 {
		t.Errorf("a parent that lied is asked: %+v", m[0])
	}
	p.advance(2 * Default().JoinRetry)
	p.asks(f0) // when nobody else is left
}

// A node that was asked after another had refused is not avoided: the joining node was not sent there.
func TestNotBelievedAfterAnother(t *testing.T) {
	p := newChild(t)
	p.receives(c1, &ChangeParent{Topic: subject, To: b1})
	p.forwarded(b1, p.asks(b1), b2)
	p.denied(b2, p.asks(b2), Full)
	p.denied(f0, p.asks(f0), Invalid)
	if m := sentOf[*Join](p); len(m) > 0 {
		t.Errorf("%+v is asked", m[0])
	}
}

// A parent is less remote from the root than its child, is not below it, and has the root that the Directory says
// (section 4.2). If a place does not fit, the node leaves it, or looks for another.
func TestPlacesThatDoNotFit(t *testing.T) {
	self := named("aa")
	fit := Place{Version: 8, Chain: []engine.Peer{f0}, Self: place(50, 0), Root: place(0, 0), Path: 50_000}
	for why, spoil := range map[string]func(p *Place){
		"":           func(*Place) {},
		"remote":     func(p *Place) { p.Self = place(150, 0) },
		"circle":     func(p *Place) { p.Chain = []engine.Peer{b1, self, f0} },
		"root":       func(p *Place) { p.Chain = []engine.Peer{f0, b1} },
		"coordinate": func(p *Place) { p.Self.Vector = p.Self.Vector[:1] },
	} {
		place := fit
		spoil(&place)
		p := newPuppet(t, Default(), f0, 100, 0)
		p.forwarded(f0, p.asks(f0), c1)
		p.receives(c1, &JoinOK{Topic: subject, Attempt: p.asks(c1).Attempt, Place: place})
		v, _ := p.Tree(subject)
		if fits := len(v.Ancestors) > 0; fits != (why == "") || fits == (len(sentOf[*Leave](p)) == 1) {
			t.Errorf("a place that is wrong by its %s is accepted: %v", why, fits)
		}
		p = newPuppet(t, Default(), f0, 100, 0)
		p.forwarded(f0, p.asks(f0), c1)
		p.admitted(c1, p.asks(c1))
		p.receives(c1, &Placed{Topic: subject, Place: place})
		if looks := len(sentOf[*Join](p)) > 0; looks != (why != "" && why != "root") {
			t.Errorf("a parent whose place is wrong by its %s is left: %v", why, looks)
		}
	}
}

// A node sends a joining node back. If it was avoided already when the other was asked, that one is not asked again. It
// would say the same.
func TestSentBackByWhoIsAvoided(t *testing.T) {
	p := newPuppet(t, Default(), f0, 100, 0)
	p.forwarded(f0, p.asks(f0), b1)
	p.advance(Default().JoinTimeout)
	p.advance(2 * Default().JoinRetry)
	p.forwarded(f0, p.asks(f0, b1), c1)
	p.forwarded(c1, p.asks(c1, b1), b1)
	p.forwarded(b1, p.asks(b1, b1), f0)
	if m := sentOf[*Join](p); len(m) > 0 {
		t.Errorf("%+v is asked", m[0])
	}
}

// A node below another root than the Directory says looks for one itself after a while. It does not while it looks
// already as it has lost that parent. Then the root is asked ever more seldom.
func TestAStrayThatLooksAlready(t *testing.T) {
	for _, lost := range []bool{false, true} {
		p := newChild(t)
		f1 := named("f1")
		p.root = f1
		stray := func() bool {
			for _, s := range p.sent {
				if m, ok := s.m.(*Ping); ok && s.to == c1 {
					p.Receive(c1, &Ack{Number: m.Number})
				}
			}
			p.sent = nil
			return p.trees[subject].strayAt != never
		}
		for range 90 {
			if p.advance(time.Second); stray() {
				break
			}
		}
		if !stray() {
			t.Fatal("it does not notice that there is another root")
		}
		if lost {
			p.PeerDown(c1)
			p.advance(0)
		}
		var at []time.Duration
		began := p.time
		for p.time < began+5*time.Minute {
			for _, s := range p.sent {
				if _, ok := s.m.(*Join); ok && s.to == f1 {
					at = append(at, p.time)
				}
			}
			stray()
			p.advance(100 * time.Millisecond)
		}
		if first := at[0] - began; lost != (first < Default().Ping) {
			t.Errorf("parent lost is %v: the root is asked after %v", lost, first)
		}
		for i := 2; i < 6; i++ {
			if before, pause := at[i-1]-at[i-2], at[i]-at[i-1]; pause <= before {
				t.Errorf("parent lost is %v: the root is asked %v after a pause of %v", lost, pause, before)
			}
		}
	}
}

// A late answer to an earlier Join of the same node is ignored. The search still awaits the answer to the latest Join.
func TestAnswersToAnEarlierJoin(t *testing.T) {
	c := Default()
	for what, late := range map[string]func(attempt uint32) engine.Message{
		"a denial": func(attempt uint32) engine.Message {
			return &JoinDeny{Topic: subject, Attempt: attempt,
				Why: Full}
		},
		"another": func(attempt uint32) engine.Message {
			return &JoinForward{Topic: subject, Attempt: attempt,
				To: b1}
		},
		"admittance": func(attempt uint32) engine.Message { return &JoinOK{Topic: subject, Attempt: attempt} },
	} {
		p := newPuppet(t, c, f0, 100, 0)
		first := p.asks(f0)
		p.sent = nil
		p.advance(c.JoinTimeout + 2*c.JoinRetry)
		second := p.asks(f0, f0)
		if first.Attempt == second.Attempt {
			t.Fatal("both have one number")
		}
		sent := p.receives(f0, late(first.Attempt))
		if refused := len(tracesOf[Refusal](p)) + len(tracesOf[Refused](p)); len(sent) > 0 || refused > 0 {
			t.Errorf("%s that is late has %v sent, and %d refused", what, sent, refused)
		}
		p.admitted(f0, second, []engine.Peer{}...)
	}
}
