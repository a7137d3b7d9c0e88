package spread

import (
	"slices"

	"tidings/network/engine"
)

// Tree returns the neighbours to which events of a topic are sent at once, and whether the topic is joined; for people and
// tests.
func (s *Spread) Tree(id engine.ID) (tree []engine.Peer, joined bool) {
	t := s.topics.joined(id)
	if t == nil {
		return nil, false
	}
	for _, l := range t.tree {
		tree = append(tree, l.peer)
	}
	slices.SortFunc(tree, func(a, b engine.Peer) int { return a.ID.Compare(b.ID) })
	return tree, true
}

// State is how much a node keeps.
type State struct {
	Links, Topics int
	TreeLinks     int // of all topics together
	Kept, Bytes   int // events in the cache
	Wanted        int // events that are missing
	Suspected     int // links
}

// State returns how much the node keeps, for people and tests.
func (s *Spread) State() State {
	st := State{
		Links: len(s.links.list), Topics: len(s.topics.of), Kept: s.cache.count, Bytes: s.cache.bytes,
		Wanted: len(s.wanted.of),
	}
	for _, t := range s.topics.of {
		st.TreeLinks += len(t.tree)
	}
	for _, l := range s.links.list {
		if l.record.suspected {
			st.Suspected++
		}
	}
	return st
}
