package pastry

import "tidings/network/engine"

// learn takes hearsay: it probes those that would be of use, whose IDs have the work that the network asks for.
func (n *Node) learn(peers []engine.Peer) {
	for _, p := range peers {
		if p.ID == n.known.self {
			n.learnOfMyself(p)
			continue
		}
		claim, found := n.known.claims(p.ID)
		switch {
		case p.Address == "": // nobody can be asked there
		case found: // what it says itself counts more
		case claim == none || !engine.Admissible(n.env, p.ID):
		case n.lost.vain(p, n.env.Now()-n.config.KeepAlive, claim == ofLeafSet):
		case claim == ofLeafSet && !n.known.crowded(p):
			n.ask(p, true)
		case claim == ofTable && !n.slotIsAsked(p.ID):
			n.ask(p, false)
		}
	}
}

// slotIsAsked reports whether enough probes are out to fill id's slot.
func (n *Node) slotIsAsked(id engine.ID) bool {
	digits := n.known.self.CommonDigits(id, n.config.Digit) + 1
	asked := 0
	for _, q := range n.probes {
		if q.peer.ID.CommonDigits(id, n.config.Digit) >= digits {
			asked++
		}
	}
	return asked >= n.config.PerSlot
}
