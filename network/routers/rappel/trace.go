package rappel

import "tidings/network/engine"

// What a node traces. The structs are values with plain fields.
type (
	// Published says that an event was published here; Rested that the root has numbered it; Untaken that it was given
	// up, and that perhaps no node has it.
	Published struct {
		Topic engine.ID
		Event engine.Message
	}
	Rested  Published
	Untaken Published

	// Came says that an update came for the first time; Repeated that it came once more.
	Came struct {
		Topic         engine.ID
		Epoch, Number uint64
		From          engine.Peer
		Pulled        bool // it was asked for
	}
	Repeated struct {
		Topic         engine.ID
		Epoch, Number uint64
		From          engine.Peer
	}

	// Refused says that an event was invalid, as far as the Member, or the root's key, can show; or that no node had
	// requested it.
	Refused struct {
		Topic engine.ID
		From  engine.Peer
		Why   string
	}

	// Delivered says that this node as a member was given an event.
	Delivered struct {
		Topic         engine.ID
		Epoch, Number uint64 // 0: published here, and not numbered yet
		Event         engine.Message
	}

	// Asked says that a node asks another to be its parent.
	Asked struct {
		Topic engine.ID
		To    engine.Peer
		Why   string
	}

	// Attached says that the node has a new parent, and Refusal that a parent refused it. LostParent says that the
	// parent does not answer or no longer knows its child. Blamed says that the parent kept updates back, and Circle
	// that the node is among its own ancestors.
	Attached struct {
		Topic  engine.ID
		Parent engine.Peer
		Height int // above it
	}
	Refusal struct {
		Topic engine.ID
		By    engine.Peer
		Why   uint8 // as in JoinDeny
	}
	LostParent struct {
		Topic  engine.ID
		Parent engine.Peer
	}
	Blamed struct {
		Topic  engine.ID
		Parent engine.Peer
		What   string
	}
	Circle LostParent

	// Adopted says that the node has a new child; Evicted that it has sent one to another; LostChild that one was
	// silent for too long.
	Adopted struct {
		Topic engine.ID
		Child engine.Peer
	}
	Evicted struct {
		Topic     engine.ID
		Child, To engine.Peer
	}
	LostChild Adopted

	// Rooted says that the node is the top of a topic's tree now, or no longer.
	Rooted struct {
		Topic engine.ID
		On    bool
		Epoch uint64
	}

	// Gap says that so many updates are known to be missing and are pulled; GaveUp that nobody had them.
	Gap struct {
		Topic   engine.ID
		Missing int
		From    engine.Peer
	}
	GaveUp struct {
		Topic   engine.ID
		Missing int
	}

	// Befriended says that there is a new friend, in the place of Victim if there was no room; Unfriended that one is
	// none any more.
	Befriended struct {
		Friend, Victim engine.Peer
	}
	Unfriended struct {
		Friend engine.Peer
		Why    string
	}

	// Audited says what came of the examination of a candidate.
	Audited struct {
		Candidate engine.Peer
		Viable    bool
	}

	// Silent says that a neighbour did not answer.
	Silent struct{ Peer engine.Peer }

	// LimitHit says that a bound was reached and something left undone.
	LimitHit struct {
		What  string // the bound's name in Config, or of a constant
		Limit int
	}
)
