package archive

import "tidings/network/engine"

// What a node traces. The structs are values with plain fields.
type (
	// Stored reports that an item has come into the store. Dropped reports that it has left it, for want of room or
	// because others are its owners now.
	Stored struct {
		Name  Name
		Bytes int
		From  engine.Peer
	}
	Dropped struct {
		Name    Name
		Surplus bool // others are its owners
	}

	// Damaged says that an item in the store was gone, or not what it had been. It is forgotten.
	Damaged struct{ Name Name }

	// Refused says that an item was not accepted.
	Refused struct {
		Name Name
		From engine.Peer
		Why  Refusal
	}

	// Lied says that a peer has sent what is not genuine, and whether that proves a lie; see Verifier.
	Lied struct {
		Name   Name
		From   engine.Peer
		Proven bool
	}

	// Inserted reports how many nodes keep an item that this node inserts, or why too few have accepted it.
	Inserted struct {
		Name   Name
		Copies int
		Why    Refusal
	}

	// Found reports that an item was looked up, and where it was. Unfound reports that it was not found: no node has
	// it, or none answers.
	Found struct {
		Name Name
		From engine.Peer
	}
	Unfound struct{ Name Name }

	// Differed says that a comparison with a co-owner has found a difference.
	Differed struct{ With engine.Peer }

	// LimitHit says that a bound was reached and something left undone.
	LimitHit struct {
		What  string // the bound's name in Config, or of a constant
		Limit int
	}
)
