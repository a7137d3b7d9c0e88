package agreed

import (
	"tidings/network"
	"tidings/network/engine"
)

// Members is one member of a router that stands for several: each deals with the events of kinds of its own, so that no
// node can have one accept what another would refuse.
type Members struct {
	network.Recoverer                                // of polled channels
	Kinds             map[engine.Kind]network.Member // not to be changed
	Others            network.Member                 // of events of all other kinds, and of none
}

// Admit implements network.Member.
func (m Members) Admit(topic engine.ID, event engine.Message, from engine.Peer) (digest uint64, bytes int, ok bool) {
	return m.of(event).Admit(topic, event, from)
}

// Deliver implements network.Member.
func (m Members) Deliver(topic engine.ID, event engine.Message, from engine.Peer) {
	m.of(event).Deliver(topic, event, from)
}

// Withdrawn implements network.Withdrawer.
func (m Members) Withdrawn(topic engine.ID, event engine.Message) bool {
	return network.IsWithdrawn(m.of(event), topic, event)
}

// Doubted implements network.Doubter.
func (m Members) Doubted(topic engine.ID, event engine.Message) (digest uint64, is bool) {
	return network.Doubted(m.of(event), topic, event)
}

func (m Members) of(event engine.Message) network.Member {
	if event != nil {
		if member, is := m.Kinds[event.Kind()]; is {
			return member
		}
	}
	return m.Others
}
