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

	// tree is the links that events go over at once; only names go over the others. grown: an event went over all
	// links, or was asked for. Until then a neighbour that grafts early must not keep events from the other links.
	tree  []*link
	grown bool

	// kept is the latest events, oldest first, and bytes how long they are together.
	kept  []*entry
	bytes int

	wanted map[uint64]*want // by digest

	seen  memory
	moved int // events since another link was tried for the tree
}

// find returns an event that is kept; nil: it is not.
func (t *topic) find(digest uint64) *entry {
	for _, e := range slices.Backward(t.kept) {
		if e.digest == digest {
			return e
		}
	}
	return nil
}

// decides reports whether an event that arrives twice prunes the tree. Of several that arrive at about the same time,
// it is the one with the least digest, at all nodes. Each alone would cut a cycle in one place; together they would cut
// it to pieces.
func (t *topic) decides(e *entry) bool {
	return !slices.ContainsFunc(t.kept, func(k *entry) bool {
		return k.digest < e.digest &&
			(k.at-e.at).Abs() < together
	})
}

// together is how long an event usually needs to reach all nodes.
const together = time.Second

func (s *Spread) addTopic(id engine.ID) *topic {
	t := &topic{id: id, wanted: make(map[uint64]*want)}
	s.topics[id] = t
	return t
}

// joined returns a topic that this node follows; nil: it does not.
func (s *Spread) joined(id engine.ID) *topic {
	if t := s.topics[id]; t != nil && t.joined {
		return t
	}
	return nil
}

// retire remembers a topic that is not joined. The one that was left first is forgotten to make room.
func (s *Spread) retire(t *topic) {
	t.joined = false
	s.left = append(s.left, t)
	if len(s.left) > s.config.MaxLeft {
		s.env.Trace(LimitHit{"MaxLeft", s.config.MaxLeft})
		s.cache.dropAll(s.left[0])
		delete(s.topics, s.left[0].id)
		s.left = slices.Delete(s.left, 0, 1)
	}
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
	if m.young == nil || len(m.young) >= least {
		m.young, m.old = make(map[uint64]struct{}), m.young
	}
	m.young[digest] = struct{}{}
}
