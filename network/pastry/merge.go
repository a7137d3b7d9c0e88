package pastry

import (
	"time"

	"tidings/network/engine"
)

// How two rings become one, after a partition or because a person joins them:
//
//  1. A node meets a peer of the other ring. Either one that it had lost answers and does not know it any more, or Join
//     is called with a seed from there.
//  2. It looks for its own neighbours in the other ring, by a Join through that peer, and probes the nodes that are
//     named to it. They and it enter each other's leaf sets.
//  3. As soon as one of them has, it sends Foreign, which names that one, to one contact of each row and its two next
//     neighbours. Each of those goes on with step 2.
//
// A contact in row r is anywhere in a 16^r-th of the ring, so the news doubles and more with each round. All nodes know
// after O(log N) of them. If the "other ring" turns out to be the same one, step 2 finds no new neighbour and nothing
// more happens. Keep-alives smooth out what is left: each brings a node what its next neighbour knows of its
// surroundings.
type merge struct {
	until  time.Duration // a new neighbour before then is a sign of another ring
	looked time.Duration // when a Join was sent last, by 2
	spread time.Duration // when Foreign was sent last, by 3
}

// welcomed notes that a ring has welcomed this node, which is in one already. For the time lasts, new neighbours are a
// sign of it.
func (m *merge) welcomed(now, lasts time.Duration) { m.until = now + lasts }

// foreign reports whether a new neighbour is a sign of another ring.
func (m *merge) foreign(now time.Duration) bool { return now < m.until }

// look reports whether to look for neighbours in another ring, once in a pause.
func (m *merge) look(now, pause time.Duration) bool { return once(&m.looked, now, pause) }

// report reports whether to send word of another ring, once in a pause.
func (m *merge) report(now, pause time.Duration) bool { return once(&m.spread, now, pause) }

// once reports whether a pause has passed since something was done last, and notes that it is done now.
func once(last *time.Duration, now, pause time.Duration) bool {
	if *last > 0 && now-*last < pause {
		return false
	}
	*last = now
	return true
}

// mergeWith looks for this node's neighbours in the ring of a peer.
func (n *Node) mergeWith(p engine.Peer) {
	if !n.Active() || !n.merge.look(n.env.Now(), n.config.JoinTimeout) {
		return
	}
	n.env.Trace(Merging{p})
	n.joiner.through(p)
}

// maybeSpread passes on that there is another ring, when a neighbour from there was met.
func (n *Node) maybeSpread(p engine.Peer) {
	now := n.env.Now()
	if !n.Active() || !n.merge.foreign(now) {
		return
	}
	n.env.Trace(Merged{p})
	if !n.merge.report(now, n.config.KeepAlive) {
		return
	}
	send := func(to engine.Peer) {
		if to.ID != p.ID {
			n.env.Send(to, &Foreign{p})
		}
	}
	for r := range n.known.rows() {
		if row := n.known.row(r); len(row) > 0 {
			send(row[n.env.Rand().IntN(len(row))])
		}
	}
	send(n.known.above(0).peer)
	send(n.known.below(0).peer)
}

// onForeign looks into the other ring, unless the peer is known.
func (n *Node) onForeign(m *Foreign) {
	if n.known.find(m.Peer.ID) == nil && m.Peer.ID != n.known.self {
		n.mergeWith(m.Peer)
	}
}
