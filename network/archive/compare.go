package archive

import (
	"tidings/network/engine"
)

// takeCompare answers a co-owner with what differs.
func (n *Node) takeCompare(from engine.Peer, m *Compare) {
	own, sure := n.own()
	if !n.loaded || !sure {
		return
	}
	c := n.replicas.find(from.ID)
	if c == nil {
		return // the sender sees other neighbours than this node: one of the two is going to see more
	}
	var parts []Part
	var lists []keyRange
	for _, theirs := range m.Parts {
		given := keyRange{theirs.From, theirs.To}
		for _, a := range given.and(own) {
			mine := n.held.sum(a)
			switch {
			case a == given && mine.Count == theirs.Count && mine.Sum == theirs.Sum:
			case a != given || mine.Count < theirs.Count && theirs.Count > maxList:
				parts = append(parts, mine)
			case mine.Count <= maxList:
				lists = append(lists, a)
			default:
				parts = append(parts, n.held.split(a, mine.Count)...)
			}
		}
	}
	if len(parts)+len(lists) == 0 {
		n.env.Send(from, &Equal{})
		return
	}
	n.differs(c)
	n.sendParts(c, parts)
	for _, a := range lists {
		if !c.parts.Take(1, n.env.Now()) {
			n.limitHit("partRate", partRate)
			return
		}
		n.sendList(c, a)
	}
}

// sendParts sends parts, of those beyond what the co-owner can be sent some by lot, so that it is not
// always the same that wait.
func (n *Node) sendParts(c *coOwner, parts []Part) {
	n.env.Rand().Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
	m := &Compare{}
	for _, p := range parts {
		if !c.parts.Take(1, n.env.Now()) {
			n.limitHit("partRate", partRate)
			break
		}
		if len(m.Parts) == maxParts {
			n.env.Send(c.peer, m)
			m = &Compare{}
		}
		m.Parts = append(m.Parts, p)
	}
	if len(m.Parts) > 0 {
		n.env.Send(c.peer, m)
	}
}

// sendList tells a co-owner all that is here of an arc, but for what the disk has not got yet: it would be asked for, and
// who cannot give what it said that it has passes for a liar.
func (n *Node) sendList(c *coOwner, a keyRange) {
	m := &Have{From: a.from, To: a.to}
	for _, e := range n.held.list(a, maxList) {
		if !e.coming {
			m.Items = append(m.Items, e.Held)
		}
	}
	n.env.Send(c.peer, m)
}

// takeHave fetches what is lacking here, and offers what is lacking there.
func (n *Node) takeHave(from engine.Peer, m *Have) {
	c := n.replicas.find(from.ID)
	own, sure := n.own()
	if c == nil || !n.loaded || !sure {
		return
	}
	n.differs(c)
	theirs := make(map[Name]uint64, len(m.Items))
	for _, item := range m.Items {
		theirs[item.Name] = item.Print
		n.want(from, item, nil)
	}
	offer := &Offer{Number: n.env.Rand().Uint64()}
	for _, a := range (keyRange{m.From, m.To}).and(own) {
		for _, e := range n.held.list(a, 2*maxList) {
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
