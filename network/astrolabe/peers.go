package astrolabe

import (
	"iter"
	"math/rand/v2"

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

// Representatives returns the nodes that speak for a row: the member itself, or the representatives of the zone, best
// first.
func Representatives(r table.Row) (peers []engine.Peer) {
	if zone.IsMember(r.Label) {
		return []engine.Peer{r.Issuer}
	}
	for item := range representatives(r.Attributes) {
		peers = append(peers, peerOf(item))
	}
	return peers
}

// representatives returns those that the row of a zone names, as PeerValue writes them.
func representatives(row attr.Row) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		list := row.Get(AttrReps).Bytes
		for range maxPeers {
			item, rest, ok := attr.First(list)
			if !ok || !peerOf(item).IsZero() && !yield(item) {
				return
			}
			list = rest
		}
	}
}

// names reports whether the row of a zone names a node among its representatives.
func names(row attr.Row, id engine.ID) bool {
	for item := range representatives(row) {
		if string(item[:len(id)]) == string(id[:]) {
			return true
		}
	}
	return false
}

// shuffled returns the numbers below size, each once: the first and how they go on is drawn by chance.
func shuffled(chance *rand.Rand, size int) iter.Seq[int] {
	return func(yield func(int) bool) {
		if size == 0 {
			return
		}
		at, step := chance.IntN(size), 1+chance.IntN(max(1, size-1))
		for commonDivisor(step, size) > 1 { // or it would not come by all
			step = step%size + 1
		}
		for range size {
			if !yield(at) {
				return
			}
			at = (at + step) % size
		}
	}
}

func commonDivisor(a, b int) int {
	for b > 0 {
		a, b = b, a%b
	}
	return a
}

// Other draws a node to compare notes with: another member of the node's zone, or as often a representative of another
// zone in a table drawn by chance; zero: there is none.
func (n *Node) Other() engine.Peer {
	if !n.branch.placed {
		return engine.Peer{}
	}
	depth := n.branch.lowest()
	if depth > 0 && n.env.Rand().IntN(2) == 0 {
		depth = n.env.Rand().IntN(depth)
	}
	for _, p := range n.branch.draw(depth, 1, n.env.Rand(), n.Down) {
		return p
	}
	return engine.Peer{}
}
