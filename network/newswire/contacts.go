package newswire

import (
	"slices"
	"time"

	"tidings/network/astrolabe"
	"tidings/network/astrolabe/zone"
	"tidings/network/engine"
)

// contacts are members of other zones, one for each row of the node's tables. A contact receives items for its zone
// where none of the zone's representatives answers: all may have crashed, and the zone may not have noticed. The only
// messages that leave a zone then are its members' CatchUps: a node that receives one remembers its sender. A node that
// knows no contact asks others that share the table (FindMember).
type contacts struct{ of map[rowName]contact }

// contact is a member of the zone of a row, as far as one is known.
type contact struct {
	peer  engine.Peer // zero: none is known
	since time.Duration

	asked []engine.ID   // nodes that were asked for one, and may answer; at most maxAsked
	again time.Duration // when others are asked at the earliest
}

const (
	// contactFor is for how long a member is a contact after it, or a node that knows it, has sent something.
	contactFor = 10 * time.Minute
	// maxContacts is of how many rows something is remembered. Beyond that all is forgotten.
	maxContacts = 1024
	// maxAsked is how many nodes are asked for a contact at a time. Each of them has one for a zone of 64 members within
	// 150 s on average, where its table has 50 rows.
	maxAsked = 8
)

// set remembers what is known of a row's contact.
func (c *contacts) set(row rowName, to contact) {
	if _, known := c.of[row]; c.of == nil || !known && len(c.of) >= maxContacts {
		c.of = make(map[rowName]contact)
	}
	c.of[row] = to
}

// drop forgets a row's contact, if it is that node. It reports whether it was.
func (c *contacts) drop(row rowName, id engine.ID) bool {
	k, known := c.of[row]
	if !known || k.peer.ID != id {
		return false
	}
	k.peer = engine.Peer{}
	c.of[row] = k
	return true
}

// rowTo returns the row of the node's tables by which a zone is reached that the node does not lie in.
func (n *Node) rowTo(z zone.Path) (row rowName, ok bool) {
	path, placed := n.zones.Path()
	if !placed || z.Validate() != nil || z.Contains(path) {
		return rowName{}, false
	}
	common := zone.Common(z, path)
	row = rowName{common, z.At(common.Depth() + 1).Label()}
	_, ok = n.zones.Table(common).Get(row.label)
	return row, ok
}

// meet remembers a member of a zone as the contact of its row, unless it is one of the zone's representatives.
func (n *Node) meet(p engine.Peer, z zone.Path) {
	row, ok := n.rowTo(z)
	if !ok || slices.ContainsFunc(receivers(n, row), func(q engine.Peer) bool { return q.ID == p.ID }) {
		return
	}
	first := n.contact(row).IsZero()
	k := n.contacts.of[row]
	k.peer, k.since = p, n.env.Now()
	n.contacts.set(row, k)
	if first {
		n.sendWaiting(row)
	}
}

// sendWaiting sends a row's contact what waits for the zone's representatives in vain.
func (n *Node) sendWaiting(row rowName) {
	var waiting []*parcel
	for _, p := range n.parcels.byNumber { // sendAll puts them in order
		if p.table == row.table && p.label == row.label && (n.parcels.isHeld(p) || n.suspects.has(p.at.ID, n.env.Now())) {
			waiting = append(waiting, p)
		}
	}
	sendAll(n, waiting)
}

// contact returns the contact of a row; zero: none is known that can be reached.
func (n *Node) contact(row rowName) engine.Peer {
	k, now := n.contacts.of[row], n.env.Now()
	if k.peer.IsZero() || now-k.since > contactFor || n.zones.Down(k.peer.ID) || n.suspects.has(k.peer.ID, now) {
		return engine.Peer{}
	}
	return k.peer
}

// findContact asks nodes that share the table of a row for a member of the row's zone, once every Patience at most.
func (n *Node) findContact(row rowName) {
	k, now := n.contacts.of[row], n.env.Now()
	t := n.zones.Table(row.table)
	if t == nil || now < k.again {
		return
	}
	var peers []engine.Peer
	for r := range t.Children() {
		if r.Label == row.label {
			continue
		}
		for _, p := range astrolabe.Representatives(r) {
			if p.ID != n.env.Self().ID && !n.zones.Down(p.ID) && !n.suspects.has(p.ID, now) {
				peers = append(peers, p)
			}
		}
	}
	n.env.Rand().Shuffle(len(peers), func(i, j int) { peers[i], peers[j] = peers[j], peers[i] })
	k.asked, k.again = nil, now+n.config.Patience
	for _, p := range peers[:min(len(peers), maxAsked)] {
		k.asked = append(k.asked, p.ID)
		n.env.Send(p, &FindMember{Zone: row.table.Child(row.label), Proof: n.zones.Proof()})
	}
	n.contacts.set(row, k)
}

func (n *Node) onFindMember(from engine.Peer, m *FindMember) {
	row, ok := n.rowTo(m.Zone)
	if !ok || m.Zone.Parent() != row.table || n.zones.Admits(from, row.table, m.Proof) != nil || !n.askers.take(from.ID, n.env.Now()) {
		return
	}
	if p := n.contact(row); !p.IsZero() && p.ID != from.ID {
		n.env.Send(from, &MemberFound{m.Zone, p})
	}
}

// onMemberFound accepts the first answer to findContact.
func (n *Node) onMemberFound(from engine.Peer, m *MemberFound) {
	row, ok := n.rowTo(m.Zone)
	k, now := n.contacts.of[row], n.env.Now()
	if !ok || m.Zone.Parent() != row.table || !slices.Contains(k.asked, from.ID) {
		return
	}
	if m.Member.IsZero() || m.Member.ID == n.env.Self().ID || n.suspects.has(m.Member.ID, now) {
		return
	}
	k.peer, k.since, k.asked = m.Member, now, nil
	n.contacts.set(row, k)
	n.sendWaiting(row)
}
