package spread

import "tidings/network/engine"

// What a node traces. The structs are values with plain fields.
type (
	// Published says that an event was published here.
	Published struct {
		Topic  engine.ID
		Digest uint64
	}

	// Came says that an event arrived for the first time, after so many hops; Repeated that it arrived again.
	Came struct {
		Topic  engine.ID
		Digest uint64
		From   engine.Peer
		Hops   uint8
		Asked  bool // it was announced first, and asked for
	}
	Repeated struct {
		Topic  engine.ID
		Digest uint64
		From   engine.Peer
	}

	// Delivered says that the Member was given an event.
	Delivered struct {
		Topic  engine.ID
		Digest uint64
		Event  engine.Message
	}

	// Refused says that something was dropped that should not have arrived.
	Refused struct {
		Topic engine.ID
		From  engine.Peer
		Why   string
	}

	// Grafted says that a link is part of a topic's tree now; Pruned that it is no longer.
	Grafted struct {
		Topic engine.ID
		Peer  engine.Peer
		Why   string
	}
	Pruned struct {
		Topic engine.ID
		Peer  engine.Peer
		Why   string
	}

	// Missed says that an announced event has not arrived and is asked for. Try counts from 1.
	Missed struct {
		Topic  engine.ID
		Digest uint64
		From   engine.Peer // the one that is asked
		Try    int
	}

	// GaveUp says that an announced event is not asked for any more.
	GaveUp struct {
		Topic  engine.ID
		Digest uint64
	}

	// Unheard says that no neighbour has learned of an event that was published here Config.Hold ago, or is dropped
	// now.
	Unheard struct {
		Topic  engine.ID
		Digest uint64
	}

	// Suspected says that a neighbour promises events and does not give them, or does not answer.
	Suspected struct {
		Peer engine.Peer
		Why  string
	}

	// LimitHit says that a bound was reached and something left undone.
	LimitHit struct {
		What  string // the bound's name in Config
		Limit int
	}
)
