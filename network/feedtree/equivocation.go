package feedtree

import "tidings/network/engine"

// place is where an item belongs.
type place struct {
	topic  engine.ID
	number uint64
}

// noteHead remembers an item whose signature is good, and tells whether no other has its number.
func (n *Node) noteHead(topic engine.ID, h *Head) bool {
	at := place{topic, h.Number}
	first, known := n.heads.get(at)
	switch {
	case !known:
		n.heads.put(at, *h)
		return true
	case first.Hash == h.Hash && first.Time == h.Time:
		return true
	}
	n.convict(&Equivocation{Topic: topic, First: first, Second: *h}, engine.Peer{})
	return false
}

// convict keeps the first proof that a topic's publisher has given a number twice, and tells those
// who stand beside this node in the tree.
func (n *Node) convict(e *Equivocation, from engine.Peer) {
	if n.proofOf(e.Topic) != nil || n.forgives(e) {
		return
	}
	n.proofs.put(e.Topic, e)
	n.env.Trace(Equivocated{*e})
	for _, p := range n.beside(e.Topic) {
		if p.ID != from.ID {
			n.env.Send(p, e)
		}
	}
	if f := n.followings.index[e.Topic]; f != nil {
		n.doubt(f, e)
	}
}

// beside returns the parent and the children in a topic's tree.
func (n *Node) beside(topic engine.ID) []engine.Peer {
	children := n.tree.Children(topic)
	if parent, ok := n.tree.Parent(topic); ok {
		return append([]engine.Peer{parent}, children...)
	}
	return children
}

// takeEquivocation takes a proof from another node. One for a topic that has one already costs
// nothing.
func (n *Node) takeEquivocation(from engine.Peer, m *Equivocation) {
	known := n.proofOf(m.Topic) != nil || n.forgives(m)
	if known || !n.holds(m.Topic) && len(n.beside(m.Topic)) == 0 {
		return
	}
	if why := n.proves(m, from); why != Genuine {
		n.refuse(m.Topic, m.First.Number, from, why)
		return
	}
	n.convict(m, from)
}

// proves returns what is wrong with a proof.
func (n *Node) proves(m *Equivocation, from engine.Peer) Why {
	if m.First.Number != m.Second.Number || m.First.Key != m.Second.Key ||
		m.First.Hash == m.Second.Hash && m.First.Time == m.Second.Time {
		return Malformed
	}
	for _, h := range []*Head{&m.First, &m.Second} {
		s := h.statement(m.Topic)
		if why := n.judge(m.Topic, &s, from); why != Genuine && why != Void {
			return why
		}
	}
	return Genuine
}

// doubt has a follower take neither of two items of one number, unless it has one: nobody knows which is
// meant. The conventional feed tells.
func (n *Node) doubt(f *following, e *Equivocation) {
	number := e.First.Number
	if !f.wants(number) {
		return
	}
	if at, here := f.find(number); here && f.later[at].state != held {
		return
	}
	n.drop(f, number)
	f.insert(later{number: number, time: e.First.Time, topic: e.Topic, state: kept})
	n.exists(f, number)
	n.settle(f)
	n.env.Trace(Fallback{e.Topic, number, number})
}
