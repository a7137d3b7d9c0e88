package scribe

import (
	"slices"

	"tidings/network/engine"
)

// takePublish takes an event as one of the roots. It came from a peer, or was routed.
func (n *Node) takePublish(from engine.Peer, m *Publish) {
	publisher := from
	if from.IsZero() {
		publisher = m.From
	}
	if publisher.IsZero() || n.isSelf(publisher) {
		return
	}
	name := Group{m.Event.Topic, m.Key}
	owners, _ := n.ring.Owners(name.rootKey(), n.config.Roots)
	if !slices.ContainsFunc(owners, n.isSelf) {
		return // the publisher will find out who is
	}
	event := m.Event
	taken, ok := n.takeAsRoot(name, &event, from)
	if !ok {
		return
	}
	answer := &Taken{Group: name, Name: taken}
	if from.IsZero() || !n.isSelf(owners[0]) {
		answer.Roots = slices.Clone(owners)
	}
	n.env.Send(publisher, answer)
}

// takeAsRoot takes an event that its publisher gives to a root, and returns its name.
func (n *Node) takeAsRoot(in Group, e *Event, from engine.Peer) (name uint64, ok bool) {
	name, size, ok := n.admit(e, from)
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

// taken notes that a root has an event, and gives it to roots that this node did not know.
func (n *Node) taken(from engine.Peer, m *Taken) {
	p := n.publications.index[m.Group]
	if p == nil {
		return
	}
	u := p.find(m.Name)
	if u == nil {
		return
	}
	p.prove(from.ID)
	if !slices.Contains(u.taken, from.ID) {
		u.taken = append(u.taken, from.ID)
		acked := RootAcked{p.Group, u.event.Payload, from}
		n.env.Trace(acked)
		n.onRootAcked(acked)
	}
	if slices.ContainsFunc(m.Roots, func(r engine.Peer) bool { return r.ID == from.ID }) {
		if _, sure := n.ring.Owners(p.rootKey(), n.config.Roots); !sure {
			p.roots.add(p.rootKey(), m.Roots, n.config.Roots, n.env.Now())
			n.give(p, u)
			return
		}
	}
	n.settled(p, u)
}
