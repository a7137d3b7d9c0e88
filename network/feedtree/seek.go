package feedtree

import "tidings/network/engine"

// Routed is the application of FeedTree's messages on the ring.
type Routed struct{ n *Node }

// Routed returns the node that receives what was routed to a topic.
func (n *Node) Routed() Routed { return Routed{n} }

// Forward ends a Seek at a node that can answer it.
func (r Routed) Forward(_ engine.ID, m engine.Message, _ engine.Peer) (goOn bool) {
	seek, ok := m.(*Seek)
	return !ok || r.n.isSelf(seek.Asker) || !r.n.has(seek)
}

// Deliver answers a Seek at the root.
func (r Routed) Deliver(_ engine.ID, _ engine.Peer, m engine.Message, _ int) {
	if seek, ok := m.(*Seek); ok && !r.n.isSelf(seek.Asker) && !r.n.has(seek) {
		r.n.env.Send(seek.Asker, &Has{Topic: seek.Topic, Others: r.n.othersIn(seek.Topic, seek.Asker)})
	}
}

// receiveSeek routes a Seek, as its sender may not trust its own way there.
func (n *Node) receiveSeek(m *Seek) {
	if !m.Start || n.isSelf(m.Asker) || n.has(m) {
		return
	}
	on := *m
	on.Start = false
	n.ring.Route(m.Topic, &on)
}

// has answers a Seek if this node has what is sought.
func (n *Node) has(m *Seek) bool {
	last := n.lastOf(m.Topic)
	if last < m.From {
		return false
	}
	n.env.Send(m.Asker, &Has{Topic: m.Topic, Last: last, Others: n.othersIn(m.Topic, m.Asker)})
	return true
}

// lastOf returns the number of the latest item that the Library has of a topic.
func (n *Node) lastOf(topic engine.ID) (last uint64) {
	if f := n.followings.index[topic]; f != nil {
		last = f.have
		for i := range f.later {
			if f.later[i].state == kept {
				last = max(last, f.later[i].number)
			}
		}
	}
	given, _ := n.authors.latest(topic)
	return max(last, given)
}

// receiveHas has those asked that are named.
func (n *Node) receiveHas(from engine.Peer, m *Has) {
	n.authors.receiveHas(from, m)
	f := n.followings.index[m.Topic]
	if f != nil {
		n.searcher.receiveHas(&f.search, from, m)
	}
}
