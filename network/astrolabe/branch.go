package astrolabe

import (
	"math/rand/v2"
	"slices"

	"tidings/network/astrolabe/table"
	"tidings/network/astrolabe/zone"
	"tidings/network/engine"
)

// branch is where a node is: its zone, and copies of the tables of that and of all above.
type branch struct {
	self   engine.ID
	label  string    // of the node's row
	path   zone.Path // of the zone that the node is a member of, if it is placed
	placed bool
	tables []table.Table // by depth; the last one is that of the node's zone
}

// lowest returns the depth of the node's zone.
func (b *branch) lowest() int { return len(b.tables) - 1 }

// shares returns how deep a zone lies on the node's path; not ok: it is not on it.
func (b *branch) shares(p zone.Path) (depth int, ok bool) {
	if !b.placed || !p.Contains(b.path) {
		return 0, false
	}
	return p.Depth(), true
}

// alone reports whether the node knows no other.
func (b *branch) alone() bool {
	return !slices.ContainsFunc(b.tables, func(t table.Table) bool { return t.Len() > 1 })
}

// ownLabel returns the label of the row in the table at a depth that the node is, or lies in.
func (b *branch) ownLabel(depth int) string {
	if depth == b.lowest() {
		return b.label
	}
	return b.path.At(depth + 1).Label()
}

// represents reports whether the node represents the zone at a depth on its path: in the table of that zone all members
// of the lowest do.
func (b *branch) represents(depth int) bool {
	if depth == len(b.tables) { // the member itself
		return true
	}
	r, ok := b.tables[depth-1].Get(b.path.At(depth).Label())
	if !ok {
		return true // nobody does
	}
	return names(r.Attributes, b.self)
}

// draw draws some nodes with which the node shares a table: of other rows' representatives one each, as long as there
// are so many. Those that cannot be reached are left out.
func (b *branch) draw(depth, count int, chance *rand.Rand, down func(engine.ID) bool) (peers []engine.Peer) {
	t, own := &b.tables[depth], b.ownLabel(depth)
	for i := range shuffled(chance, t.Size()) {
		r, holds := t.At(i)
		if !holds || zone.IsFunction(r.Label) || r.Label == own {
			continue
		}
		if p := b.anyOf(r, chance, down); !p.IsZero() {
			peers = append(peers, p)
		}
		if len(peers) == count {
			break
		}
	}
	return peers
}

// anyOf draws another node of those that speak for a row and can be reached; zero: there is none.
func (b *branch) anyOf(r table.Row, chance *rand.Rand, down func(engine.ID) bool) engine.Peer {
	reachable := func(id engine.ID) bool { return id != b.self && !down(id) }
	if zone.IsMember(r.Label) {
		if !reachable(r.Issuer.ID) {
			return engine.Peer{}
		}
		return r.Issuer
	}
	var reps [maxPeers][]byte
	known := 0
	for item := range representatives(r.Attributes) {
		if reachable(engine.ID(item[:len(engine.ID{})])) {
			reps[known] = item
			known++
		}
	}
	if known == 0 {
		return engine.Peer{}
	}
	return peerOf(reps[chance.IntN(known)])
}
