package archive

import "tidings/network/engine"

// compare returns what differs from a co-owner's parts, of the keys that this node owns. These are parts to send in
// reply, and arcs with so little here that it is listed.
func (x *index) compare(theirs []Part, own keyRange) (parts []Part, lists []keyRange) {
	for _, t := range theirs {
		given := keyRange{t.From, t.To}
		for _, a := range given.and(own) {
			mine := x.sum(a)
			switch {
			case a == given && mine.Count == t.Count && mine.Sum == t.Sum:
			case a != given || mine.Count < t.Count && t.Count > maxList:
				parts = append(parts, mine)
			case mine.Count <= maxList:
				lists = append(lists, a)
			default:
				parts = append(parts, x.split(a, mine.Count)...)
			}
		}
	}
	return parts, lists
}

// onCompare answers a co-owner with what differs.
func (n *Node) onCompare(from engine.Peer, m *Compare) {
	own, sure := n.standing.own()
	if !n.stock.loaded || !sure {
		return
	}
	c := n.replicas.find(from.ID)
	if c == nil {
		return // the sender sees other neighbours than this node: one of the two is going to see more
	}
	parts, lists := n.stock.held.compare(m.Parts, own)
	if len(parts)+len(lists) == 0 {
		n.env.Send(from, &Equal{})
		return
	}
	n.replicas.answer(c, parts, lists)
}

// shared returns the sums of the items here with keys that this node and the one at a place both own.
func (n *Node) shared(place int) (parts []Part) {
	for _, a := range n.standing.look().shared(place) {
		parts = append(parts, n.stock.held.sum(a))
	}
	return parts
}

// have lists the items of an arc in the store, but not those on their way to the disk. These would be requested, and a
// node that cannot send what it has listed is penalized.
func (n *Node) have(a keyRange) *Have {
	m := &Have{From: a.from, To: a.to}
	for _, e := range n.stock.held.list(a, maxList) {
		if !e.coming {
			m.Items = append(m.Items, e.Held)
		}
	}
	return m
}

// onHave fetches what is lacking here, and offers what is lacking there.
func (n *Node) onHave(from engine.Peer, m *Have) {
	c := n.replicas.find(from.ID)
	own, sure := n.standing.own()
	if c == nil || !n.stock.loaded || !sure {
		return
	}
	n.replicas.differs(c)
	theirs := make(map[Name]uint64, len(m.Items))
	for _, item := range m.Items {
		theirs[item.Name] = item.Print
		n.bring(from, item)
	}
	offer := &Offer{Number: n.env.Rand().Uint64()}
	for _, a := range (keyRange{m.From, m.To}).and(own) {
		for _, e := range n.stock.held.list(a, 2*maxList) {
			print, has := theirs[e.Name]
			if !e.coming && (!has || print > e.Print) && len(offer.Items) < maxList {
				offer.Items = append(offer.Items, e.Held)
			}
		}
	}
	if len(offer.Items) > 0 {
		n.env.Send(from, offer)
	}
}
