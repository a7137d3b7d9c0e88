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
type contacts struct {
	env      engine.Env
	patience time.Duration // Config.Patience
	zones    *astrolabe.Node
	suspects suspects // those that speak for zones, or are contacts, and are silent
	of       map[rowName]contact
}

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
	// maxAsked is how many nodes are asked for a contact at a time. Each of them has one for a zone of 64 members
	// within 150 s on average, where its table has 50 rows.
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
func (c *contacts) rowTo(z zone.Path) (row rowName, ok bool) {
	path, placed := c.zones.Path()
	if !placed || z.Validate() != nil || z.Contains(path) {
		return rowName{}, false
	}
	common := zone.Common(z, path)
	row = rowName{common, z.At(common.Depth() + 1).Label()}
	_, ok = c.zones.Table(common).Get(row.label)
	return row, ok
}

// representatives returns those of a row that can be reached: parcels for it go to them.
func (c *contacts) representatives(row rowName) []engine.Peer {
	t := c.zones.Table(row.table)
	if t == nil {
		return nil
	}
	r, ok := t.Get(row.label)
	if !ok {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(astrolabe.Representatives(r)), func(q engine.Peer) bool {
		return q.ID == c.env.Self().ID || c.zones.Down(q.ID)
	})
}

// suspected reports whether a node has given no sign lately.
func (c *contacts) suspected(id engine.ID) bool { return c.suspects.has(id, c.env.Now()) }

// get returns the contact of a row; zero: none is known that can be reached.
func (c *contacts) get(row rowName) engine.Peer {
	k := c.of[row]
	if k.peer.IsZero() || c.env.Now()-k.since > contactFor || c.zones.Down(k.peer.ID) || c.suspected(k.peer.ID) {
		return engine.Peer{}
	}
	return k.peer
}

// meet remembers a member of a zone as the contact of its row, unless it is one of the zone's representatives. It
// reports whether the row had none.
func (c *contacts) meet(p engine.Peer, z zone.Path) (row rowName, first bool) {
	row, ok := c.rowTo(z)
	if !ok || slices.ContainsFunc(c.representatives(row), func(q engine.Peer) bool { return q.ID == p.ID }) {
		return row, false
	}
	first = c.get(row).IsZero()
	k := c.of[row]
	k.peer, k.since = p, c.env.Now()
	c.set(row, k)
	return row, first
}

// find asks nodes that share the table of a row for a member of the row's zone, once every patience at most.
func (c *contacts) find(row rowName) {
	k, now := c.of[row], c.env.Now()
	t := c.zones.Table(row.table)
	if t == nil || now < k.again {
		return
	}
	var peers []engine.Peer
	for r := range t.Children() {
		if r.Label == row.label {
			continue
		}
		for _, p := range astrolabe.Representatives(r) {
			if p.ID != c.env.Self().ID && !c.zones.Down(p.ID) && !c.suspected(p.ID) {
				peers = append(peers, p)
			}
		}
	}
	c.env.Rand().Shuffle(len(peers), func(i, j int) { peers[i], peers[j] = peers[j], peers[i] })
	k.asked, k.again = nil, now+c.patience
	for _, p := range peers[:min(len(peers), maxAsked)] {
		k.asked = append(k.asked, p.ID)
		c.env.Send(p, &FindMember{Zone: row.table.Child(row.label), Proof: c.zones.Proof()})
	}
	c.set(row, k)
}

// answer sends the known contact to a node that asks for one, if the node may ask now. There is a bound on that.
func (c *contacts) answer(from engine.Peer, m *FindMember, mayAsk func() bool) {
	row, ok := c.rowTo(m.Zone)
	if !ok || m.Zone.Parent() != row.table || c.zones.Admits(from, row.table, m.Proof) != nil || !mayAsk() {
		return
	}
	if p := c.get(row); !p.IsZero() && p.ID != from.ID {
		c.env.Send(from, &MemberFound{m.Zone, p})
	}
}

// found accepts the first answer to find. It reports whether the row has a contact by it.
func (c *contacts) found(from engine.Peer, m *MemberFound) (row rowName, accepted bool) {
	row, ok := c.rowTo(m.Zone)
	k := c.of[row]
	if !ok || m.Zone.Parent() != row.table || !slices.Contains(k.asked, from.ID) {
		return row, false
	}
	if m.Member.IsZero() || m.Member.ID == c.env.Self().ID || c.suspected(m.Member.ID) {
		return row, false
	}
	k.peer, k.since, k.asked = m.Member, c.env.Now(), nil
	c.set(row, k)
	return row, true
}
