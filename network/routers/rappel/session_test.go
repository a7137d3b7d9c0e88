package rappel

import (
	"math/rand/v2"
	"testing"
	"time"

	"tidings/network/engine"
)

// friendsBefore are the friends of the session before.
type friendsBefore []engine.Peer

func (f friendsBefore) Friends() []engine.Peer { return f }
func (friendsBefore) Remember([]engine.Peer)   {}

// returned returns a node that has had friends in the session before, has asked them again and joined a topic.
func returned(t *testing.T, before ...engine.Peer) (p *puppet, requests map[engine.Peer]*FriendRequest) {
	p = &puppet{t: t, root: f0, at: place(100, 0), time: time.Hour, chance: rand.New(rand.NewPCG(1, 2))}
	p.Node = New(p, Default(), Seams{Member: p, Directory: p, Coordinates: p, Memory: friendsBefore(before)})
	p.Join(subject)
	p.advance(0)
	requests = make(map[engine.Peer]*FriendRequest)
	for _, s := range p.sent {
		if m, ok := s.m.(*FriendRequest); ok {
			requests[s.to] = m
		}
	}
	return p, requests
}

// A node delays its first join until each friend of the session before has answered, or is known to be down. It waits
// JoinTimeout at most (section 5.3). An answer to another request does not count.
func TestFriendsOfTheSessionBeforeAreAwaited(t *testing.T) {
	no := func(m *FriendRequest) *FriendReply { return &FriendReply{Number: m.Number} }
	for name, c := range map[string]struct {
		last  func(p *puppet, from engine.Peer, m *FriendRequest)
		joins bool
	}{
		"it denies":       {func(p *puppet, from engine.Peer, m *FriendRequest) { p.Receive(from, no(m)) }, true},
		"it is down":      {func(p *puppet, from engine.Peer, _ *FriendRequest) { p.PeerDown(from) }, true},
		"it says nothing": {func(*puppet, engine.Peer, *FriendRequest) {}, false},
		"an answer that is stale": {func(p *puppet, from engine.Peer, m *FriendRequest) {
			p.Receive(from, &FriendReply{Number: m.Number + 1})
		}, false},
		"another that answers": {func(p *puppet, _ engine.Peer, m *FriendRequest) { p.Receive(named("d9"), no(m)) },
			false},
		"the first once more": {func(p *puppet, _ engine.Peer, m *FriendRequest) { p.Receive(b1, no(m)) }, false},
		"another is down":     {func(p *puppet, _ engine.Peer, _ *FriendRequest) { p.PeerDown(named("d9")) }, false},
	} {
		p, requests := returned(t, b1, c1)
		if len(requests) != 2 {
			t.Fatalf("%d friends of the session before are asked", len(requests))
		}
		p.Receive(b1, no(requests[b1]))
		if p.advance(time.Second); len(sentOf[*Join](p)) > 0 {
			t.Fatalf("%s: the tree is joined while one is awaited", name)
		}
		c.last(p, c1, requests[c1])
		if p.advance(time.Second); len(sentOf[*Join](p)) > 0 != c.joins {
			t.Errorf("%s: the tree is joined: %v", name, !c.joins)
		}
		if p.advance(Default().JoinTimeout); len(sentOf[*Join](p)) == 0 {
			t.Errorf("%s: the tree is never joined", name)
		}
	}
}
