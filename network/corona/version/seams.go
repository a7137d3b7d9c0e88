package version

import (
	"slices"
	"time"

	"tidings/network/corona/roster"
	"tidings/network/corona/version/believe"
	"tidings/network/corona/version/deliver"
	"tidings/network/corona/version/report"
	"tidings/network/corona/version/update"
	"tidings/network/engine"
)

type (
	// Channel and Hash are those of all machines, Config is that of all parts, Limits is the plan's, and State the
	// roster's.
	Channel = update.Channel
	Hash    = update.Hash
	Config  = update.Config
	Limits  = report.Limits
	State   = roster.State
)

// Messages lists the messages of all parts.
var Messages = slices.Concat(update.Messages, report.Messages, believe.Messages, deliver.Messages)

// Seams are what the machine needs of its surroundings. Calls return at once, and call nothing back before they return,
// except where documented, as for deliver.Library.
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
	report.Owned
	deliver.Owned
	Rank() int // how many other owners are closer; below zero: this node is no longer an owner
}

// Roster knows subscribers and owners.
type Roster interface {
	deliver.Roster
	// Owned returns the record of a channel, or nil if it is not owned here.
	Owned(channel engine.ID) Owned
	// Wanted returns a channel that this node subscribes to, also with a subscription that is about to end.
	Wanted(channel engine.ID) (Channel, bool)
	// Disown notifies the owners of a channel that this node does not subscribe to it.
	Disown(channel engine.ID, outside string, stamp uint64)
	// Owners returns the k owners of a channel, without those that are shunned, and whether that is certain.
	Owners(channel engine.ID, k int) (owners []engine.Peer, sure bool)
	// Near reports whether a peer may own a channel, or have owned it lately.
	Near(channel engine.ID, p engine.Peer) bool
	// SendToOwner sends a message that bypasses the primary to the second owner.
	SendToOwner(channel engine.ID, m engine.Message)
	// Shun excludes a node as an owner of all channels until then, and of one channel at once. It may call
	// Machine.Changed before it returns.
	Shun(node, channel engine.ID, until time.Duration)
}

// Plan knows which nodes poll.
type Plan interface {
	report.Plan
	// Above returns the node that assigned the channel, and false if that is this node or none.
	Above(channel engine.ID) (engine.Peer, bool)
	// Passed returns the latest version that was passed on, and whether the message said that changes need not be
	// reported. If in, this node passes the channel's versions on. Pass notes another, and returns the nodes to pass it
	// to.
	Passed(channel engine.ID) (version uint64, hushed, in bool)
	Pass(channel engine.ID, version uint64, hushed bool) []engine.Peer
	// Rest reports polls out of turn for all nodes that poll the channel: as many of the next turns are skipped.
	Rest(channel engine.ID, polls int)
	// CountNodes returns about how many nodes the ring has, how many it almost certainly has, and the most of which
	// other nodes are probably as certain.
	CountNodes() (about, least, most int)
}

// Ceilings bound the load of hosts.
type Ceilings interface {
	report.Ceilings
	// LetsReaders reports whether the host of a channel can bear occasional polls by nodes with readers, of which this
	// node is one.
	LetsReaders(c Channel) bool
	// MayLead reports whether a node can be the primary of a channel.
	MayLead(node, channel engine.ID) bool
	// Looks returns how often this node may poll a channel in an interval as a witness, by its proved readers.
	Looks(c Channel) int
	// Asking reports whether a proof of a channel's readers is on its way. If so, Machine.Proved is called later.
	Asking(channel engine.ID) bool
}

// Library holds the contents of versions.
type Library interface {
	deliver.Library
	// Relay stores versions of a channel that is neither polled, but by Poller.Verify, nor subscribed to, until
	// Release.
	Relay(c Channel)
	Release(channel engine.ID)
}

// Poller polls channels out of turn.
type Poller interface {
	// Verify polls a channel once, now. Machine.Polled receives the outcome, whatever it is.
	Verify(c Channel)
	// FirstPoll returns how long the first poll of a channel here may still last. Its outcome is always reported. It
	// returns 0 if that is over, or this node does not poll.
	FirstPoll(channel engine.ID) time.Duration
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
	Suspected(report.Suspected)
	Carried(deliver.Carried)
	Contradicted(believe.Contradicted)
}
