package pastry

import (
	"slices"
	"time"

	"tidings/network/engine"
)

// How a neighbour that is wrongly held for dead is found again:
//
//  1. A loses the way to its neighbour X and finds X dead. Those that named X to A before know no way any more.
//     Neighbours at rest repeat no names, and name no peer to a node that has found it dead.
//  2. A sends its neighbours X's ID in Probe.Dead. One of them, B, asks X.
//  3. X answers B. B sends A a Row of X alone: A gets a name to look for, from a node that has a way to it.
//  4. A asks X when it looks for it next: at once, if it has not asked X within Config.KeepAlive.
//
// B says what it knows at first hand: X has spoken to it since A's claim, or within Config.ProbeTimeout before. So
// nobody names a dead peer on hearsay. One claim brings at most one name, to the claimant alone, and the same
// name only once in half a KeepAlive. A liar gains no more by such a Row than by any other.

// contradiction is a name that was sent to a node that had found its peer dead.
type contradiction struct {
	of, to engine.ID
	at     time.Duration
}

// maxContradictions is how many are remembered, the latest. Where there are more, a name may be repeated sooner.
const maxContradictions = 4 * MaxLeafSet

// onDead looks after a peer that another node has found dead, and contradicts if it lives.
func (n *Node) onDead(id engine.ID, claimant engine.Peer) {
	c := n.known.find(id)
	if c == nil {
		return
	}
	if n.env.Now()-c.heard < n.config.ProbeTimeout {
		contradict(n, c.peer, claimant)
		return
	}
	q := n.probing(c.peer)
	if q == nil {
		n.suspect(c.peer)
		q = n.probing(c.peer)
		q.told = true
	}
	if len(q.claimants) < MaxLeafSet && !slices.Contains(q.claimants, claimant) {
		q.claimants = append(q.claimants, claimant)
	}
}

// contradict names a peer, which has just spoken, to a node that has found it dead.
func contradict(n *Node, p, claimant engine.Peer) {
	now := n.env.Now()
	n.contradicted = slices.DeleteFunc(n.contradicted, func(c contradiction) bool { return now-c.at >= n.config.KeepAlive/2 })
	isNamed := func(c contradiction) bool { return c.of == p.ID && c.to == claimant.ID }
	if p.ID == claimant.ID || slices.ContainsFunc(n.contradicted, isNamed) {
		return
	}
	if len(n.contradicted) == maxContradictions {
		n.contradicted = n.contradicted[1:]
	}
	n.contradicted = append(n.contradicted, contradiction{p.ID, claimant.ID, now})
	n.env.Send(claimant, &Row{Peers: []engine.Peer{p}})
}

// contradictAll names a peer that has answered to all that have found it dead since it was asked.
func (q *probe) contradictAll(n *Node, p engine.Peer) {
	for _, claimant := range q.claimants {
		contradict(n, p, claimant)
	}
}
