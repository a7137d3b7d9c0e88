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
//  3. X answers B. B sends A a Row of X alone: the name of a peer to look for, from a node that has a way to it.
//  4. A asks X when it looks for it next: at once, if it has not asked X within Config.KeepAlive.
//
// B says what it knows at first hand: X has spoken to it since A's claim, or within Config.ProbeTimeout before. So no
// node names a dead peer on hearsay. One claim brings at most one name, to the claimant alone. The same name comes only
// once in half a KeepAlive. A liar gains no more by such a Row than by any other.

// contradictions are the names that were sent lately to nodes that had found them dead: at most maxContradictions.
// Beyond them a name may be repeated sooner.
type contradictions struct {
	pause  time.Duration // between two with the same name to the same node
	latest []contradiction
}

type contradiction struct {
	of, to engine.ID
	at     time.Duration
}

const maxContradictions = 4 * MaxLeafSet

// note reports whether a peer is to be named to a node now, and notes that it is.
func (c *contradictions) note(of, to engine.ID, now time.Duration) bool {
	c.latest = slices.DeleteFunc(c.latest, func(o contradiction) bool { return now-o.at >= c.pause })
	isNamed := func(o contradiction) bool { return o.of == of && o.to == to }
	if of == to || slices.ContainsFunc(c.latest, isNamed) {
		return false
	}
	if len(c.latest) == maxContradictions {
		c.latest = c.latest[1:]
	}
	c.latest = append(c.latest, contradiction{of, to, now})
	return true
}

// onDead looks after a peer that another node has found dead, and contradicts if it lives.
func (n *Node) onDead(id engine.ID, claimant engine.Peer) {
	c := n.known.find(id)
	if c == nil {
		return
	}
	if n.env.Now()-c.spoke < n.config.ProbeTimeout {
		n.contradict(c.peer, claimant)
		return
	}
	n.prober.claim(c.peer, n.known.inLeafSet(id), claimant)
}

// contradict names a peer, which has just spoken, to nodes that have found it dead.
func (n *Node) contradict(p engine.Peer, claimants ...engine.Peer) {
	for _, claimant := range claimants {
		if n.contradictions.note(p.ID, claimant.ID, n.env.Now()) {
			n.env.Send(claimant, &Row{Peers: []engine.Peer{p}})
		}
	}
}
