package live

import (
	"time"

	"tidings/network/engine"
)

// The transport's own events, which Config.Observe is called with beside what protocols trace.
type (
	// Connected means that a link to a peer is up: both sides have said Hello.
	Connected struct {
		Peer    engine.Peer
		Inbound bool   // the peer dialled
		Program string // what the peer says it runs
	}

	// Disconnected means that a link ended. Down reports whether protocols learned it.
	Disconnected struct {
		Peer engine.Peer
		Why  string
		Down bool
	}

	// DialFailed means that a peer could not be reached. It is not tried again before
	// Wait has passed.
	DialFailed struct {
		Peer engine.Peer
		Why  string
		Wait time.Duration
	}

	// Lied means that a message named a peer with an ID that does not match the key in its address, or with an invalid
	// address. It was not dialled.
	Lied struct{ Peer engine.Peer }

	// Struck means that a peer broke the framing, the codec or the limits and was
	// disconnected. Refused is how long it stays so; 0: it may return at once.
	Struck struct {
		ID      engine.ID
		Why     string
		Strikes int
		Refused time.Duration
	}

	// Refused means that a peer was disconnected and is kept out, as Host.Refuse asked.
	Refused struct {
		ID  engine.ID
		Why string
		For time.Duration
	}

	// Incompatible means that a peer speaks no version that this node does, or that one of the two has an ID that the
	// other one's network does not admit.
	Incompatible struct {
		ID  engine.ID
		Why string
	}

	// DuplicateKeyFound means that two nodes hold one key: a data directory was copied. Own says that it is this
	// node's. Then By is the peer that reports it, each time it meets the other one. Otherwise the two were seen here.
	DuplicateKeyFound struct {
		ID  engine.ID
		Own bool
		By  engine.ID
	}

	// Overflowed means that messages to a peer were dropped, by a full queue, in the last
	// second.
	Overflowed struct {
		Peer     engine.Peer
		Messages int
	}

	// Unsendable means that a protocol sent a message that the codec refuses.
	Unsendable struct {
		To   engine.Peer
		Kind engine.Kind
		Err  error
	}

	// Measured is a round trip to a peer.
	Measured struct {
		Peer engine.Peer
		RTT  time.Duration
	}

	// Moved means that this host's addresses changed.
	Moved struct{ Self engine.Peer }

	// Reached means that it became known, or changed, whether others can connect.
	Reached struct{ Reachability Reachability }

	// Woke means that the machine slept.
	Woke struct{ Slept time.Duration }
)
