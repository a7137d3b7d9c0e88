package archive

import "tidings/network/engine"

// What a node traces. The structs are values with plain fields.
type (
	// Stored says that an item has come into the store; Dropped that it has left it, for want of room or
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

	// Refused says that an item was not taken.
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

	// Inserted says that an item that this node inserts is kept by so many; or why too few have
	// taken it.
	Inserted struct {
		Name   Name
		Copies int
		Why    Refusal
	}

	// Found says that an item was looked up, and where; Unfound that it was not found:
	// nobody has it, or nobody answers.
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
