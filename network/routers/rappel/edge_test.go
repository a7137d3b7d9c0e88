package rappel

import (
	"slices"
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/routers/rappel/window"
)

// tracesOf returns the trace events of one type so far.
func tracesOf[E any](p *puppet) (list []E) {
	for _, e := range p.traced {
		if e, ok := e.(E); ok {
			list = append(list, e)
		}
	}
	return list
}

// The root's answer to a published event ends the wait for it, and says once how it ended. It must come from the root.
// Another event of the topic goes on waiting.
func TestTakenEndsTheWait(t *testing.T) {
	for _, refused := range []bool{false, true} {
		for what, c := range map[string]struct {
			from  engine.Peer
			spoil func(m *Taken)
			ends  bool
		}{
			"the root":      {f0, func(*Taken) {}, true},
			"another node":  {c1, func(*Taken) {}, false},
			"another topic": {f0, func(m *Taken) { m.Topic = engine.PrefixID("ef") }, false},
			"another event": {f0, func(m *Taken) { m.Digest += 7 }, false},
		} {
			p := newChild(t)
			confirmed := 0
			p.seams.OnTaken = func(topic engine.ID, event engine.Message, root engine.Peer) {
				if confirmed++; topic != subject || root != f0 || event.(*Void).Stamp.Number != 41 {
					t.Errorf("%s: notified of %s, %v, %s", what, topic, event, root)
				}
			}
			for _, number := range []uint64{41, 42} {
				p.Publish(subject, &Void{Stamp: window.Stamp{Number: number}})
			}
			p.advance(0)
			m := &Taken{Topic: subject, Digest: 41, Refused: refused}
			c.spoil(m)
			for range 2 {
				p.receives(c.from, m)
			}
			untaken, rested := tracesOf[Untaken](p), tracesOf[Rested](p)
			want := func(is bool) int {
				if is {
					return 1
				}
				return 0
			}
			if len(untaken) != want(c.ends && refused) || len(rested) != want(c.ends && !refused) ||
				confirmed != want(c.ends && !refused) {
				t.Errorf("%s, refused %v: untaken %v, rested %v, notified %d times", what, refused, untaken, rested,
					confirmed)
			}
			for _, topic := range slices.Concat(collect(untaken, func(e Untaken) engine.ID { return e.Topic }),
				collect(rested, func(e Rested) engine.ID { return e.Topic })) {
				if topic != subject {
					t.Errorf("%s: the topic is %s", what, topic)
				}
			}
			p.sent = nil
			p.advance(time.Minute)
			again := map[uint64]bool{}
			for _, m := range sentOf[*Publish](p) {
				again[m.Event.(*Void).Stamp.Number] = true
			}
			if !again[42] || again[41] == c.ends {
				t.Errorf("%s: these are sent again: %v", what, again)
			}
		}
	}
}

func collect[A, B any](list []A, f func(A) B) (out []B) {
	for _, a := range list {
		out = append(out, f(a))
	}
	return out
}

// An update may come from a node that is neither the parent nor an asked node. It is refused, and its sender learns
// that this node is not its child. Updates of the parent are not refused.
func TestUpdatesFromStrangersAreRefused(t *testing.T) {
	update := func(number uint64) *Update {
		stamp := window.Stamp{Epoch: 1, Number: number}
		return &Update{Topic: subject, Stamp: stamp, Event: &Void{Stamp: stamp}}
	}
	p := newChild(t)
	sent := p.receives(d1, update(1))
	if got, want := tracesOf[Refused](p), (Refused{subject, d1, "unasked"}); len(got) != 1 || got[0] != want {
		t.Errorf("traced: %v, want %v", got, want)
	}
	if len(sent) != 1 || sent[0].to != d1 {
		t.Fatalf("these are sent: %v", sent)
	}
	if m, ok := sent[0].m.(*Leave); !ok || m.Topic != subject || m.Child || !m.Forgot {
		t.Errorf("it is sent %+v", sent[0].m)
	}
	if p.receives(c1, update(1)); len(tracesOf[Refused](p)) != 1 || p.trees[subject].feed.Last != 1 {
		t.Error("an update of the parent is refused")
	}
}

// forgetful is a Member with withdrawn events.
type forgetful struct {
	*puppet
	back []uint64
}

func (f forgetful) Withdrawn(topic engine.ID, event engine.Message) bool {
	v, ok := event.(*Void)
	return ok && topic == subject && slices.Contains(f.back, v.Stamp.Number)
}

// A node that requests what it lacks gets all of it that was not withdrawn, in order.
func TestWithdrawnEventsAreNotSent(t *testing.T) {
	p := newChild(t)
	p.seams.Member = forgetful{p, []uint64{2, 4}}
	for number := range uint64(5) {
		stamp := window.Stamp{Epoch: 1, Number: number + 1}
		p.receives(c1, &Update{Topic: subject, Stamp: stamp, Event: &Void{Stamp: stamp}})
	}
	p.receives(d1, &Pull{Topic: subject, Have: window.Have{Epoch: 1}})
	var given []uint64
	for _, m := range sentOf[*Update](p) {
		given = append(given, m.Stamp.Number)
	}
	end := sentOf[*Pulled](p)
	if !slices.Equal(given, []uint64{1, 3, 5}) || len(end) != 1 || end[0].Sent != 3 || end[0].Last != 5 ||
		end[0].Epoch != 1 || end[0].Topic != subject {
		t.Errorf("given: %v; the end: %+v", given, end)
	}
}

// An inspected ancestor has updates that the parent does not bring. It causes maxDoubts doubts at most, however many
// updates it sends.
func TestDoubtsAreBounded(t *testing.T) {
	p := newChild(t)
	p.trees[subject].seeking.rejoinAt = never
	var by engine.Peer
	for by.IsZero() {
		if asked := pulls(p.live(100*time.Millisecond, 50*time.Millisecond)); len(asked) == 1 {
			by = named(asked[0])
		}
	}
	for number := range uint64(3 * maxDoubts) {
		stamp := window.Stamp{Epoch: 1, Number: number + 1}
		p.receives(by, &Update{Topic: subject, Stamp: stamp, Event: &Void{Stamp: stamp}})
	}
	if n := len(p.trees[subject].feed.inspection.doubts); n != maxDoubts {
		t.Errorf("%d doubts", n)
	}
}

// A node below the root has no ancestor to inspect. The root may have been silent before, when it was asked as an
// ancestor. That does not count against it as the new parent.
func TestNobodyIsInspectedBelowTheRoot(t *testing.T) {
	p := newChild(t)
	tree := p.trees[subject]
	tree.seeking.rejoinAt = never
	for len(pulls(p.live(100*time.Millisecond, 50*time.Millisecond))) == 0 { // the node that is asked is silent
	}
	// c1 is the root now
	p.receives(c1, &Placed{Topic: subject, Place: Place{Version: 8, Self: place(50, 0), Root: place(50, 0), Path: 1}})
	p.root = c1
	for range 8 {
		tree.feed.inspection.next = p.time
		p.wake(p.time)
		p.live(time.Second, 50*time.Millisecond)
	}
	if got := tracesOf[Blamed](p); len(got) > 0 {
		t.Errorf("%v are blamed", got)
	}
}

// A node may not know the topic of a missing update that it is asked for. Then the parent named it as an ancestor. That
// is the parent's fault only if the node was asked to inspect the parent. Its second answer is none.
func TestWhoIsGoneIsAskedOnce(t *testing.T) {
	p := newChild(t)
	p.trees[subject].feed.inspection.next = never
	stamp := window.Stamp{Epoch: 1, Number: 2}
	p.receives(c1, &Update{Topic: subject, Stamp: stamp, Event: &Void{Stamp: stamp}}) // 1 is missing
	p.sent = nil
	p.advance(Default().Pull)
	p.receives(c1, &Pulled{Topic: subject, Epoch: 1, Last: 2})
	p.receives(c1, &Pulled{Topic: subject, Epoch: 1, Last: 2})
	if got := pulls(p.sent); !slices.Equal(got, []string{"b2"}) {
		t.Fatalf("then %v are asked", got)
	}
	p.receives(b2, &Pulled{Topic: subject, Gone: true})
	if got := pulls(p.sent); !slices.Equal(got, []string{"f0"}) || len(tracesOf[Blamed](p)) > 0 {
		t.Errorf("after one that is gone %v are asked, and blamed are %v", got, tracesOf[Blamed](p))
	}
	if sent := p.receives(b2, &Pulled{Topic: subject, Gone: true}); len(sent) > 0 {
		t.Errorf("its second answer has %v sent", sent)
	}
}

// A parent stays if its round trips fit its claimed place. One that is much further away is left when it has been
// measured three times.
func TestAParentIsWhereItSays(t *testing.T) {
	for rtt, fits := range map[time.Duration]bool{50 * time.Millisecond: true, 300 * time.Millisecond: true,
		900 * time.Millisecond: false} {
		p := newChild(t) // 50 ms from its parent
		p.trees[subject].seeking.rejoinAt = never
		for range 6 {
			p.trees[subject].feed.inspection.next = p.time + time.Hour
			p.live(30*time.Second, rtt)
		}
		if left := len(tracesOf[Blamed](p)) > 0; left == fits {
			t.Errorf("round trips of %v: the parent is left: %v", rtt, left)
		}
	}
}

// A joining node asks on where a node that is no friend is not in the tree.
func TestAStrangerThatIsNotInTheTree(t *testing.T) {
	p := newPuppet(t, Default(), f0, 100, 0)
	p.forwarded(f0, p.asks(f0), b1)
	p.denied(b1, p.asks(b1), Detached)
	p.advance(2 * Default().JoinRetry)
	p.asks(f0)
	if n := len(sentOf[*Unfriend](p)); n > 0 {
		t.Errorf("%d are unfriended", n)
	}
}

// The root of a topic is another node that the Directory names. A node has none of its own, and names no more children
// than a message holds.
func TestRootsAndChildren(t *testing.T) {
	p := newChild(t)
	if got := p.Roots(subject); !slices.Equal(got, []engine.Peer{f0}) {
		t.Errorf("the roots are %v", got)
	}
	p.root = p.Self()
	if got := p.Roots(subject); len(got) > 0 {
		t.Errorf("a root's roots are %v", got)
	}
	p.root = engine.Peer{}
	if got := p.Roots(subject); len(got) > 0 {
		t.Errorf("where no root is known they are %v", got)
	}
	if got := p.Children(engine.PrefixID("ef")); len(got) > 0 {
		t.Errorf("of a topic that is not joined the children are %v", got)
	}
	c := Default()
	c.Children = maxChildren
	p = newPuppet(t, c, named("aa"), 0, 0)
	var list []engine.Peer
	for i := range maxChildren {
		child := engine.Peer{ID: engine.IDOf([]byte{byte(i)}), Address: "child"}
		if m := p.joins(child, Join{Coordinate: place(10+i, 0)}); m == nil {
			t.Fatal("a child is not answered")
		}
		list = append(list, child)
	}
	if got := p.Children(subject); !slices.Equal(got, list) {
		t.Errorf("the children are %v", got)
	}
}

// A friend of the session before that answers when there are friends enough learns that it is none. One that comes in
// time is one.
func TestFriendsThatAnswerLate(t *testing.T) {
	p, requests := returned(t, b1, b2, b3, c1, d1)
	if len(requests) != 5 {
		t.Fatalf("%d are asked", len(requests))
	}
	room := Default().Friends
	var order []engine.Peer
	for _, from := range []engine.Peer{b1, b2, b3, c1, d1} {
		order = append(order, from)
		sent := p.receives(from, &FriendReply{Number: requests[from].Number, OK: true})
		refused := slices.ContainsFunc(sent, func(s sending) bool {
			_, ok := s.m.(*Unfriend)
			return ok && s.to == from
		})
		if refused != (len(order) > room) {
			t.Errorf("friend %d of %d: it learns that it is none: %v", len(order), room, refused)
		}
		if again := p.receives(from,
			&FriendReply{Number: requests[from].Number, OK: true}); len(sentOf[*Unfriend](p)) > 0 {
			t.Errorf("its second answer has %v sent", again)
		}
	}
}

// A node that becomes the root of a topic that it was about to join joins it no more.
func TestARootJoinsNobody(t *testing.T) {
	p := newPuppet(t, Default(), engine.Peer{}, 100, 0)
	p.root = p.Self()
	p.RootChanged(subject)
	p.advance(0)
	if v, ok := p.Tree(subject); !ok || !v.Root {
		t.Fatalf("it is not the root: %+v", v)
	}
	p.sent = nil
	p.advance(10 * time.Minute)
	if n := len(sentOf[*Join](p)); n > 0 || len(p.session.queue) > 0 {
		t.Errorf("%d joins, %d topics are to be joined", n, len(p.session.queue))
	}
}

// If a node leaves its parent while a ping is under way, it does not await the answer any more. A parent that is also a
// fan stays a fan.
func TestAFormerParentStaysAFan(t *testing.T) {
	c := Default()
	p := newChild(t)
	p.receives(c1, &FriendRequest{Number: 1})
	pinged := func() bool {
		return slices.ContainsFunc(p.sent, func(s sending) bool { _, is := s.m.(*Ping); return is && s.to == c1 })
	}
	for begun := p.time; !pinged(); p.advance(100 * time.Millisecond) {
		if p.time > begun+2*c.Ping {
			t.Fatal("the parent is not pinged")
		}
	}
	p.receives(c1, &ChangeParent{Topic: subject, To: b2})
	p.admitted(b2, p.asks(b2))
	for range 2 {
		p.sent = nil
		p.advance(c.PingTimeout / 2)
		if pinged() {
			t.Error("the former parent is pinged")
		}
		p.receives(c1, &Ping{Number: 2, Fan: true})
		if m := sentOf[*Ack](p); len(m) != 1 || m[0].NoFriend {
			t.Errorf("its ping is answered by %+v", m)
		}
	}
	if got := tracesOf[Silent](p); len(got) > 0 {
		t.Errorf("these are silent: %v", got)
	}
}
