package scribe

import "tidings/network/engine"

// Distrust has another node than the parent carry a topic's events to this one, found over a random
// node of the ring: whoever is above knows that the parent keeps something back.
func (n *Node) Distrust(topic engine.ID) {
	if g := n.find(Group{Topic: topic}); g != nil && g.parent != nil && !g.root {
		n.accuse(g)
	}
}

// accuse looks for another parent.
func (n *Node) accuse(g *group) {
	g.haste = hurry
	n.env.Trace(Blamed{g.Group, g.parent.peer})
	n.avoid(g, g.parent.peer.ID)
	n.dropParent(g, true)
	n.seek(g)
}
