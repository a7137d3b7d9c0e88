package machine

import (
	"time"

	"tidings/network/engine"
)

// Ring is what Corona asks of Pastry; see there.
type Ring interface {
	Active() bool
	Nodes() int
	Route(key engine.ID, payload engine.Message)
	Owners(key engine.ID, k int) (owners []engine.Peer, sure bool)
	Contacts(row int) []engine.Peer
	WedgeContacts(key engine.ID, bits int) []engine.Peer
	// Knows reports whether a node is known and believed alive.
	Knows(id engine.ID) bool
	// Patience is how much longer than usual to wait for others' answers, as nodes are busy.
	Patience() time.Duration
	OnNeighbours(f func())
}

// IsAmong reports whether a node is one of so many closest to a key, as far as can be told from how close nodes are to each other on the ring.
func (b *Base) IsAmong(id, key engine.ID, nodes float64) bool {
	return id.Distance(key).Position()*2*float64(b.Ring.Nodes()) <= nodes
}
