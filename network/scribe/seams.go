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

// Member knows what events are, and wants those of the topics that this node has joined. It is called
// in the middle of the node's work: it must not call back before it has returned.
type Member interface {
	// Admit looks at an event before anything is done with it, also at nodes that only pass it on.
	// An event that is not ok is dropped. digest tells the event from all others with which
	// somebody may want to confuse it: the start of a cryptographic hash. bytes is its length.
	// from has sent it: this node, for one that it publishes; zero: nobody knows for sure who has.
	Admit(topic engine.ID, event engine.Message, from engine.Peer) (digest uint64, bytes int, ok bool)
	// Deliver hands over an event of a topic that this node has joined, once. from is as in Admit.
	Deliver(topic engine.ID, event engine.Message, from engine.Peer)
}
