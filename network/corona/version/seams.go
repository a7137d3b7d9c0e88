package version

import (
	"time"

	"tidings/network/corona/machine"
	"tidings/network/corona/plan"
	"tidings/network/corona/roster"
	"tidings/network/engine"
)

type (
	// Channel and Hash are those of all machines, Limits and State those of the plan and of the roster.
	Channel = machine.Channel
	Hash    = machine.Hash
	Limits  = plan.Limits
	State   = roster.State
)

// Seams are what the machine asks of its surroundings. What it calls returns at once and calls nothing back before, but for Library.Take and what says so.
type Seams struct {
	Roster   Roster
	Plan     Plan
	Ceilings Ceilings
	Library  Library
	Poller   Poller
	Host     Host
}

// Owned is what the roster knows of a channel that is owned here.
type Owned interface {
	Channel() Channel
	Primary() bool
	Rank() int             // how many of the other owners are closer; below zero: this node is no owner any more
	Others() []engine.Peer // the other owners, closest first
	Informed() bool        // the others have told what they know, or had time to
	Shared() bool          // the others have all that this node has
	Gone() bool            // it is forgotten
	Live() int             // subscriptions that count
	Version() uint64       // the latest; 0: none
	Stamp() uint64         // of State
	SetState(version, stamp uint64)
}

// Roster knows subscribers and owners.
type Roster interface {
	// Readers returns for how many readers this node subscribes to a channel, 0 if it does not; Wanted returns the channel also of a subscription that is
	// about to end.
	Readers(channel engine.ID) int
	Wanted(channel engine.ID) (Channel, bool)
	// Disown tells the owners of a channel that this node does not subscribe to it.
	Disown(channel engine.ID, outside string, stamp uint64)
	// MoveHome has subscriptions renewed, as another node than the one that acknowledged them seems to be the channel's primary.
	MoveHome(channel engine.ID, primary engine.Peer)

	// Owners returns the k owners of a channel, without those that are shunned, and whether that is sure.
	Owners(channel engine.ID, k int) (owners []engine.Peer, sure bool)
	// Near reports whether a peer may own a channel, or have owned it lately.
	Near(channel engine.ID, p engine.Peer) bool
	// CouldOwn reports whether a node can own a channel, or have owned it lately, as far as this node can tell.
	CouldOwn(channel, node engine.ID) bool
	// SendToOwner sends what bypasses the primary to the second owner.
	SendToOwner(channel engine.ID, m engine.Message)
	// Shun counts a node as an owner of nothing for a while, of one channel at once: Machine.Changed may be called before it returns.
	Shun(node, channel engine.ID, until time.Duration)

	// Subscribers returns some subscribers of a channel owned here, from most entries, and where to go on. It begins and ends at -1.
	Subscribers(channel engine.ID, at, most int) (page []engine.Peer, next int)
	// Subscribes reports whether a node is in that table.
	Subscribes(channel engine.ID, p engine.Peer) bool
	// Restate has the other owners told, at leisure, of what is known of a channel.
	Restate(channel engine.ID)
}

// Plan knows who polls.
type Plan interface {
	// Polled returns a channel that this node polls or passes versions of on, and whether it polls.
	Polled(channel engine.ID) (c Channel, polled bool)
	// Below returns a new list of those to whom versions are passed down the polling set, Above who assigned the channel: false if that is this node, or
	// nobody.
	Below(channel engine.ID) []engine.Peer
	Above(channel engine.ID) (engine.Peer, bool)
	// Passed returns the latest version that was passed on, and whether with the message that changes need not be reported; in: they are passed on here. Pass
	// notes another, and returns to whom it is passed.
	Passed(channel engine.ID) (version uint64, hushed, in bool)
	Pass(channel engine.ID, version uint64, hushed bool) []engine.Peer
	// Rest says that a channel has been polled so many times out of turn, for all who poll it: as many of the next turns are skipped.
	Rest(channel engine.ID, polls int)
	// Limits returns what the origin of a channel polled here asks for as far as this node was told.
	Limits(channel engine.ID) Limits
	// Pollers returns how many nodes poll a channel that this node leads, as far as they have been counted: it has so many polls in an interval.
	Pollers(channel engine.ID) (pollers uint32, size machine.Size)
	// Nodes returns how many nodes the ring has, about, and LeastNodes how many it has all but surely.
	Nodes() int
	LeastNodes() int
}

// Ceilings bound the load of hosts.
type Ceilings interface {
	Hosted() bool // they do
	// Certified reports whether the host lets a channel be polled, and whether by its primary alone.
	Certified(channel engine.ID) (alone, ok bool)
	// PollsAlone reports whether the primary of a channel, this node, may have nobody else poll it.
	PollsAlone(channel engine.ID) bool
	// TakeGapPoll reports whether this node may poll a host once for a version that nobody gives it, and counts that poll.
	TakeGapPoll(c Channel) bool
	// LetsReaders reports whether the host of a channel can bear that those who read it poll it themselves now and then, and this node is one that may.
	LetsReaders(c Channel) bool
	// MayLead reports whether a node can be the primary of a channel.
	MayLead(node, channel engine.ID) bool
	// Certificate returns what shows others that a channel polled here may be polled by many; CheckCertificate tells then by how many: 0 if it shows nothing.
	Certificate(channel engine.ID) []machine.Grant
	CheckCertificate(c Channel, certificate []machine.Grant, then func(pollers float64))
}

// Host is the node around the machine.
type Host interface {
	// State returns what is known of a channel besides its subscriptions; Adopted takes what another owner knows that is newer.
	State(channel engine.ID) State
	Adopted(channel engine.ID, s State)
	// Changed has all machines told, this one too, that what is known of a channel that is owned here has changed.
	Changed(channel engine.ID)
	// Limited says that the origin of a channel asks for something else now. waits: just now it has asked not to be polled.
	Limited(channel engine.ID, waits bool)
	Suspected(Suspected)
	Carried(Carried)
	Contradicted(Contradicted)
}

// Poller polls channels out of turn.
type Poller interface {
	// Verify polls a channel once, now. Whatever comes of it is told by Machine.Polled.
	Verify(c Channel)
	// FirstPoll returns how long it may be until the first poll of a channel here, which is told whatever it gives. 0: there was one, or nobody polls.
	FirstPoll(channel engine.ID) time.Duration
}

// PollResult is what a poll gave.
type PollResult struct {
	Verified bool // Poller.Verify asked for it
	// Update is what changed against the latest version that the Library holds, whose number stands in Version and whose hash in Base; nil: nothing.
	Update *Update
	Hash   Hash   // of the content that was read; zero: none was
	Size   uint32 // of the document, in bytes; 0: unknown
	// Wait is for how long the origin asked not to be polled (Retry-After), Interval how much time it wants between polls (ttl, Cache-Control).
	// 0: it said nothing.
	Wait, Interval time.Duration
}

// Library holds what the versions of channels say. The machine knows their numbers and hashes only.
type Library interface {
	// Held returns the number and the hash of the latest version that is kept of a channel; zero: none.
	Held(channel engine.ID) (version uint64, hash Hash)
	// Content returns the hash of the latest content that is here, whether it has a number or not; zero: none is known.
	Content(channel engine.ID) Hash
	// Relay has versions kept here though the channel may be neither polled, but by Poller.Verify, nor subscribed to, until Release.
	Relay(c Channel)
	Release(channel engine.ID)
	// Take keeps an update of a channel that is polled, subscribed to or relayed here, and has Machine.Taken told, then or later. Where u.Hash is that of the version
	// held, only the number is new. Otherwise u.Base is that version's or Content's, and what u.Payload makes of it must have u.Hash.
	Take(u *Update)
	// Lend finds what leads from a content to the latest one that is kept, and gives it to found; nil if it cannot. The zero Hash stands for nothing.
	Lend(channel engine.ID, base Hash, found func(*Update))
}
