package deliver

import (
	"time"

	"tidings/network/corona/machine"
	"tidings/network/corona/version/update"
	"tidings/network/engine"
)

// Seams are what the machine needs of its surroundings. Calls return at once, and call nothing back before they return,
// except where documented, as for Library.Store.
type Seams struct {
	Library Library
	Roster  Roster
	Plan    Plan
	Poller  Poller
	Host    Host
}

// Owned is the roster's record of a channel that is owned here.
type Owned interface {
	Channel() update.Channel
	Primary() bool
	Others() []engine.Peer // the other owners, closest first
	Gone() bool            // the roster has forgotten it
	Live() int             // subscriptions that count
	Version() uint64       // the latest; 0: none
	Stamp() uint64         // of State
	SetState(version, stamp uint64)
}

// Library holds the contents of versions. The machine knows their numbers and hashes only.
type Library interface {
	update.Contents
	// Store keeps an update of a channel that is polled, subscribed to or relayed here. It reports the outcome by
	// Machine.Stored, before it returns or later. If u.Hash is that of the version held, only the number is new.
	// Otherwise u.Base is that version's hash or Content's, and u.Payload applied to it must make u.Hash.
	Store(u *update.Update)
	// Lend finds the change from a content to the latest stored one, and passes it to found; nil if it cannot. The zero
	// Hash stands for nothing.
	Lend(channel engine.ID, base update.Hash, found func(*update.Update))
}

// Roster knows subscribers and owners.
type Roster interface {
	// Readers returns the number of readers for which this node subscribes to a channel, 0 if it does not.
	Readers(channel engine.ID) int
	// MoveHome renews subscriptions, as another node than the one that acknowledged them seems to be the channel's
	// primary.
	MoveHome(channel engine.ID, primary engine.Peer)
	// CouldOwn reports whether a node can own a channel, or have owned it lately, as far as this node knows.
	CouldOwn(channel, node engine.ID) bool
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
	// Below returns a new list of the nodes below this one in the polling set.
	Below(channel engine.ID) []engine.Peer
}

// Poller polls channels.
type Poller interface {
	// FirstPoll returns how long the first poll of a channel here may still last. Its outcome is always reported. It
	// returns 0 if that is over, or this node does not poll.
	FirstPoll(channel engine.ID) time.Duration
	// PollForGap polls the origin for a missing version, unless that would be too much for the host.
	PollForGap(c update.Channel) bool
}

// Host is the node around the machine.
type Host interface {
	// After calls f later, and does what f returns.
	After(d time.Duration, f func() update.Steps) engine.Timer
	// Wants returns a channel, as far as this node knows it, and whether its versions are kept here. Makes reports
	// whether this node makes them, and Relay makes the library keep them for that.
	Wants(channel engine.ID) (c update.Channel, wants bool)
	Makes(channel engine.ID) bool
	Relay(channel engine.ID)
	// Believes reports whether this node need not see an update itself. Sealed adds the signatures of its version to an
	// update that is about to be lent, and returns false if they are unknown.
	Believes(u *update.Update) bool
	Sealed(u *update.Update) bool
	// Witnesses returns which have seen a version so far, whether they are being asked, and whether some may still
	// answer.
	Witnesses(channel engine.ID, version uint64) (seen []update.Attestation, asked, awaited bool)
	// Noisy reports whether a channel's content differed from request to request lately.
	Noisy(channel engine.ID) bool
	// State returns what is known of a channel besides its subscriptions.
	State(channel engine.ID) State
	Carried(Carried)
}

// The steps that the machine returns.
type (
	// Numbering is an accepted content that has its number, and is to be signed. Then Attesting has witnesses see it.
	Numbering struct {
		Channel engine.ID
		Update  *update.Update
	}
	Attesting Numbering
	// Published is a version that the other owners have noted, and witnesses have seen or had time to. It is about to
	// be sent.
	Published struct {
		Channel engine.ID
		Update  *update.Update
	}
	// Unfit is an accepted content that does not lead on from what is held here. Refused makes no version.
	Unfit   struct{ Channel engine.ID }
	Refused struct {
		Channel engine.ID
		Why     update.Why
	}
	// Kept is an update that the library has stored. News: its content differs from the one held before. Before is that
	// one, if this node has not seen the new one. Own: this node makes the version.
	Kept struct {
		Update    *update.Update
		News, Own bool
		Before    update.Hash
	}
	// Unseen is an update that too few nodes have seen.
	Unseen struct {
		From   engine.Peer
		Update *update.Update
	}
	// Found is what this node's first poll has found: it was not the missing version.
	Found struct{ Update *update.Update }
	// Silent says that nobody sends a missing version.
	Silent struct{ Channel engine.ID }
)

// around is what the parts of the machine see of their surroundings.
type around struct {
	machine.Base
	Seams
	config update.Config
}

// maxUnderWay bounds each table of updates under way. Beyond it updates and gaps are dropped; the next poll brings them
// up again.
const maxUnderWay = 1 << 14
