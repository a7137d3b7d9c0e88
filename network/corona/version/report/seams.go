package report

import (
	"time"

	"tidings/network/corona/machine"
	"tidings/network/corona/plan"
	"tidings/network/corona/version/update"
	"tidings/network/engine"
)

// Limits are the plan's.
type Limits = plan.Limits

// Seams are what the machine needs of its surroundings. Calls return at once, and call nothing back before they return.
type Seams struct {
	Contents update.Contents
	Owners   func(channel engine.ID) (owners []engine.Peer, sure bool) // without those that are shunned
	Readers  func(channel engine.ID) int                               // for which this node subscribes
	Plan     Plan
	Ceilings Ceilings
	Host     Host
}

// Owned is the roster's record of a channel that is owned here.
type Owned interface {
	Channel() update.Channel
	Primary() bool
	Informed() bool  // the other owners have sent what they know, or had time to
	Shared() bool    // the others have all that this node has
	Gone() bool      // the roster has forgotten it
	Version() uint64 // the latest; 0: none
}

// Plan knows which nodes poll.
type Plan interface {
	// Polled returns a channel that this node polls or passes versions of on, and whether it polls it.
	Polled(channel engine.ID) (c update.Channel, polled bool)
	// Below returns a new list of the nodes below this one in the polling set.
	Below(channel engine.ID) []engine.Peer
	// Limits returns what the origin of a channel polled here asks for, as far as this node knows.
	Limits(channel engine.ID) Limits
	// Pollers returns how many nodes poll a channel that this node leads, as far as counted. They make as many polls in
	// an interval.
	Pollers(channel engine.ID) (pollers uint32, size machine.Size)
}

// Ceilings bound the load of hosts.
type Ceilings interface {
	Hosted() bool // whether they do
	// MayCheck reports whether this node may poll a channel out of turn to check a report: it is the primary, or polls
	// it by an assignment.
	MayCheck(channel engine.ID) bool
	// PollsAlone reports whether this node, a channel's primary, may let no other node poll it.
	PollsAlone(channel engine.ID) bool
	// ReserveGapPoll reports whether this node may poll a host once for a version that no node sends it, and counts
	// that poll.
	ReserveGapPoll(c update.Channel) bool
}

// Host is the node around the machine.
type Host interface {
	// After calls f later, and does what f returns.
	After(d time.Duration, f func() update.Steps) engine.Timer
	// Makes reports whether this node makes versions of a channel: as its primary, or for some time in its place.
	Makes(channel engine.ID) bool
	// Channel returns a channel that this node polls, owns or subscribes to, else one without a URL.
	Channel(channel engine.ID) update.Channel
	// Poll polls a channel once, now. Machine.Polled receives the outcome, whatever it is. Relay makes the library keep
	// a channel that is owned here, so that it has the content before.
	Poll(c update.Channel)
	Relay(channel engine.ID)
	// Header returns the header of a channel's version that is held here. FoundAs names the finder of a content that is
	// held here. Floor returns the number above which the next version's has to be.
	Header(channel engine.ID) update.Header
	FoundAs(u *update.Update)
	Floor(channel engine.ID) uint64
	// Limited reports that the origin of a channel asks for something else now. waits: it has just asked not to be
	// polled.
	Limited(channel engine.ID, waits bool)
	Suspected(Suspected)
}

// The steps that the machine returns.
type (
	// Accepted is a content that is to be a version. Published, Unfit or Refused receive what becomes of it.
	Accepted struct {
		Channel engine.ID
		Update  update.Update
	}
	// Early is a reported content that is probably true: witnesses may see it while it is checked. Ended is the end of
	// a check: if it has become no version, they were asked in vain.
	Early Accepted
	Ended struct{ Channel engine.ID }
	// Resend has the latest version sent to all once more. Those that have it ignore it.
	Resend struct{ Channel engine.ID }
	// Lacked is the latest version's content, which this node lacks and a finder has. Unsent: it may not have been sent
	// to all.
	Lacked struct {
		From   engine.Peer
		Update *update.Update
		Unsent bool
	}
	// Behind says that a peer knows a version of a channel.
	Behind struct {
		From    engine.Peer
		Channel engine.ID
		Version uint64
	}
	// Doubled says that an owner knows another content for the version that is held here.
	Doubled struct{ Channel engine.ID }
	// Bypassing is a report by this node that bypasses a primary: this node is the second owner.
	Bypassing struct{ Report *Detected }
)

// around is what the parts of the machine see of their surroundings.
type around struct {
	machine.Base
	Seams
	config update.Config
}
