package scribe

import (
	"slices"

	"tidings/network/engine"
)

// receivePublish receives an event as one of the roots. It came from a peer, or was routed.
func (n *Node) receivePublish(from engine.Peer, m *Publish) {
	publisher := from
	if from.IsZero() {
		publisher = m.From
	}
	if publisher.IsZero() || n.finder.isSelf(publisher) {
		return
	}
	name := Group{m.Event.Topic, m.Key}
	owners, _ := n.finder.owners(name)
	if !slices.ContainsFunc(owners, n.finder.isSelf) {
		return // the publisher will find the root
	}
	event := m.Event
	taken, ok := n.receiveAsRoot(name, &event, from)
	if !ok {
		return
	}
	answer := &Taken{Group: name, Name: taken}
	if from.IsZero() || !n.finder.isSelf(owners[0]) {
		answer.Roots = slices.Clone(owners)
	}
	n.env.Send(publisher, answer)
}

// receiveAsRoot accepts an event as one of the roots, and returns its name.
func (n *Node) receiveAsRoot(in Group, e *Event, from engine.Peer) (name uint64, ok bool) {
	name, size, ok := admit(n.member, e, from)
	if !ok {
		n.env.Trace(Refused{in, from})
		return 0, false
	}
	g := n.enter(in, n.env.Now())
	if g == nil {
		return 0, false
	}
	n.spread(g, e, name, size, from)
	return name, true
}

// spreadOwn hands an event of this node down the tree, if it is in it, and returns its parent there; zero: none.
func (n *Node) spreadOwn(in Group, e *Event, name uint64, size int) (parent engine.Peer) {
	g := n.find(in)
	if g == nil {
		return parent
	}
	n.spread(g, e, name, size, n.env.Self())
	if g.parent != nil {
		parent = g.parent.peer
	}
	return parent
}

// knownRoots returns the roots of a group that this node is in, as far as it has learned them.
func (n *Node) knownRoots(of Group) []engine.Peer {
	if g := n.find(of); g != nil {
		return g.comparison.knownRoots(n.env.Now())
	}
	return nil
}
