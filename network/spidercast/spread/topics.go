package spread

import (
	"slices"
	"time"

	"tidings/network/engine"
)

// topic is the state of a topic that is joined, was left lately, or is only published on.
type topic struct {
	id     engine.ID
	joined bool

	// tree is the links that events go over at once; only names go over the others. grown: an event went over all links, or
	// was asked for. Until then a neighbour that grafts early must not keep events from the other links.
	tree  []*link
	grown bool

	// kept is the latest events, oldest first, and bytes how long they are together.
	kept  []*entry
	bytes int

	seen  memory
	moved int // events since another link was tried for the tree
}

func (t *topic) inTree(l *link) bool { return slices.Contains(t.tree, l) }

// find returns an event that is kept; nil: it is not.
func (t *topic) find(digest uint64) *entry {
	for i := len(t.kept) - 1; i >= 0; i-- {
		if t.kept[i].digest == digest {
			return t.kept[i]
		}
	}
	return nil
}

// decides reports whether an event that arrives twice prunes the tree: of several that arrive at about the same time, the
// one with the least digest, at all nodes. Each alone would cut a cycle in one place; together they would cut it to pieces.
func (t *topic) decides(e *entry) bool {
	for _, k := range t.kept {
		if k.digest < e.digest && (k.at-e.at).Abs() < together {
			return false
		}
	}
	return true
}

// together is how long an event usually takes to reach all nodes.
const together = time.Second

// topics is all of a node's topics.
type topics struct {
	*core
	of   map[engine.ID]*topic
	left []*topic // topics that are not joined, oldest first; at most Config.MaxLeft
}

// joined returns a topic that this node follows; nil: it does not.
func (s *topics) joined(id engine.ID) *topic {
	if t := s.of[id]; t != nil && t.joined {
		return t
	}
	return nil
}

func (s *topics) join(id engine.ID) *topic {
	t := s.of[id]
	if t == nil {
		t = &topic{id: id, moved: -s.env.Rand().IntN(s.config.Moves)}
		s.of[id] = t
	}
	t.joined = true
	s.left = slices.DeleteFunc(s.left, func(l *topic) bool { return l == t })
	return t
}

// retire remembers a topic that is not joined. It returns the one that is forgotten to make room; nil: none.
func (s *topics) retire(t *topic) (forgotten *topic) {
	t.joined = false
	s.left = append(s.left, t)
	if len(s.left) <= s.config.MaxLeft {
		return nil
	}
	s.env.Trace(LimitHit{"MaxLeft", s.config.MaxLeft})
	forgotten = s.left[0]
	s.left = slices.Delete(s.left, 0, 1)
	delete(s.of, forgotten.id)
	return forgotten
}

// published returns the topic of an event that is published here, joined or not, and the one that is forgotten to make room.
func (s *topics) published(id engine.ID) (t, forgotten *topic) {
	if t = s.of[id]; t != nil {
		return t, nil
	}
	t = &topic{id: id}
	s.of[id] = t
	return t, s.retire(t)
}

// memory is a set of digests, the latest. The zero memory is empty.
type memory struct{ young, old map[uint64]struct{} }

func (m *memory) has(digest uint64) bool {
	_, young := m.young[digest]
	_, old := m.old[digest]
	return young || old
}

// add adds a digest. The latest are remembered: least of them, and at most twice as many.
func (m *memory) add(digest uint64, least int) {
	if len(m.young) >= least {
		m.young, m.old = nil, m.young
	}
	if m.young == nil {
		m.young = make(map[uint64]struct{})
	}
	m.young[digest] = struct{}{}
}
