package pastry

import "tidings/network/engine"

// learn receives hearsay. It probes the useful ones, if their IDs have the work that the network requires.
func (n *Node) learn(peers []engine.Peer) {
	for _, p := range peers {
		// does another node have this one's ID? This node's own address of before does not answer
		if p.ID == n.known.self {
			if p.Address != n.env.Self().Address && !n.duplicates.has(p.ID) {
				n.prober.ask(p, false)
			}
			continue
		}
		claim, found := n.known.claims(p.ID)
		switch {
		case p.Address == "": // there is no address to ask
		case found: // what it says itself counts more
		case claim == none || !engine.Admissible(n.env, p.ID):
		case n.lost.vain(p, n.env.Now()-n.config.KeepAlive, claim == ofLeafSet):
		case claim == ofLeafSet && !n.known.crowded(p):
			n.prober.ask(p, true)
		case claim == ofTable && n.prober.count(p.ID, n.known.self.CommonDigits(p.ID, n.config.Digit)+
			1) < n.config.PerSlot:
			n.prober.ask(p, false)
		}
	}
}
