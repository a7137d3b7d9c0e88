package scribe

import "tidings/network/engine"

// What a node traces. The structs are values with plain fields.
type (
	// Published says that this node has published an event; RootAcked that a root has it now; RootTimedOut
	// that it gives up, and that not all roots are known to have it.
	Published struct {
		Group  Group
		Number uint64
	}
	RootAcked struct {
		Group Group
		Event engine.Message
		Root  engine.Peer
	}
	RootTimedOut struct {
		Group  Group
		Number uint64
	}

	// Came says that an event came for the first time, wanted here or not.
	Came struct {
		Group  Group
		Stream uint64
		Number uint64
		From   engine.Peer
	}

	// Repeated says that an event came once more.
	Repeated struct {
		Group  Group
		Stream uint64
		Number uint64
		From   engine.Peer
	}

	// Refused says that an event came that is none, as far as the Member knows. From is this node
	// for one that was to be published here.
	Refused struct {
		Group Group
		From  engine.Peer
	}

	// Delivered says that this node as a member was given an event.
	Delivered struct {
		Group  Group
		Stream uint64
		Number uint64
		Event  engine.Message
	}

	// Found says that the node has a parent; LostParent that nothing came from it for too
	// long; Blamed that the parent has kept an event from it; Circle that the way up leads
	// back to the node itself.
	Found struct {
		Group  Group
		Parent engine.Peer
	}
	LostParent struct {
		Group  Group
		Parent engine.Peer
	}
	Blamed struct {
		Group  Group
		Parent engine.Peer
	}
	Circle struct {
		Group  Group
		Parent engine.Peer
	}

	// Rooted says that the node has become the root of a group.
	Rooted struct{ Group Group }

	// Adopted says that the node has a new child; Moved that it has asked one to become the child
	// of another.
	Adopted struct {
		Group Group
		Child engine.Peer
	}
	Moved struct {
		Group Group
		Child engine.Peer
	}

	// GaveUp says that a parent has not sent so many Disseminates again that were asked for.
	GaveUp struct {
		Parent engine.Peer
		Missed int
	}

	// LimitHit says that a bound was reached and something left undone.
	LimitHit struct {
		What  string // the bound's name in Config, or of a constant
		Limit int
	}
)
