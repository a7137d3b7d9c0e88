package rappel

import (
	"slices"
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/routers/rappel/window"
)

// audited returns a node that has fetched the profile of a candidate, b1, and the number of its request to be a friend.
// There is another candidate, b2.
func audited(t *testing.T) (p *puppet, number uint32) {
	p = newPuppet(t, Default(), f0, 100, 0)
	p.friends.met(b1, b1, b2) // b1 has more votes
	var asked *ProfileRequest
	for range 600 {
		p.sent = nil
		p.advance(time.Second)
		if l := sentOf[*ProfileRequest](p); len(l) > 0 {
			asked = l[0]
			break
		}
	}
	if asked == nil {
		t.Fatal("no candidate is audited")
	}
	for what, receive := range map[string]func(){
		"an earlier request":    func() { p.Receive(b1, &Profile{Number: asked.Number - 1, Coordinate: p.at}) },
		"another node":          func() { p.Receive(b2, &Profile{Number: asked.Number, Coordinate: p.at}) },
		"a request not sent":    func() { p.Receive(b1, &FriendReply{Number: asked.Number, OK: true}) },
		"a request of number 0": func() { p.Receive(b1, &Profile{Coordinate: p.at}) },
	} {
		p.sent = nil
		if receive(); len(sentOf[*FriendRequest](p)) > 0 || len(p.Friends()) > 0 {
			t.Fatalf("an answer to %s counts", what)
		}
	}
	p.receives(b1, &Profile{Number: asked.Number, Coordinate: p.at})
	requests := sentOf[*FriendRequest](p)
	if len(requests) != 1 {
		t.Fatalf("%d requests to be a friend are sent", len(requests))
	}
	return p, requests[0].Number
}

// An audit goes on by the answers to its own requests, each once: not by those to an earlier one, nor of another node
// (section 3.3).
func TestAnAuditGoesOnByItsOwnAnswers(t *testing.T) {
	p, number := audited(t)
	for what, receive := range map[string]func(){
		"to an earlier request": func() { p.Receive(b1, &FriendReply{Number: number - 1, OK: true}) },
		"of another node":       func() { p.Receive(b2, &FriendReply{Number: number, OK: true}) },
	} {
		if receive(); len(p.Friends()) > 0 {
			t.Errorf("an answer %s makes a friend", what)
		}
	}
	p.Receive(b1, &FriendReply{Number: number, OK: true})
	if list := p.Friends(); len(list) != 1 || list[0].Peer != b1 {
		t.Fatalf("friends are %v", list)
	}
	if p.receives(b1, &FriendReply{Number: number, OK: true}); len(sentOf[*Unfriend](p)) > 0 || len(p.Friends()) != 1 {
		t.Error("the same answer again ends the friendship")
	}

	p, number = audited(t)
	p.Receive(b1, &FriendReply{Number: number, Friends: []engine.Peer{c1, p.Self(), {}}})
	if len(p.Friends()) > 0 {
		t.Error("a denial makes a friend")
	}
	if f := &p.friends.candidates; f.find(c1.ID) == nil || f.find(p.Self().ID) != nil || f.find(engine.ID{}) != nil {
		t.Error("the friends of a node that denies are no candidates, or the node itself is one")
	}
}

// A node with too many candidates forgets the one that was named longest ago. Votes of one that is named again stay.
func TestCandidatesAreBounded(t *testing.T) {
	c := newCandidates(3)
	for _, p := range []engine.Peer{b1, b2, b3, b1, c1, d1} {
		c.named(p)
	}
	var got []engine.Peer
	for _, k := range c.list {
		got = append(got, k.peer)
	}
	if !slices.Equal(got, []engine.Peer{b1, c1, d1}) || len(c.byID) != 3 || c.find(b1.ID).votes != 2 {
		t.Errorf("candidates are %v, %d are known by ID", got, len(c.byID))
	}
}

// A fan that is down makes room for another.
func TestAFanThatIsDown(t *testing.T) {
	p := newPuppet(t, Default(), f0, 100, 0)
	p.receives(b1, &FriendRequest{Number: 1})
	p.receives(b2, &FriendRequest{Number: 1})
	p.PeerDown(b1)
	if p.Fans() != 1 || !sentOf[*Ack](pinged(p, b1))[0].NoFriend || sentOf[*Ack](pinged(p, b2))[0].NoFriend {
		t.Errorf("there are %d fans", p.Fans())
	}
}

// pinged has a fan ping the node.
func pinged(p *puppet, fan engine.Peer) *puppet {
	p.receives(fan, &Ping{Fan: true})
	return p
}

// A node answers messages of a topic that it has left, so that their senders do not count on it.
func TestMessagesOfATopicThatWasLeft(t *testing.T) {
	other := engine.PrefixID("ef")
	stamp := window.Stamp{Epoch: 1, Number: 1}
	p := newPuppet(t, Default(), f0, 100, 0)
	for what, c := range map[string]struct {
		m, want engine.Message
	}{
		"a place": {&JoinOK{Topic: other}, &Leave{Topic: other}},
		"an update": {&Update{Topic: other, Stamp: stamp, Event: &Void{Stamp: stamp}},
			&Leave{Topic: other, Forgot: true}},
		"a request": {&Pull{Topic: other}, &Pulled{Topic: other, Gone: true}},
	} {
		sent := p.receives(b1, c.m)
		if len(sent) != 1 || sent[0].to != b1 {
			t.Errorf("%s: %v are sent", what, sent)
			continue
		}
		switch m := sent[0].m.(type) {
		case *Leave:
			if w, ok := c.want.(*Leave); !ok || *m != *w {
				t.Errorf("%s: it answers %+v", what, m)
			}
		case *Pulled:
			if w, ok := c.want.(*Pulled); !ok || m.Topic != w.Topic || !m.Gone {
				t.Errorf("%s: it answers %+v", what, m)
			}
		default:
			t.Errorf("%s: it answers %T", what, m)
		}
	}
}

// A root that another node replaces gives it everything that it has published of late, as that may not have come
// everywhere, and nothing older. So does one that begins a new epoch.
func TestARootGivesWhatIsRecent(t *testing.T) {
	p := newPuppet(t, Default(), named("aa"), 0, 0)
	event := func(number uint64) *Void { return &Void{Stamp: window.Stamp{Number: number}} }
	p.Publish(subject, event(1))
	p.advance(Default().Recent + time.Second)
	for number := range uint64(3) {
		p.Publish(subject, event(2+number))
		p.advance(time.Second)
	}
	p.sent = nil
	p.root = f0
	p.RootChanged(subject)
	p.advance(time.Second)
	var given []uint64
	for _, s := range p.sent {
		if m, ok := s.m.(*Publish); ok && s.to == f0 {
			given = append(given, m.Event.(*Void).Stamp.Number)
		}
	}
	if !slices.Equal(given, []uint64{2, 3, 4}) {
		t.Errorf("given are %v", given)
	}
}
