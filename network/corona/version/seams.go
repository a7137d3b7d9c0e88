package version

import (
	"time"

	"tidings/network/corona/machine"
	"tidings/network/corona/plan"
	"tidings/network/corona/roster"
	"tidings/network/engine"
)

type (
	// Channel and Hash are those of all machines, Limits is the plan's, and State the roster's.
	Channel = machine.Channel
	Hash    = machine.Hash
	Limits  = plan.Limits
	State   = roster.State
)

// Seams are what the machine needs of its surroundings. Calls return at once, and call nothing back before they return,
// except where documented, as for Library.Store.
type Seams struct {
	Roster   Roster
	Plan     Plan
	Ceilings Ceilings
	Library  Library
	Poller   Poller
	Host     Host
}

// Owned is the roster's record of a channel that is owned here.
type Owned interface {
	Channel() Channel
	Primary() bool
	Rank() int             // how many other owners are closer; below zero: this node is no longer an owner
	Others() []engine.Peer // the other owners, closest first
	Informed() bool        // the others have sent what they know, or had time to
	Shared() bool          // the others have all that this node has
	Gone() bool            // the roster has forgotten it
	Live() int             // subscriptions that count
	Version() uint64       // the latest; 0: none
	Stamp() uint64         // of State
	SetState(version, stamp uint64)
}

// Roster knows subscribers and owners.
type Roster interface {
	// Readers returns the number of readers for which this node subscribes to a channel, 0 if it does not. Wanted also
	// returns a channel with a subscription that is about to end.
	Readers(channel engine.ID) int
	Wanted(channel engine.ID) (Channel, bool)
	// Disown notifies the owners of a channel that this node does not subscribe to it.
	Disown(channel engine.ID, outside string, stamp uint64)
	// MoveHome renews subscriptions, as another node than the one that acknowledged them seems to be the channel's
	// primary.
	MoveHome(channel engine.ID, primary engine.Peer)

	// Owners returns the k owners of a channel, without those that are shunned, and whether that is certain.
	Owners(channel engine.ID, k int) (owners []engine.Peer, sure bool)
	// Near reports whether a peer may own a channel, or have owned it lately.
	Near(channel engine.ID, p engine.Peer) bool
	// CouldOwn reports whether a node can own a channel, or have owned it lately, as far as this node knows.
	CouldOwn(channel, node engine.ID) bool
	// SendToOwner sends a message that bypasses the primary to the second owner.
	SendToOwner(channel engine.ID, m engine.Message)
	// Shun excludes a node as an owner of all channels until then, and of one channel at once. It may call
	// Machine.Changed before it returns.
	Shun(node, channel engine.ID, until time.Duration)

	// Subscribers returns a page of the subscribers of a channel owned here, from at most that many entries, and where
	// the next page begins. It begins and ends at -1.
	Subscribers(channel engine.ID, at, most int) (page []engine.Peer, next int)
	// Subscribes reports whether a node is in that table.
	Subscribes(channel engine.ID, p engine.Peer) bool
	// Restate sends the other owners the state of a channel, without haste.
	Restate(channel engine.ID)
}

// Plan knows which nodes poll.
type Plan interface {
	// Polled returns a channel that this node polls or passes versions of on, and whether it polls it.
	Polled(channel engine.ID) (c Channel, polled bool)
	// Below returns a new list of the nodes below this one in the polling set. Above returns the node that assigned the
	// channel, and false if that is this node or none.
	Below(channel engine.ID) []engine.Peer
	Above(channel engine.ID) (engine.Peer, bool)
	// Passed returns the latest version that was passed on, and whether the message said that changes need not be
	// reported. If in, this node passes the channel's versions on. Pass notes another, and returns the nodes to pass it
	// to.
	Passed(channel engine.ID) (version uint64, hushed, in bool)
	Pass(channel engine.ID, version uint64, hushed bool) []engine.Peer
	// Rest reports polls out of turn for all nodes that poll the channel: as many of the next turns are skipped.
	Rest(channel engine.ID, polls int)
	// Limits returns what the origin of a channel polled here asks for, as far as this node knows.
	Limits(channel engine.ID) Limits
	// Pollers returns how many nodes poll a channel that this node leads, as far as counted. They make as many polls in
	// an interval.
	Pollers(channel engine.ID) (pollers uint32, size machine.Size)
	// Nodes returns about how many nodes the ring has, and LeastNodes how many it almost certainly has.
	Nodes() int
	LeastNodes() int
}

// Ceilings bound the load of hosts.
type Ceilings interface {
	Hosted() bool // whether they do
	// Certified reports whether the host lets a channel be polled, and whether by its primary alone.
	Certified(channel engine.ID) (alone, ok bool)
	// PollsAlone reports whether this node, a channel's primary, may let no other node poll it.
	PollsAlone(channel engine.ID) bool
	// ReserveGapPoll reports whether this node may poll a host once for a version that no node sends it, and counts
	// that poll.
	ReserveGapPoll(c Channel) bool
	// LetsReaders reports whether the host of a channel can bear occasional polls by nodes with readers, of which this
	// node is one.
	LetsReaders(c Channel) bool
	// MayLead reports whether a node can be the primary of a channel.
	MayLead(node, channel engine.ID) bool
	// Certificate returns the proof that a channel polled here may be polled by many. CheckCertificate calls then with
	// how many pollers it allows, 0 if it proves nothing.
	Certificate(channel engine.ID) []machine.Grant
	CheckCertificate(c Channel, certificate []machine.Grant, then func(pollers float64))
}

// Host is the node around the machine.
type Host interface {
	// State returns what is known of a channel besides its subscriptions. Adopted reports newer knowledge of another
	// owner.
	State(channel engine.ID) State
	Adopted(channel engine.ID, s State)
	// Changed notifies all machines, including this one, that the state of a channel owned here has changed.
	Changed(channel engine.ID)
	// Limited reports that the origin of a channel asks for something else now. waits: it has just asked not to be
	// polled.
	Limited(channel engine.ID, waits bool)
	Suspected(Suspected)
	Carried(Carried)
	Contradicted(Contradicted)
}

// Poller polls channels out of turn.
type Poller interface {
	// Verify polls a channel once, now. Machine.Polled receives the outcome, whatever it is.
	Verify(c Channel)
	// FirstPoll returns how long the first poll of a channel here may still last. Its outcome is always reported. It
	// returns 0 if that is over, or this node does not poll.
	FirstPoll(channel engine.ID) time.Duration
}

// Library holds the contents of versions. The machine knows their numbers and hashes only.
type Library interface {
	// Held returns the number and the hash of the latest stored version of a channel; zero: none.
	Held(channel engine.ID) (version uint64, hash Hash)
	// Content returns the hash of the latest content here, with a number or without; zero: none is known.
	Content(channel engine.ID) Hash
	// Relay stores versions of a channel that is neither polled, but by Poller.Verify, nor subscribed to, until
	// Release.
	Relay(c Channel)
	Release(channel engine.ID)
	// Store keeps an update of a channel that is polled, subscribed to or relayed here. It reports the outcome by
	// Machine.Stored, before it returns or later. If u.Hash is that of the version held, only the number is new.
	// Otherwise u.Base is that version's hash or Content's, and u.Payload applied to it must make u.Hash.
	Store(u *Update)
	// Lend finds the change from a content to the latest stored one, and passes it to found; nil if it cannot. The zero
	// Hash stands for nothing.
	Lend(channel engine.ID, base Hash, found func(*Update))
}
