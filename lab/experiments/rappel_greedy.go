package experiments

import (
	"cmp"
	"slices"
	"time"

	"tidings/network/sim"
)

// greedy returns the ways from a root to some nodes over the direct ones, ascending, in a tree that is made by somebody who has all
// coordinates at hand. It keeps the paper's invariant, that a parent is nearer to the root than its children (section 4.2): nodes come
// in the order of their distance, and each goes where its way is shortest and there is room.
func (p places) greedy(root sim.Node, nodes []sim.Node, children int) (ways []float64) {
	type placed struct {
		node sim.Node
		way  time.Duration
		room int
	}
	tree := []placed{{root, 0, children}}
	byDistance := slices.SortedStableFunc(slices.Values(nodes), func(a, b sim.Node) int {
		return cmp.Compare(p.distance(root, a), p.distance(root, b))
	})
	for _, n := range byDistance {
		parent, way := -1, time.Duration(0)
		for i, candidate := range tree {
			if through := candidate.way + p.distance(candidate.node, n); candidate.room > 0 && (parent < 0 || through < way) {
				parent, way = i, through
			}
		}
		tree[parent].room--
		tree = append(tree, placed{n, way, children})
		ways = append(ways, share(way.Seconds(), p.distance(root, n).Seconds()))
	}
	slices.Sort(ways)
	return ways
}
