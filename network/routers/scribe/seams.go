package scribe

import (
	"time"

	"tidings/network/engine"
)

// Ring is what Scribe asks of Pastry; see there.
type Ring interface {
	Active() bool
	Route(key engine.ID, payload engine.Message)
	Owners(key engine.ID, k int) (owners []engine.Peer, sure bool)
	// Known returns every node that this one knows and believes alive, by ID.
	Known() []engine.Peer
	// RTT returns the round trip time to a node that is known, and whether it has been measured.
	RTT(id engine.ID) (rtt time.Duration, measured bool)
	OnNeighbours(f func())
}
