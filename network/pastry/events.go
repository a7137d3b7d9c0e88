package pastry

import (
	"time"

	"tidings/network/engine"
)

// What a node traces. The structs are values with plain fields.
type (
	// Joined says that the node has become active: its neighbours know of it and it
	// owns its keys. Nodes is the size of the ring as it seems.
	Joined struct {
		Took  time.Duration // since Create, Join or waking
		Nodes int
	}

	// Asked says that a seed was asked to join by. If no welcome comes, the next one, or the same again, is asked after
	// Wait. It is asked at once if this one is known to be down and another may not be.
	Asked struct {
		Seed engine.Peer
		Wait time.Duration
	}

	// Welcomed says that a ring has answered this node's wish to join it; From lies
	// closest there.
	Welcomed struct{ From engine.Peer }

	// Met and Removed say that a peer has entered or left what the node knows; Leaf: its
	// leaf set.
	Met struct {
		Peer engine.Peer
		Leaf bool
	}
	Removed struct {
		Peer engine.Peer
		Leaf bool
		Why  Why
	}

	// LeftOut reports a peer that has spoken and would be in the leaf set, but two of its network prefix are there
	// already.
	LeftOut struct{ Peer engine.Peer }

	// Repaired says that after a loss among the neighbours all that should be in the leaf
	// set have answered.
	Repaired struct{ Took time.Duration }

	// Forwarded says that a message went on to the next hop; Hops is what it has made
	// with that one.
	Forwarded struct {
		Key  engine.ID
		Next engine.Peer
		Hops int
	}

	// Retried says that a hop was not acknowledged.
	Retried struct {
		Key engine.ID
		Hop engine.Peer
	}

	// Delivered says that a message was given to its application here. Joins are routed
	// too.
	Delivered struct {
		Key    engine.ID
		Origin engine.ID
		Number uint64
		Kind   engine.Kind // of the payload
		Hops   int
	}

	// Lost says that this node, the first of a route, gives up: it never learned of a
	// delivery. The message may have been delivered all the same.
	Lost struct {
		Key    engine.ID
		Number uint64
	}

	// Merging says that a peer of what seems to be another ring was met. Merged says that
	// such a peer has become a neighbour.
	Merging struct{ With engine.Peer }
	Merged  struct{ With engine.Peer }

	// DuplicateKeyFound reports that one ID lives at two addresses: a key was copied. It may be this node's own.
	DuplicateKeyFound struct {
		ID     engine.ID
		One    engine.Address
		Other  engine.Address
		Myself bool
	}

	// Woke says that the node has slept: nothing of what it knew counts before it is
	// confirmed.
	Woke struct{ Slept time.Duration }

	// LimitHit says that a bound of Config was reached and something left undone.
	LimitHit struct {
		What  string // the bound's name in Config
		Limit int
	}

	// Unhandled says that a payload came for a protocol that has no application here.
	Unhandled struct {
		Key  engine.ID
		Kind engine.Kind
	}
)

// Why is the reason for a removal.
type Why string

// The reasons for a removal.
const (
	Silent Why = "silent" // it missed its probes
	Left   Why = "left"   // it said farewell

	Crowded Why = "crowded" // two others of its part of the network are in the leaf set
)
