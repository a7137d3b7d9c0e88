package newswire

import (
	"tidings/network/astrolabe/zone"
	"tidings/network/engine"
)

// What a node traces.
type (
	// Forwarded says that the node has sent an item on: To is a member, or one that speaks for Zone. Again: not for the
	// first time.
	Forwarded struct {
		Item  uint64
		Zone  zone.Path
		To    engine.Peer
		Again bool
	}
	// Delivered says that the node has handed over an event.
	Delivered struct {
		Item  uint64
		Topic engine.ID
	}
	// Unwanted says that an item has come that the node does not subscribe to: the filters promised too much.
	Unwanted struct{ Item uint64 }
	// Unreached says that no node could be found that accepts an item for a zone or member. One that has missed it asks
	// for it.
	Unreached struct {
		Item uint64
		Zone zone.Path
		Name string
	}
	// Recovered says that the node had missed an item, and has it from a peer.
	Recovered struct {
		Item uint64
		From engine.Peer
	}
	// Held says that a publisher's item was not accepted: too many came of it, or there was no room.
	Held struct {
		Publisher engine.Peer
		Why       string
	}
	// Refused says that something of a peer was refused, and why.
	Refused struct {
		From engine.Peer
		Why  string
	}
	// LimitHit says that something was dropped because of a bound.
	LimitHit struct {
		Name  string
		Limit int
	}
)
