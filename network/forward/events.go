package forward

import (
	"time"

	"tidings/network/engine"
)

// What a node traces. The structs are values with plain fields.
type (
	// Opened says that what is sent to a peer goes by a neighbour from now on, and how long the search for that one
	// lasted.
	Opened struct {
		Peer engine.Peer
		By   engine.Peer
		Took time.Duration
	}

	// Closed says that nobody forwards to a peer, for now.
	Closed struct{ Peer engine.Peer }

	// Connected says that there is a direct connection with a peer that had a route.
	Connected struct{ Peer engine.Peer }

	// Passed says that something was forwarded for others.
	Passed struct {
		From, To engine.ID
		Bytes    int
	}

	// Dropped says that something came that is not believed, or not forwarded.
	Dropped struct {
		From engine.Peer // the neighbour that it came by
		Why  Why
	}

	// LimitHit says that a bound of Config was reached and something left undone.
	LimitHit struct {
		What  string // the bound's name in Config
		Limit int
	}
)

// Why is a reason for Dropped.
type Why string

// The reasons.
const (
	Unsigned  Why = "it is not signed by whom it names" // or that node is not admitted
	Repeated  Why = "it came before"
	Secondary Why = "it was forwarded already"
	TooMuch   Why = "the neighbour has sent too much"
	Malformed Why = "its payload is no message"
)
