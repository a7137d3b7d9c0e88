package feedtree

import (
	"fmt"

	"tidings/network/engine"
)

// Way is how an item came.
type Way uint8

// The ways.
const (
	Pushed   Way = iota // down the tree
	Asked               // another node was asked
	Archived            // from the archive
)

// String returns the way in a word.
func (w Way) String() string {
	switch w {
	case Pushed:
		return "pushed"
	case Asked:
		return "asked"
	case Archived:
		return "archived"
	}
	return fmt.Sprintf("way %d", uint8(w))
}

// What a node traces. The structs are values with plain fields. Topic is what an item was signed for;
// after a rotation it is another one than before.
type (
	// Taken says that the Library keeps an item; Unkept that it does not want it.
	Taken struct {
		Topic  engine.ID
		Number uint64
		Time   int64 // as the publisher has signed
		From   engine.Peer
		Way    Way
	}
	Unkept struct {
		Topic  engine.ID
		Number uint64
	}

	// TakenBack says that an item is needed no more, as its publisher has taken it back.
	TakenBack struct {
		Topic  engine.ID
		Number uint64
	}

	// Refused says that something came that is not what it should be; From is zero where nobody
	// knows for sure who has sent it. Banned says that a peer is not listened to any more.
	Refused struct {
		Topic  engine.ID
		Number uint64
		From   engine.Peer
		Why    Why
	}
	Banned struct {
		Topic engine.ID
		Peer  engine.Peer
		Why   Why
	}

	// Overdue says that the publisher's word has not come in time; Heard that it has come again, for the first
	// time, or for the first time since it was promised again; Ended that the publisher promises nothing any more.
	Overdue struct{ Topic engine.ID }
	Heard   struct{ Topic engine.ID }
	Ended   struct{ Topic engine.ID }

	// Gap says that numbers are missing; Recovered that one of them was had from somebody; Skipped
	// that they are too far back to be asked for: the archive may have them.
	Gap struct {
		Topic    engine.ID
		From, To uint64
	}
	Recovered struct {
		Topic  engine.ID
		Number uint64
		From   engine.Peer
		Way    Way
	}
	Skipped struct {
		Topic    engine.ID
		From, To uint64
	}

	// Fallback says that nobody could be found who has what is missing: the conventional feed has to
	// be looked at. From 0: no number is known to be missing, but the publisher is overdue.
	Fallback struct {
		Topic    engine.ID
		From, To uint64
	}

	// Suppressed says that the parent had nothing of what others have: another is looked for.
	Suppressed struct {
		Topic  engine.ID
		Parent engine.Peer
	}

	// Rotated says that a publisher has a new key: Next is the topic and Pin the fingerprint from
	// now on. Disputed says that the old key has signed two that follow it: none is believed after
	// the first. Revoked says that a publisher's key is void.
	Rotated struct {
		Topic, Next engine.ID
		Pin         Fingerprint
		Rotation    Rotation
	}
	Disputed struct {
		Topic         engine.ID
		First, Second Rotation
	}
	Revoked struct {
		Topic      engine.ID
		Revocation Revocation
	}

	// Equivocated says that two items are signed for one number. WentBack says that a publisher has
	// given a number again that it had been beyond: its state is old, or the key is used twice.
	Equivocated struct{ Proof Equivocation }
	WentBack    struct {
		Topic        engine.ID
		Number, Last uint64
	}

	// Arrived says to the node that speaks for a publisher that another node has an item of the publisher's.
	Arrived struct {
		Topic  engine.ID
		Number uint64
		At     engine.ID
	}

	// Overtaken says to the node that speaks for a publisher that the network knows of an item
	// with a number that it has not given yet. What it numbers next has to be above.
	Overtaken struct {
		Topic engine.ID
		Last  uint64
	}

	// Contested says to the node that speaks for a publisher that another node does too.
	Contested struct{ Topic engine.ID }

	// LimitHit says that a bound was reached and something left undone.
	LimitHit struct {
		What  string // the bound's name in Config, or of a constant
		Limit int
	}
)
