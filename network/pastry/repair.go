package pastry

import "tidings/network/engine"

// unanswered concludes from a probe that nobody answered. It is sure if the peer was asked often
// enough, or the network says so.
func (n *Node) unanswered(q *probe, sure bool) {
	if q.peer.ID == n.known.self {
		return
	}
	c := n.known.find(q.peer.ID)
	switch {
	case c == nil && q.again > 0: // it is remembered as lost, to be looked for as seldom as it was to be
	case c == nil:
		n.lost.add(q.peer, false, sure, n.env.Now(), n.env.Rand())
	case c.peer == q.peer:
		n.tell = n.tell || n.known.inLeafSet(q.peer.ID) && !q.told
		n.remove(q.peer, Silent)
	default: // it has moved
		return
	}
	q.maybeAskAgain(n)
}

// remove takes out a peer that was known and sees to the gap.
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
	if n.repairing {
		return
	}
	n.repairing, n.gained = true, false
	if n.damaged == 0 {
		n.damaged = n.env.Now()
	}
	n.env.After(n.config.ProbeTimeout/2, n.repair)
}

// repair asks for those that belong into the leaf set and are not known: the farthest neighbour
// on either side, whose own leaf set reaches beyond, and those that have just moved up from
// the routing table. Their answers lead further until nobody is closer. Where a whole side
// has died, each answer comes a digit closer.
//
// The first to find a neighbour dead asks, and so tells, all of them. Each of them looks for
// itself, but tells nobody. So one that finds a dead neighbour by its keep-alive finds all the
// others that died with it, and everybody who has to know does.
func (n *Node) repair() {
	tell := n.tell
	n.tell, n.repairing = false, false
	n.repairSide(n.known.below, tell)
	n.repairSide(n.known.above, tell)
	n.maybeSettled()
}

func (n *Node) repairSide(side func(int) *contact, all bool) {
	farthest := true
	for i := n.known.sides() - 1; i >= 0; i-- {
		c := side(i)
		if all || !c.near || farthest {
			n.ask(c.peer, true)
		}
		farthest = farthest && !c.near
	}
}

// maybeSettled takes note when everybody next to this node has answered and nobody closer is
// told of: its leaf set is right, as far as anybody knows. A repair goes on until it finds
// nobody.
func (n *Node) maybeSettled() {
	if n.settling > 0 || n.repairing {
		return
	}
	if n.damaged > 0 && n.gained { // the others may have gained since they answered
		n.repairSoon()
		return
	}
	if n.damaged > 0 {
		n.env.Trace(Repaired{n.env.Now() - n.damaged})
		n.damaged = 0
	}
	n.maybeActivate()
}

// deadNearby returns who was found dead lately where the leaf set is.
func (n *Node) deadNearby() []engine.ID {
	return n.lost.lately(n.env.Now()-2*n.config.KeepAlive, n.known.nearby)
}

// refill asks somebody in the row of a contact that has gone for another one.
func (n *Node) refill(id engine.ID) {
	if n.known.best(id, nil) != nil {
		return
	}
	row := n.known.row(n.known.self.CommonDigits(id, n.config.Digit))
	if len(row) > 0 {
		n.exchangeRow(row[n.env.Rand().IntN(len(row))])
	}
}

// onLeave takes leave of a peer. It is not looked for.
func (n *Node) onLeave(from engine.Peer, m *Leave) {
	if c := n.known.find(from.ID); c == nil || c.peer != from {
		return
	}
	if q := n.probing(from); q != nil {
		n.endProbe(q)
	}
	n.remove(from, Left)
	n.learn(m.Near)
	n.maybeSettled()
}
