package astrolabe

import (
	"tidings/network/astrolabe/attr"
	"tidings/network/astrolabe/table"
	"tidings/network/astrolabe/zone"
	"tidings/network/engine"
)

// Names of attributes that rows have of themselves; doc.go says what they mean.
const (
	AttrMembers = "members"
	AttrRep     = "rep"
	AttrReps    = "reps"
	AttrUp      = "up"
	AttrLoad    = "load"
	AttrDepth   = "depth"
)

// PeerValue returns a peer as rows have it.
func PeerValue(p engine.Peer) attr.Value {
	return attr.Bytes(append(p.ID[:len(p.ID):len(p.ID)], p.Address...))
}

// peerOf reads what PeerValue wrote; zero if b is none.
func peerOf(b []byte) (p engine.Peer) {
	if len(b) < len(p.ID) || len(b) > len(p.ID)+engine.MaxAddress {
		return engine.Peer{}
	}
	address := b[copy(p.ID[:], b):]
	p.Address = engine.Address(address)
	return p
}

// Representatives returns who speaks for a row: the member itself, or the representatives of the zone, best first.
func Representatives(r table.Row) (peers []engine.Peer) {
	if zone.IsMember(r.Label) {
		return []engine.Peer{r.Issuer}
	}
	list, ok := attr.List(r.Attributes.Get(AttrReps).Bytes)
	if !ok {
		return nil
	}
	for _, item := range list[:min(len(list), maxPeers)] {
		if p := peerOf(item); !p.IsZero() {
			peers = append(peers, p)
		}
	}
	return peers
}

// members draws some other members of the node's zone.
func (n *Node) members(count int) []engine.Peer {
	return n.draw(len(n.tables)-1, count)
}

// draw draws some nodes with which the node shares a table: of other rows' representatives one each, as long as there are so many. Those who
// cannot be reached are left out.
func (n *Node) draw(depth, count int) (peers []engine.Peer) {
	own := n.ownLabel(depth)
	var rows []table.Row
	for r := range n.tables[depth].Children() {
		if r.Label != own {
			rows = append(rows, r)
		}
	}
	chance := n.env.Rand()
	for len(rows) > 0 && len(peers) < count {
		i := chance.IntN(len(rows))
		if p := n.anyOf(rows[i]); !p.IsZero() {
			peers = append(peers, p)
		}
		rows[i] = rows[len(rows)-1]
		rows = rows[:len(rows)-1]
	}
	return peers
}

// anyOf draws one of those who speak for a row and can be reached; zero: there is none.
func (n *Node) anyOf(r table.Row) engine.Peer {
	reps := Representatives(r)
	at := 0
	if len(reps) > 1 {
		at = n.env.Rand().IntN(len(reps))
	}
	for i := range reps {
		p := reps[(at+i)%len(reps)]
		if p.ID != n.env.Self().ID && !n.Down(p.ID) {
			return p
		}
	}
	return engine.Peer{}
}

// ownLabel returns the label of the row in the table at a depth that the node is, or lies in.
func (n *Node) ownLabel(depth int) string {
	if depth == len(n.tables)-1 {
		return zone.Member(n.env.Self().ID)
	}
	return n.path.At(depth + 1).Label()
}

// Represents reports whether the node speaks for the zone at a depth on its path: in the table of that zone all members of the lowest do.
func (n *Node) represents(depth int) bool {
	if depth == len(n.tables) { // the member itself
		return true
	}
	r, ok := n.tables[depth-1].Get(n.path.At(depth).Label())
	if !ok {
		return true // nobody does
	}
	for _, p := range Representatives(r) {
		if p.ID == n.env.Self().ID {
			return true
		}
	}
	return false
}

// Other draws a node to compare notes with: another member of the node's zone, or as often one who speaks for another zone in a table drawn by
// chance; zero: there is none.
func (n *Node) Other() engine.Peer {
	if !n.placed {
		return engine.Peer{}
	}
	depth := len(n.tables) - 1
	if depth > 0 && n.env.Rand().IntN(2) == 0 {
		depth = n.env.Rand().IntN(depth)
	}
	for _, p := range n.draw(depth, 1) {
		return p
	}
	return engine.Peer{}
}
