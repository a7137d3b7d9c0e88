package deliver

import (
	"time"

	"tidings/network"
	"tidings/network/corona/machine"
	"tidings/network/corona/version/update"
	"tidings/network/engine"
)

// Machine is one node's part in numbering versions and bringing them to all.
type Machine struct {
	around
	gaps
	trees
	floors
	arrivals map[engine.ID]*arrival // by channel, at most maxUnderWay: updates that the library is storing
	lends    int                    // requests that the library has not answered, at most maxLends
}

// New returns a machine without channels.
func New(b machine.Base, s Seams, c update.Config) *Machine {
	a := around{b, s, c}
	m := &Machine{
		around: a,
		gaps:   gaps{around: a, of: make(map[engine.ID]*gap)},
		trees: trees{fan: fan{around: a}, routers: make(map[network.RouterName]network.Router),
			member: make(map[engine.ID]*audit)},
		floors:   floors{a, make(map[engine.ID]uint64)},
		arrivals: make(map[engine.ID]*arrival),
	}
	m.records.Seed = b.Seed
	return m
}

// Use makes a router available, to carry versions if the network has agreed on it.
func (m *Machine) Use(name network.RouterName, r network.Router) { m.routers[name] = r }

// Reconfigure replaces the configuration.
func (m *Machine) Reconfigure(c update.Config) {
	before := m.config.Router
	m.config, m.gaps.config, m.trees.config = c, c, c
	if before != c.Router {
		m.rerouted(before)
	}
}

// Own begins to keep what this node knows of a channel that it owns, and Forget ends that.
func (m *Machine) Own(o Owned)              { m.records.Set(o.Channel().ID, &record{Owned: o}) }
func (m *Machine) Forget(channel engine.ID) { m.records.Remove(channel) }

// SubscriberReported reports that another owner has named a subscriber.
func (m *Machine) SubscriberReported(channel engine.ID, p engine.Peer) {
	if o := m.find(channel); o != nil {
		m.subscriberReported(o, p)
	}
}

// Routes reports whether a subscriber that is about to be acknowledged is to join the channel's tree.
func (m *Machine) Routes(channel engine.ID) bool {
	o := m.find(channel)
	return o != nil && m.routed(o)
}

// Latest returns the content of the latest version of a channel that is owned here, and the size of its document.
func (m *Machine) Latest(channel engine.ID) (h update.Hash, size uint32) {
	if o := m.find(channel); o != nil {
		return o.hash, o.size
	}
	return update.Hash{}, 0
}

// Fill fills in this machine's part of a channel's state. A channel that is not owned here counts as a new one.
func (m *Machine) Fill(channel engine.ID, s *State) {
	if o := m.find(channel); o != nil {
		s.Hash, s.Size, s.Routed = o.hash, o.size, o.tree.routed
	}
}

// maxStateStamp is the highest stamp of a state that is accepted. Stamps count the primary's changes: there is always a
// higher one for the next.
const maxStateStamp = 1<<62 - 1

// Credible reports whether a state of a channel that is owned here can be true, and traces why not.
func (m *Machine) Credible(channel engine.ID, from engine.Peer, s *State) bool {
	o := m.find(channel)
	switch {
	case s.Version > 0 && (!update.Numbers(s.Hash, s.Version) || !update.Timely(m.Env.Wall(), s.Version)),
		s.Stamp > maxStateStamp:
		update.Refuse(&m.Base, channel, s.Version, from, update.Impossible)
	case s.Version > 0 && s.Version == o.Version() && s.Hash != o.hash:
		update.Refuse(&m.Base, channel, s.Version, from, update.Equivocal)
	default:
		return true
	}
	return false
}

// Adopt adopts another owner's newer state of a channel.
func (m *Machine) Adopt(channel engine.ID, s *State) {
	o := m.find(channel)
	if s.Version > o.Version() {
		o.raise(s.Version, s.Hash, s.Size, m.Env.Now()-time.Duration(s.Age)*time.Second)
		o.unsent = byAnother
	}
	o.SetState(o.Version(), s.Stamp)
	o.tree.routed = s.Routed
}
