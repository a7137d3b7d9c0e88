package check

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"tidings/network/engine"
	"tidings/network/sim"
)

// Ring checks at the end that each live node's leaf set is what the sorted list of live nodes says: the Half next nodes
// on either side, or all others if they are fewer, at their present addresses.
type Ring struct {
	// Half is how many neighbours a leaf set has room for on one side.
	Half int

	// Leaves returns the leaf set of a live node, in any order.
	Leaves func(n sim.Node) []engine.Peer

	// Member says which live nodes ought to be on the ring; nil: all.
	Member Member

	verdict
}

// Observe does nothing.
func (r *Ring) Observe(time.Duration, sim.Node, Event) {}

// Finish compares all leaf sets.
func (r *Ring) Finish(w *sim.World) {
	r.each(w, func(n sim.Node, missing, extra []engine.Peer) {
		r.fail(w.Now(), n, engine.ID{}, fmt.Sprintf("the leaf set lacks %s and has %s too many", short(missing),
			short(extra)))
	})
}

// Wrong returns how many live nodes' leaf sets are not what they should be now.
func (r *Ring) Wrong(w *sim.World) int {
	wrong := 0
	r.each(w, func(sim.Node, []engine.Peer, []engine.Peer) { wrong++ })
	return wrong
}

// each reports the leaf sets that are wrong, in the order of the ring.
func (r *Ring) each(w *sim.World, report func(n sim.Node, missing, extra []engine.Peer)) {
	o := &oracle{world: w, member: r.Member}
	members := o.members()
	for i, n := range members {
		want := r.want(w, members, i)
		got := sortedPeers(r.Leaves(n))
		missing, extra := without(want, got), without(got, want)
		if len(missing)+len(extra) > 0 {
			report(n, missing, extra)
		}
	}
}

// want returns the leaf set that the i-th member should have, sorted.
func (r *Ring) want(w *sim.World, members []sim.Node, i int) []engine.Peer {
	var peers []engine.Peer
	all := len(members)
	for step := 1; step <= r.Half && step < all; step++ {
		peers = append(peers, w.Peer(members[(i+step)%all]), w.Peer(members[(i-step+all)%all]))
	}
	return sortedPeers(peers)
}

// sortedPeers returns the peers in order, each once.
func sortedPeers(peers []engine.Peer) []engine.Peer {
	sorted := slices.Clone(peers)
	slices.SortFunc(sorted, comparePeers)
	return slices.Compact(sorted)
}

func comparePeers(a, b engine.Peer) int {
	if c := a.ID.Compare(b.ID); c != 0 {
		return c
	}
	return strings.Compare(string(a.Address), string(b.Address))
}

// without returns those of a, which is sorted, that are not in b, which is too.
func without(a, b []engine.Peer) []engine.Peer {
	var left []engine.Peer
	for _, p := range a {
		if _, found := slices.BinarySearchFunc(b, p, comparePeers); !found {
			left = append(left, p)
		}
	}
	return left
}

// short writes peers for people, not more than a handful.
func short(peers []engine.Peer) string {
	const handful = 5
	text := make([]string, 0, handful)
	for i, p := range peers {
		if i == handful {
			text = append(text, "…")
			break
		}
		text = append(text, p.String())
	}
	return "[" + strings.Join(text, " ") + "]"
}
