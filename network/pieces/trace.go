package pieces

import "tidings/network/engine"

// What a node traces. The structs are values with plain fields.
type (
	// Came says that a piece has come and is in the store: so many there are now, of so many.
	Came struct {
		Ref      Ref
		From     engine.Peer
		Have, Of int
	}

	// Ended says that a fetch has ended, well if Err is nil.
	Ended struct {
		Ref Ref
		Err error
	}

	// Lied says that a source has sent something else than it was asked for, which is Proven by hashes, or
	// has not what it says, and Silent that it has not answered for long. It is asked no more.
	Lied struct {
		Ref    Ref
		From   engine.Peer
		Proven bool
	}
	Silent struct {
		Ref  Ref
		From engine.Peer
	}

	// LimitHit says that a bound was reached and something left undone.
	LimitHit struct {
		What  string // the bound's name in Config
		Limit int
	}
)
