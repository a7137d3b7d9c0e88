package scribe

import "tidings/network/engine"

// dropParent has a group without a parent, and notifies the parent if it may not know.
func (n *Node) dropParent(g *group, notify bool) {
	l := g.parent
	if l == nil {
		return
	}
	n.links.dropParent(&g.kin)
	if notify {
		n.env.Send(l.peer, &Leave{Groups: []Group{g.Group}})
	}
}

// disown has a peer be no child in a group, and leaves the group if nobody needs it.
func (n *Node) disown(name Group, p engine.Peer) {
	g := n.find(name)
	if g == nil {
		return
	}
	if c := n.links.child(&g.kin, p.ID); c != nil {
		n.links.disown(c)
		n.maybeForget(g)
	}
}

// PeerDown has all groups do without a peer that cannot be reached.
func (n *Node) PeerDown(p engine.Peer) {
	l := n.links.find(p)
	if l == nil {
		return
	}
	for _, name := range l.namesBelow() {
		n.disown(name, p)
	}
	n.abandon(l, false)
}

// abandon looks for another parent than a peer, which may answer all others.
func (n *Node) abandon(l *link, alive bool) {
	for _, name := range l.namesAbove() {
		g := n.find(name)
		n.env.Trace(LostParent{name, l.peer})
		if alive {
			g.search.addAvoided(l.peer.ID, n.env.Now())
		}
		n.dropParent(g, false)
		n.seek(g)
	}
}

// receiveLeave learns that a peer is no child, or no parent, any more.
func (n *Node) receiveLeave(from engine.Peer, m *Leave) {
	for _, name := range m.Groups {
		n.disown(name, from)
		if g := n.find(name); g != nil && g.isParent(from) {
			n.dropParent(g, false)
			n.seek(g)
		}
	}
}
