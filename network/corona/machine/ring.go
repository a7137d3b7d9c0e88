package machine

import (
	"encoding/binary"
	"time"

	"tidings/network/engine"
)

// Ring is the part of Pastry that Corona uses; see there.
type Ring interface {
	Active() bool
	Nodes() int
	Route(key engine.ID, payload engine.Message)
	Owners(key engine.ID, k int) (owners []engine.Peer, sure bool)
	Contacts(row int) []engine.Peer
	WedgeContacts(key engine.ID, bits int) []engine.Peer
	// Knows reports whether a node is known and believed alive.
	Knows(id engine.ID) bool
	// Patience is how much longer than usual to wait for answers, as nodes are busy.
	Patience() time.Duration
	OnNeighbours(f func())
}

// AlternateKey returns a key some two nodes from a channel on the ring, on either side. A message to it bypasses the
// primary, which may be dead, silent or malicious, and still comes to a node that knows the owners.
func (b *Base) AlternateKey(channel engine.ID) engine.ID {
	gap := ^uint64(0) / uint64(max(b.Ring.Nodes(), 1))
	away := gap/2 + uint64(b.Env.Rand().Float64()*2*float64(gap))
	if b.Env.Rand().IntN(2) == 0 {
		away = -away
	}
	at := channel
	binary.BigEndian.PutUint64(at[:], binary.BigEndian.Uint64(channel[:])+away)
	return at
}
