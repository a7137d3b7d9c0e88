package node

import (
	router "tidings/network"
	"tidings/network/corona"
	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/network/volunteer"
)

// speakers are those whose events routers carry. Each has messages of its own, so that nobody can have
// one take what another would refuse.
type speakers struct {
	trees   *feedtree.Node
	turns   *volunteer.Node
	updates corona.TreeMember
}

func (s speakers) Admit(topic engine.ID, event engine.Message, from engine.Peer) (digest uint64, bytes int, ok bool) {
	return s.of(event).Admit(topic, event, from)
}

func (s speakers) Deliver(topic engine.ID, event engine.Message, from engine.Peer) {
	s.of(event).Deliver(topic, event, from)
}

// Recovers reports whether the topic is that of a polled channel, whose versions owners are asked for.
func (s speakers) Recovers(topic engine.ID) bool { return s.updates.Recovers(topic) }

func (s speakers) of(event engine.Message) router.Member {
	switch event.(type) {
	case *volunteer.PollReport:
		return s.turns
	case *corona.Update:
		return s.updates
	}
	return s.trees
}
