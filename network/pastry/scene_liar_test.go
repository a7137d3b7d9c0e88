package pastry_test

import (
	"tidings/network/engine"
	"tidings/network/pastry"
)

// lie changes the peers that a liar, known as self, is about to name to others.
type lie func(self engine.Peer, peers []engine.Peer) []engine.Peer

// liar is the Env of a node that keeps to the protocol but for what it says of others.
type liar struct {
	engine.Env
	lie lie
}

// Send lies.
func (l *liar) Send(to engine.Peer, m engine.Message) {
	said := func(peers []engine.Peer) []engine.Peer { return l.lie(l.Self(), peers) }
	switch told := m.(type) {
	case *pastry.Welcome:
		m = &pastry.Welcome{Nonce: told.Nonce, Near: said(told.Near)}
	case *pastry.Probe:
		changed := *told
		changed.Near = said(told.Near)
		m = &changed
	case *pastry.Answer:
		changed := *told
		changed.Near = said(told.Near)
		m = &changed
	case *pastry.Row:
		m = &pastry.Row{Peers: said(told.Peers)}
	}
	l.Env.Send(to, m)
}

// nameGhosts adds peers that do not exist: next to the liar, at unused addresses.
func nameGhosts(self engine.Peer, peers []engine.Peer) []engine.Peer {
	var all []engine.Peer
	for i := range byte(2) {
		ghost := engine.Peer{ID: self.ID, Address: engine.Address("ghost " + string('1'+rune(i)))}
		ghost.ID[1] = 0xe0 + i
		all = append(all, ghost)
	}
	return append(all, peers...)
}

// claimOthers says of all others that they live where the liar does.
func claimOthers(self engine.Peer, peers []engine.Peer) []engine.Peer {
	var all []engine.Peer
	for _, p := range peers {
		p.Address = self.Address
		all = append(all, p)
	}
	return all
}
