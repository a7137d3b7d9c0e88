package rappel

import (
	"slices"

	"tidings/network/engine"
)

// ping sends a neighbour what it has to know of this node, whatever they are to each other.
func (n *Node) ping(nb *neighbour) {
	m := &Ping{Number: nb.number, Fan: nb.friend, Versions: n.self.versions, Set: n.friends.set, Known: nb.set}
	if nb.known != m.Set && (nb.friend || nb.fan) {
		m.Told, m.Friends = true, n.friends.peers()
	}
	m.Needed = nb.friend && nb.profile != nil && n.friends.needs(nb.peer.ID, nb.profile, engine.ID{})
	nb.announcing = m.Set
	if nb.parents > 0 {
		for _, t := range n.order {
			if !t.isParent(nb.peer.ID) {
				continue
			}
			if m.Edges = append(m.Edges, t.edge()); len(m.Edges) == maxEdges {
				n.env.Send(nb.peer, m)
				m = &Ping{Number: m.Number, Fan: m.Fan, Needed: m.Needed, Versions: m.Versions, Set: m.Set,
					Known: m.Known}
			}
		}
	}
	n.env.Send(nb.peer, m)
}

// onPing answers at once. The sender is alive, and a child in the trees that it names.
func (n *Node) onPing(from engine.Peer, m *Ping) {
	a := &Ack{Number: m.Number, Versions: n.self.versions, Set: n.friends.set}
	if m.Known != a.Set && (m.Fan || len(m.Edges) > 0) {
		a.Told, a.Friends = true, n.friends.peers()
	}
	nb := n.links.byID[from.ID]
	a.NoFriend = m.Fan && (nb == nil || !nb.fan)
	if nb != nil {
		n.versionsOf(nb, m.Versions)
		if nb.fan && m.Fan {
			nb.heard, nb.peer, nb.needed = n.now(), from, m.Needed
			n.friends.receiveSet(nb, m.Set, m.Told, m.Friends)
		}
	}
	var placed []*tree
	for i := range m.Edges {
		e := &m.Edges[i]
		t := n.trees[e.Topic]
		news := News{Topic: e.Topic, Gone: true}
		if t != nil && t.children.onEdge(from, e) {
			n.friends.met(from)
			news = News{Topic: e.Topic, Epoch: t.feed.Epoch, Last: t.feed.Last}
			if e.Version != t.announced.Version {
				placed = append(placed, t)
			}
		}
		if news.Gone || news.Epoch != e.Epoch || news.Last != e.Last {
			a.News = append(a.News, news)
		}
	}
	n.env.Send(from, a)
	for _, t := range placed {
		n.env.Send(from, &Placed{Topic: t.topic, Place: t.announced})
	}
}

// versionsOf notes what a neighbour announced, and fetches what is new if it matters: of friends.
func (n *Node) versionsOf(nb *neighbour, v Versions) {
	if nb.versions = v; nb.friend {
		n.links.ask(nb)
	}
}

// onAck receives the news of a friend or parent.
func (n *Node) onAck(from engine.Peer, m *Ack) {
	nb := n.links.answered(from, m.Number)
	if nb == nil {
		for _, t := range n.order {
			t.children.verified(from, m.Number)
		}
		return
	}
	n.friends.receiveSet(nb, m.Set, m.Told, m.Friends)
	n.versionsOf(nb, m.Versions)
	if m.NoFriend && n.friends.drop(from.ID, "denied") {
		n.friends.met(from)
		if k := n.friends.candidates.find(from.ID); k != nil {
			k.denied = n.now() + shunning
		}
	}
	for i := range m.News {
		if t := n.trees[m.News[i].Topic]; t != nil {
			t.onNews(from, &m.News[i])
		}
	}
	if nb.parents > 0 {
		n.friends.met(from)
		for _, t := range n.order {
			if t.isParent(from.ID) {
				t.answered(nb)
			}
		}
	}
}

// silent notes that a neighbour does not answer.
func (n *Node) silent(nb *neighbour) {
	if nb.begun < 0 { // a fan that does not ping any more
		n.friends.dropFan(nb.peer.ID)
		return
	}
	n.env.Trace(Silent{nb.peer})
	n.lost(nb.peer)
}

// lost reports to all parts that a peer does not answer.
func (n *Node) lost(p engine.Peer) {
	n.friends.lost(p.ID)
	for _, t := range slices.Clone(n.order) {
		t.lost(p.ID)
	}
}

// edge returns what the parent learns of this tree.
func (t *tree) edge() Edge {
	e := Edge{Topic: t.topic, Version: t.above.Version, Epoch: t.feed.Epoch, Last: t.feed.Last}
	if t.config.Orphans && t.children.familyKnown != t.children.family {
		e.Family, e.Children = true, t.children.peers()
	}
	t.children.familyAnnounced = t.children.family
	return e
}

// answered notes that the parent has answered.
func (t *tree) answered(nb *neighbour) {
	t.children.familyKnown = t.children.familyAnnounced
	if nb.samples >= minSamples && !plausible(nb.rtt, t.self.coordinate.Distance(t.above.Self)) {
		t.blame("coordinate")
	}
}

// onNews receives what a parent knows that this node did not.
func (t *tree) onNews(from engine.Peer, m *News) {
	switch {
	case !t.isParent(from.ID):
	case m.Gone:
		t.lostParent(engine.ID{}, from) // it is alive, and only does not know this node any more
	default:
		t.feed.noteNumber(from, m.Epoch, m.Last)
	}
}

// onPlaced receives a parent's new place. A node that is among its own ancestors, or has a parent that has become more
// remote, looks for another.
func (t *tree) onPlaced(from engine.Peer, m *Placed) {
	if !t.isParent(from.ID) {
		return
	}
	switch wrong := t.fits(from, m.Place); wrong {
	case "coordinate":
		t.blame(wrong)
	case "circle":
		t.env.Trace(Circle{t.topic, from})
		t.part()
		t.moved()
		t.seeking.seek(circled)
	default: // "root" is known by checkRoot, and has time
		t.above = m.Place
		if t.moved(); wrong == "remote" {
			t.seeking.seek(uprooted)
		}
	}
}
