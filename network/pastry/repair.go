package pastry

import "tidings/network/engine"

// unanswered draws the conclusions from a probe without an answer. It is sure if the peer was asked often enough, or
// the network says so.
func (n *Node) unanswered(q *probe, sure bool) {
	defer n.maybeSettled()
	if q.peer.ID == n.known.self {
		return
	}
	c := n.known.find(q.peer.ID)
	switch {
	case c == nil && q.again > 0: // it is remembered as lost, to be looked for as seldom as it was to be
	case c == nil:
		n.lost.add(q.peer, false, sure, n.env.Now(), n.env.Rand())
	case c.peer == q.peer:
		if n.known.inLeafSet(q.peer.ID) && !q.claimed {
			n.damage.notify()
		}
		n.remove(q.peer, Silent)
	default: // it has moved
		return
	}
	n.maybeAskAgain(q)
}

// remove drops a peer that was known and sees to the gap.
func (n *Node) remove(p engine.Peer, why Why) {
	leaf := n.known.remove(p.ID)
	n.env.Trace(Removed{p, leaf, why})
	if why == Silent {
		n.lost.add(p, true, true, n.env.Now(), n.env.Rand())
	}
	if leaf {
		n.known.thin()
		n.repairSoon()
		n.neighboursChanged()
	} else {
		n.refill(p.ID)
	}
}

// repairSoon has the leaf set repaired after a moment, in which more may be found dead.
func (n *Node) repairSoon() {
	if n.damage.found(n.env.Now()) {
		n.env.After(n.config.ProbeTimeout/2, n.repair)
	}
}

// repair asks for unknown nodes that belong into the leaf set. It asks the farthest neighbour on either side: its own
// leaf set reaches beyond. It also asks those that have just moved up from the routing table. Their answers lead
// further until no node is closer. Where a whole side has died, each answer comes a digit closer.
//
// The first to find a neighbour dead asks, and so notifies, all of them. Each of them looks for itself, but notifies
// none. So a node that finds a dead neighbour by its keep-alive finds all the others that died with it. All nodes that
// must know then do.
func (n *Node) repair() {
	all := n.damage.repair()
	for _, side := range []func(int) *contact{n.known.below, n.known.above} {
		farthest := true
		for i := n.known.sides() - 1; i >= 0; i-- {
			c := side(i)
			if all || !c.near || farthest {
				n.prober.ask(c.peer, true)
			}
			farthest = farthest && !c.near
		}
	}
	n.maybeSettled()
}

// maybeSettled notes when all nodes next to this one have answered and none closer is named. Then its leaf set is
// right, as far as any node knows. A repair goes on until it finds no node.
func (n *Node) maybeSettled() {
	if n.prober.leaves > 0 || n.damage.due {
		return
	}
	if n.damage.grew() {
		n.repairSoon()
		return
	}
	if took, was := n.damage.mended(n.env.Now()); was {
		n.env.Trace(Repaired{took})
	}
	n.maybeActivate()
}

// refill asks a node in the row of a lost contact for another one.
func (n *Node) refill(id engine.ID) {
	if n.known.best(id, nil) != nil {
		return
	}
	if row := n.known.shared(id); len(row) > 0 {
		n.exchangeRow(row[n.env.Rand().IntN(len(row))])
	}
}

// onLeave drops a peer that leaves. It is not looked for.
func (n *Node) onLeave(from engine.Peer, m *Leave) {
	if c := n.known.find(from.ID); c == nil || c.peer != from {
		return
	}
	n.prober.cancel(from)
	n.remove(from, Left)
	n.learn(m.Near)
	n.maybeSettled()
}
