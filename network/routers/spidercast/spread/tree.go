package spread

import (
	"slices"

	"tidings/network/engine"
)

// Each topic has tree links, as in Plumtree. The two ends of a link may disagree for a while; events that arrive over
// it, and Prunes, bring them together.

// Tree returns the neighbours to which events of a topic are sent at once, and whether the topic is joined; for people
// and tests.
func (s *Spread) Tree(id engine.ID) (tree []engine.Peer, joined bool) {
	t := s.joined(id)
	if t == nil {
		return nil, false
	}
	for _, l := range t.tree {
		tree = append(tree, l.peer)
	}
	slices.SortFunc(tree, func(a, b engine.Peer) int { return a.ID.Compare(b.ID) })
	return tree, true
}

// eager returns the links that an event goes over at once, except to neighbours that have it. They are the links of the
// tree; all links, if the tree has not grown yet; one, if this node only publishes on the topic.
func (s *Spread) eager(e *entry) (list []*link) {
	t, from := e.topic, s.links
	if t.grown {
		from = t.tree
	}
	for _, l := range from {
		if l.shares(t.id) && !e.knownTo(l) {
			list = append(list, l)
		}
	}
	if !t.joined && len(list) > 1 {
		i := s.env.Rand().IntN(len(list))
		list = list[i : i+1]
	}
	return list
}

// graft makes a link part of a topic's tree.
func (s *Spread) graft(t *topic, l *link, why string) {
	if t.joined && l.shares(t.id) && !slices.Contains(t.tree, l) {
		t.tree = append(t.tree, l)
		s.env.Trace(Grafted{t.id, l.peer, why})
	}
}

// prune removes a link from a topic's tree.
func (s *Spread) prune(id engine.ID, l *link, why string) {
	if t := s.topics[id]; t != nil && slices.Contains(t.tree, l) {
		t.tree = slices.DeleteFunc(t.tree, func(k *link) bool { return k == l })
		t.grown = t.grown && len(t.tree) > 0
		s.env.Trace(Pruned{id, l.peer, why})
	}
}

// maybeMove adds a link to the tree over which an event would have had a much shorter path. The next event arrives over
// the old link and the new one, and the later of them is pruned: announcing a short path and losing events on it gains
// nothing.
func (s *Spread) maybeMove(e *entry, l *link, hops uint8) {
	t := e.topic
	if t.moved < s.config.Moves || slices.Contains(t.tree, l) || !l.shares(t.id) ||
		int(hops)+s.config.Shorter > int(e.message.Hops)-1 {
		return
	}
	t.moved = -s.env.Rand().IntN(s.config.Moves) // not all nodes at once
	s.graft(t, l, "shorter")
	s.env.Send(l.peer, &Graft{Topic: t.id})
}
