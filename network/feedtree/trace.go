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
	// Taken reports that the Library keeps an item; Unkept that it does not want it.
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

	// TakenBack says that an item is needed no more, as its publisher has withdrawn it.
	TakenBack struct {
		Topic  engine.ID
		Number uint64
	}

	// Superseded says that a word of a former key does not count, as the present key has not named its number.
	Superseded struct {
		Topic  engine.ID
		Number uint64
	}

	// Refused reports that a statement was not as it should be. From is zero if its sender is not known for sure.
	// Banned says that messages of a peer are ignored from now on.
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

	// Overdue reports that the publisher's word has not come in time. Heard reports its first word, the first after it
	// was overdue, or the first after a new promise. Ended reports that the publisher withdrew its promise.
	Overdue struct{ Topic engine.ID }
	Heard   struct{ Topic engine.ID }
	Ended   struct{ Topic engine.ID }

	// Gap reports that numbers are missing, and Recovered that one of them was obtained. Skipped reports that they are
	// too far back to be asked for: the archive may have them.
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

	// Fallback reports that no node with the missing items could be found: the conventional feed has to be polled. From
	// 0: no number is known to be missing, but the publisher is overdue.
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

	// Equivocated says that two items are signed for one number. WentBack reports that a publisher has given a number
	// again after a higher one: its state is old, or the key is used twice.
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

	// Overtaken reports to the publisher's node that the network knows of an item with a higher number than it has
	// given. What it numbers next has to be above.
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
