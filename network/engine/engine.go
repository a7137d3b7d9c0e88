// Package engine is what a protocol may ask of the world, and what the world asks of it.
//
// A protocol is a plain single-threaded object. It is made with an [Env] and from then on
// called with one message, one timer or one lost peer at a time; it acts through its Env
// alone. It starts no goroutine, holds no lock, reads no clock and opens no connection. The
// same object runs in the simulator (network/sim, virtual time, deterministic) and on
// libp2p connections (network/live).
//
// What else all protocols share is here too: the ring of points that nodes and channels are on
// ([ID]); messages, and the [Codec] that makes bytes of them and refuses what is hostile; the
// frames and the [Hello] of a stream; the [Stack] of protocols on one node. Package
// engine/enginetest helps to test what is built on it.
//
// What no protocol may decide by: the order of a map, an address (it is opaque), the wall
// clock (it may be wrong; see [Env.Wall]).
package engine

import (
	"math/rand/v2"
	"time"
)

// Peer is a node as others know it: which it is and where it can be reached.
//
// A Peer that came in a message is hearsay until the peer itself has sent something from
// there: the Env checks the ID against the key of the host that answers at the address, gives only
// checked peers to [Protocol.Receive], and reports a peer whose address answers under another
// ID as down.
type Peer struct {
	ID      ID
	Address Address
}

// IsZero reports whether p is no peer.
func (p Peer) IsZero() bool { return p.Address == "" && p.ID == ID{} }

// String returns the short ID.
func (p Peer) String() string { return p.ID.Short() }

// Address says how a peer is reached, in the form of the Env at hand: bytes, not text, at
// most MaxAddress. Protocols compare and pass addresses on and do nothing else with them.
type Address string

// Env is the world as one node's protocols see it. It belongs to one incarnation of the
// node: after [Protocol.Stop] or a crash nothing it was asked for happens any more.
//
// None of its methods calls back before it returns.
type Env interface {
	// Self returns this node. Its address may become known, or change, as the node
	// runs; the ID does not.
	Self() Peer

	// Now returns the monotonic time since the node started. It never goes back and
	// counts time that the machine slept. Intervals and time-outs are measured by it.
	Now() time.Duration

	// Wall returns what the machine's calendar clock says. It may be wrong by hours and
	// jump. It is for people and for validity of signatures, nothing else.
	Wall() time.Time

	// After calls f once, d from now, unless the timer is stopped before. A d below zero
	// counts as zero. After a sleep of the machine, all that fell due runs at once.
	After(d time.Duration, f func()) Timer

	// Rand returns the node's source of chance, seeded by the world.
	Rand() *rand.Rand

	// Send gives m to the network, on the way to a peer; it reports nothing. A message
	// may be lost, and is when the peer is gone, when a queue is full (the oldest of
	// the least urgent class goes first), or when the address turns out to belong to
	// somebody else. Messages from one node to another arrive in the order of sending,
	// but for faults of the network. The message must not be changed afterwards, by
	// either side. A message to oneself arrives like any other; to one's own ID at
	// another address nothing can be sent on live connections.
	Send(to Peer, m Message)

	// Work runs job outside the loop that runs the protocols, and then done inside it.
	// job must touch nothing of the protocol's; it is for what lasts longer than
	// microseconds. done is not called if the node stops before. At most
	// [MaxWork] jobs wait; more are refused: Work returns false and runs nothing.
	Work(job func(), done func()) bool

	// Trace reports to an observer what happened: a small struct of the protocol's own,
	// with plain fields. Observers have no effect. Protocols neither log nor count.
	Trace(event any)
}

// Prefixer is an Env that knows in which part of the network an address is: an IPv4 /24 or an IPv6 /48, which one owner
// may have whole. Prefix returns an empty string where that says nothing: for addresses of homes and of this machine.
type Prefixer interface {
	Prefix(Address) string
}

// MaxWork is how many jobs of [Env.Work] can wait at a node.
const MaxWork = 1024

// Protocol is what lives on a node. Its methods are called one at a time, never while
// another, or a timer's function, is still running.
type Protocol interface {
	// Receive handles a message. from is checked: it holds the key of its ID. Its
	// address is where it can be reached now.
	Receive(from Peer, m Message)

	// PeerDown reports that a peer to which something was sent, or from which something
	// came, cannot be reached: its connection died or could not be made, or its address
	// belongs to another. It is reported once for each outage; what was sent since the
	// last message from the peer may be lost. A message from it ends the outage.
	PeerDown(p Peer)

	// Stop ends the protocol in good order: it may send farewells, which are
	// delivered where possible. Nothing is called afterwards.
	Stop()
}

// Timer is a call to come. The zero Timer is one that has passed.
type Timer struct {
	world Stopper
	id    uint64
}

// Stopper is the side of the world that cancels timers; for implementations of [Env].
type Stopper interface {
	// StopTimer cancels the timer id and reports whether it was still to come.
	StopTimer(id uint64) bool
}

// NewTimer returns the timer that world knows by id; for implementations of [Env].
func NewTimer(world Stopper, id uint64) Timer { return Timer{world, id} }

// Stop cancels the call. It returns whether it was still to come; stopping twice, or
// too late, does nothing.
func (t Timer) Stop() bool { return t.world != nil && t.world.StopTimer(t.id) }
