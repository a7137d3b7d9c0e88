package archive

import (
	"slices"

	"tidings/network/engine"
)

// maxGoing bounds how many items go for one.
const maxGoing = 1024

// roomFor returns what has to go for an item, in the place of old if that is not nil. See the package
// comment.
func (s *stock) roomFor(e, old *entry) (going []*entry, why Refusal) {
	total := s.held.bytes + int64(e.Size)
	items := len(s.held.names) + 1
	topic := int64(e.Size)
	if u := s.held.topics[e.Name.Topic]; u != nil {
		topic += u.bytes
	}
	free := func(v *entry) {
		total -= int64(v.Size)
		items--
		if v.Name.Topic == e.Name.Topic {
			topic -= int64(v.Size)
		}
	}
	if old != nil {
		free(old)
	}
	for {
		var v *entry
		switch {
		case topic > s.config.MaxTopicBytes:
			v, why = s.farthest(going, old, &e.Name.Topic), TopicFull
		case total > s.config.MaxBytes || items > s.config.MaxItems:
			v, why = s.farthest(going, old, nil), Full
		default:
			return going, Accepted
		}
		if v == nil || !s.yields(v, e.key) || len(going) == maxGoing {
			return nil, why
		}
		going = append(going, v)
		free(v)
	}
}

// trim forgets what the store holds beyond the bounds of the whole, which may have been others before.
func (s *stock) trim() {
	var names []Name
	for s.held.bytes > s.config.MaxBytes || len(s.held.names) > s.config.MaxItems {
		v := s.farthest(nil, nil, nil)
		if v == nil {
			break
		}
		s.held.remove(v)
		names = append(names, v.Name)
		s.env.Trace(Dropped{v.Name, false})
	}
	if len(names) > 0 {
		s.store.Drop(names)
	}
}

// yields reports whether an item goes for one with a key.
func (s *stock) yields(v *entry, key engine.ID) bool {
	self := s.env.Self().ID
	return !s.node.owns(v.key) || self.Distance(key).Compare(self.Distance(v.key)) < 0
}

// farthest returns what is dropped first, of one topic if one is given. That is the farthest of what this node does not
// own, or else of all.
func (s *stock) farthest(but []*entry, also *entry, topic *engine.ID) *entry {
	self := s.env.Self().ID
	far := opposite(self)
	var above, below *entry
	fits := func(e *entry) bool {
		return !e.coming && e != also && (topic == nil || e.Name.Topic == *topic) && !slices.Contains(but, e)
	}
	s.held.up(keyRange{far, far}, func(e *entry) bool {
		if fits(e) {
			above = e
		}
		return above == nil
	})
	s.held.down(far, func(e *entry) bool {
		if fits(e) {
			below = e
		}
		return below == nil
	})
	switch {
	case above == nil:
		return below
	case s.node.owns(above.key) != s.node.owns(below.key):
		if s.node.owns(above.key) {
			return below
		}
		return above
	case self.Distance(above.key).Compare(self.Distance(below.key)) > 0:
		return above
	}
	return below
}
