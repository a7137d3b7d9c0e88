package overlay

import "tidings/network/engine"

// What an overlay traces. The structs are values with plain fields.
type (
	// Connected says that a task has a new neighbour. Asked: this node had asked for it.
	Connected struct {
		Peer  engine.Peer
		Task  Task
		Asked bool
	}

	// Parted says that a task has lost a neighbour.
	Parted struct {
		Peer engine.Peer
		Task Task
		Why  Why
	}

	// Redirected says that a node that was asked sent this one on; To is zero if it just refused.
	Redirected struct {
		By, To engine.Peer
		Task   Task
	}

	// Raised says that K_r has another value (section 3.3.1).
	Raised struct{ Random int }

	// Refused says that what came was not believed, or was answered no more.
	Refused struct {
		From engine.Peer
		Why  string
	}

	// LimitHit says that a bound was reached and something left undone.
	LimitHit struct {
		What  string // the bound's name in Config, or of a constant
		Limit int
	}
)

// Why is the reason for which a neighbour is none any more.
type Why uint8

// The reasons.
const (
	Agreed    Why = iota // either end could do without the other (Disconnect)
	Left                 // the neighbour said that it is none
	Down                 // the transport cannot reach it
	Silent               // no word came from it for Config.Silence
	Suspected            // the dissemination complained of it
	Full                 // it accepted, but there is no room any more (Figure 4, line 18)
)

var whys = [...]string{"agreed", "left", "down", "silent", "suspected", "full"}

func (w Why) String() string { return whys[w] }
