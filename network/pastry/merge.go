package pastry

import (
	"time"

	"tidings/network/engine"
)

// How two rings become one, after a partition or because a person joins them:
//
//  1. A node meets a peer of the other ring: one that it had lost answers and does not know
//     it any more, or Join is called with a seed from there.
//  2. It looks for its own neighbours in the other ring, by a Join through that peer, and
//     probes those that it is told of. They and it enter each other's leaf sets.
//  3. As soon as one of them has, it tells one contact of each row and its two next neighbours
//     of that one: Foreign. Each of those goes on with step 2.
//
// A contact in row r is anywhere in a 16^r-th of the ring, so the news doubles and more with
// each round: all know after O(log N) of them. Where the "other ring" turns out to be the
// same one, step 2 finds no new neighbour and the matter ends there. Keep-alives smooth out what is
// left: each brings a node what its next neighbour knows of its surroundings.
type merge struct {
	until  time.Duration // a new neighbour before then is a sign of another ring
	looked time.Duration // when a Join was sent last, by 2
	spread time.Duration // when Foreign was sent last, by 3
}

// mergeWith looks for this node's neighbours in the ring of a peer.
func (n *Node) mergeWith(p engine.Peer) {
	now := n.env.Now()
	if n.state != active || n.merge.looked > 0 && now-n.merge.looked < n.config.JoinTimeout {
		return
	}
	n.merge.looked = now
	n.env.Trace(Merging{p})
	n.joinThrough(p)
}

// maybeSpread passes on that there is another ring, when a neighbour from there was met.
func (n *Node) maybeSpread(p engine.Peer) {
	now := n.env.Now()
	if n.state != active || now >= n.merge.until {
		return
	}
	n.env.Trace(Merged{p})
	if n.merge.spread > 0 && now-n.merge.spread < n.config.KeepAlive {
		return
	}
	n.merge.spread = now
	for r := range n.known.rows() {
		if row := n.known.row(r); len(row) > 0 {
			n.tellOf(p, row[n.env.Rand().IntN(len(row))])
		}
	}
	n.tellOf(p, n.known.above(0).peer)
	n.tellOf(p, n.known.below(0).peer)
}

func (n *Node) tellOf(p, to engine.Peer) {
	if to.ID != p.ID {
		n.env.Send(to, &Foreign{p})
	}
}

// onForeign looks into the other ring, unless the peer is known.
func (n *Node) onForeign(m *Foreign) {
	if n.known.find(m.Peer.ID) == nil && m.Peer.ID != n.known.self {
		n.mergeWith(m.Peer)
	}
}
