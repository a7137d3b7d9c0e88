package believe

import (
	"time"

	"tidings/network/corona/machine"
	"tidings/network/corona/version/update"
	"tidings/network/engine"
)

// Machine is what one node believes of others.
type Machine struct {
	seals
	witnesses
	polls
	sights
}

// Host is the node around the machine. Calls return at once, and call nothing back before they return.
type Host interface {
	// After calls f later, and does what f returns.
	After(d time.Duration, f func() update.Steps) engine.Timer
	// CouldOwn reports whether a node can own a channel, or have owned it lately, as far as this node knows. Owns
	// reports whether this node does now.
	CouldOwn(channel, node engine.ID) bool
	Owns(channel engine.ID) bool
	// Readers returns the number of readers for which this node subscribes to a channel.
	Readers(channel engine.ID) int
	// Nodes returns about how many nodes the ring has, how many it almost certainly has, and the most of which other
	// nodes are as certain.
	Nodes() (about, least, most int)
	// WantsFew reports whether a channel's origin has asked for few polls. MayPoll reports whether a node with readers
	// may poll it now.
	WantsFew(channel engine.ID) bool
	MayPoll(channel engine.ID) (c update.Channel, may bool)
	// Poll polls a channel once, now. Polled and Answer receive the outcome.
	Poll(c update.Channel)
	Contradicted(Contradicted)
}

// around is what all parts of the machine see of their surroundings.
type around struct {
	machine.Base
	contents update.Contents
	host     Host
	config   update.Config
}

// maxUnderWay bounds each table of what is under way. Beyond it updates are dropped; the next poll brings them up
// again.
const maxUnderWay = 1 << 14

// New returns a machine that knows nothing.
func New(b machine.Base, contents update.Contents, host Host, c update.Config) *Machine {
	a := around{b, contents, host, c}
	return &Machine{
		seals:     seals{around: a, aheadSent: make(map[engine.ID]time.Duration)},
		witnesses: witnesses{around: a, asked: make(map[engine.ID]*asked)},
		polls:     polls{around: a, pending: make(map[engine.ID]*pendingVerify)},
		sights:    sights{around: a, of: make(map[engine.ID]*sight)},
	}
}

// Reconfigure replaces the configuration.
func (m *Machine) Reconfigure(c update.Config) {
	m.seals.config, m.witnesses.config, m.polls.config, m.sights.config = c, c, c, c
}
