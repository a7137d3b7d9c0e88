package view

import "tidings/network/engine"

// What a view traces. The structs are values with plain fields.
type (
	// Expired says that nobody has confirmed an entry for too long; Buried that its node does not answer.
	Expired struct{ Peer engine.Peer }
	Buried  struct{ Peer engine.Peer }

	// Refused says that what came was not believed.
	Refused struct {
		From engine.Peer
		Why  string
	}

	// LimitHit says that a bound was reached and something left undone.
	LimitHit struct {
		What  string // the bound's name in Config
		Limit int
	}
)
