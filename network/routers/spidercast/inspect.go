package spidercast

import (
	"slices"

	"tidings/network/engine"
	"tidings/network/routers/spidercast/overlay"
	"tidings/network/routers/spidercast/view"
)

// Neighbors returns the node's links, the oldest first, with the topics that each covers.
func (n *Node) Neighbors() []overlay.NeighborView { return n.overlay.Neighbors() }

// Uncovered returns the topics that fewer neighbours follow than there should be.
func (n *Node) Uncovered() []engine.ID { return n.overlay.Uncovered() }

// Tree returns the neighbours to which events of a topic are sent at once, and whether the topic is joined.
func (n *Node) Tree(topic engine.ID) ([]engine.Peer, bool) { return n.spread.Tree(topic) }

// Known returns what the node knows of others; nothing if an experiment's candidates stand in for the membership.
func (n *Node) Known() []view.Entry {
	if n.view == nil {
		return nil
	}
	return n.view.Entries()
}

// Children returns the neighbours that have the events of a topic as this node has: those of the tree first.
func (n *Node) Children(topic engine.ID) []engine.Peer {
	peers, _ := n.spread.Tree(topic)
	for _, l := range n.overlay.Neighbors() {
		if slices.Contains(l.Shared, topic) && !slices.Contains(peers, l.Peer) {
			peers = append(peers, l.Peer)
		}
	}
	return peers
}
