package spread

import (
	"slices"

	"tidings/network/engine"
)

// trees keeps each topic's tree links, as in Plumtree. The two ends of a link may disagree for a while; events that arrive over
// it, and Prunes, bring them together.
type trees struct {
	*core
	topics *topics
	links  *links
}

// eager returns the links that an event goes over at once, except those whose neighbours have it: the links of the tree; all
// links, if the tree has not grown yet; one, if this node only publishes on the topic.
func (s *trees) eager(e *entry) (list []*link) {
	from := e.topic.tree
	if !e.topic.grown {
		from = s.links.sharing(e.topic.id)
	}
	for _, l := range from {
		if !e.heardBy(l) {
			list = append(list, l)
		}
	}
	if !e.topic.joined && len(list) > 1 {
		i := s.env.Rand().IntN(len(list))
		list = list[i : i+1]
	}
	return list
}

// graft makes a link part of a topic's tree.
func (s *trees) graft(t *topic, l *link, why string) {
	if t.joined && l.shares(t.id) && !t.inTree(l) {
		t.tree = append(t.tree, l)
		s.env.Trace(Grafted{t.id, l.peer, why})
	}
}

// prune takes a link out of a topic's tree.
func (s *trees) prune(t *topic, l *link, why string) {
	if i := slices.Index(t.tree, l); i >= 0 {
		t.tree = slices.Delete(t.tree, i, i+1)
		t.grown = t.grown && len(t.tree) > 0
		s.env.Trace(Pruned{t.id, l.peer, why})
	}
}

// pruneAll does so for several topics.
func (s *trees) pruneAll(l *link, ids []engine.ID, why string) {
	for _, id := range ids {
		if t := s.topics.of[id]; t != nil {
			s.prune(t, l, why)
		}
	}
}

// refuse asks a neighbour to take the link out of a topic's tree.
func (s *trees) refuse(l *link, id engine.ID) { s.env.Send(l.peer, &Prune{Topic: id}) }

// maybeMove adds a link to the tree over which an event would have taken a much shorter path. The next event arrives over
// the old link and the new one, and the later of them is pruned: announcing a short path and losing events on it gains nothing.
func (s *trees) maybeMove(e *entry, l *link, hops uint8) {
	t := e.topic
	if s.config.Shorter == 0 || t.moved < s.config.Moves || t.inTree(l) || !l.shares(t.id) ||
		int(hops)+s.config.Shorter > int(e.message.Hops)-1 {
		return
	}
	t.moved = -s.env.Rand().IntN(s.config.Moves) // not all nodes at once
	s.graft(t, l, "shorter")
	s.env.Send(l.peer, &Graft{Topic: t.id})
}
