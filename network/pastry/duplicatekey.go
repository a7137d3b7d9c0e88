package pastry

import (
	"cmp"
	"slices"

	"tidings/network/engine"
)

// moved notes that a peer is at a new address. If it says that it is the same run, it has another address now, or is
// reached another way, and was not away. Else it has come back, or another node has its ID. The answer, or silence, at
// the old address will show. The old address is asked as often as is needed to be sure. Otherwise a node with a copied
// key would win the place for good if the older node misses one or two probes.
func (n *Node) moved(c *contact, p engine.Peer, s sign) {
	old, by := c.peer, contact{peer: p, rtt: s.rtt, spoke: n.env.Now(), incarnation: s.incarnation}
	q := n.prober.cancel(old)
	same := c.isSameRun(s)
	if same {
		by.rtt, by.near = cmp.Or(s.rtt, c.rtt), c.near || s.near
	} else {
		n.prober.askElder(old)
	}
	n.replace(c, by)
	if same && q != nil && q.leaf {
		n.prober.ask(p, true)
	}
	n.maybeSettled()
}

// replace puts another contact with the same ID in the place of one.
func (n *Node) replace(c *contact, by contact) {
	*c = by
	if n.known.inLeafSet(by.peer.ID) {
		n.known.thin()
		n.neighboursChanged()
	}
}

// noteDuplicateKey notes two nodes with one ID. The one that was known first, and still answers, keeps its place. The
// other gets none before the first is dead. It is traced once for each ID, as far as the bounded memory of IDs reaches.
func (n *Node) noteDuplicateKey(id engine.ID, one, other engine.Address) {
	if !n.duplicates.note(id) {
		return
	}
	found := DuplicateKeyFound{ID: id, One: one, Other: other, Myself: id == n.known.self}
	n.env.Trace(found)
	for _, f := range n.onDuplicateKey {
		f(found)
	}
}

// duplicates are the latest IDs that were found at two nodes: at most maxDuplicates.
type duplicates []engine.ID

const maxDuplicates = 16

func (d duplicates) has(id engine.ID) bool { return slices.Contains(d, id) }

// note remembers an ID. It reports whether it is new.
func (d *duplicates) note(id engine.ID) bool {
	if d.has(id) {
		return false
	}
	if len(*d) == maxDuplicates {
		*d = (*d)[1:]
	}
	*d = append(*d, id)
	return true
}
