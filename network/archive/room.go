package archive

import (
	"slices"

	"tidings/network/engine"
)

// maxGoing bounds how many items go for one.
const maxGoing = 1024

// roomFor returns what has to go for an item, in the place of old if that is not nil. See the package
// comment.
func (n *Node) roomFor(e, old *entry) (going []*entry, why Refusal) {
	total := n.held.bytes + int64(e.Size)
	items := len(n.held.names) + 1
	topic := int64(e.Size)
	if u := n.held.topics[e.Name.Topic]; u != nil {
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
		case topic > n.config.MaxTopicBytes:
			v, why = n.farthest(going, old, &e.Name.Topic), TopicFull
		case total > n.config.MaxBytes || items > n.config.MaxItems:
			v, why = n.farthest(going, old, nil), Full
		default:
			return going, Accepted
		}
		if v == nil || !n.yields(v, e.key) || len(going) == maxGoing {
			return nil, why
		}
		going = append(going, v)
		free(v)
	}
}

// trim forgets what the store holds beyond the bounds of the whole, which may have been others before.
func (n *Node) trim() {
	var names []Name
	for n.held.bytes > n.config.MaxBytes || len(n.held.names) > n.config.MaxItems {
		v := n.farthest(nil, nil, nil)
		if v == nil {
			break
		}
		n.held.remove(v)
		names = append(names, v.Name)
		n.env.Trace(Dropped{v.Name, false})
	}
	if len(names) > 0 {
		n.store.Drop(names)
	}
}

// yields reports whether an item goes for one with a key.
func (n *Node) yields(v *entry, key engine.ID) bool {
	self := n.env.Self().ID
	return !n.owns(v.key) || self.Distance(key).Compare(self.Distance(v.key)) < 0
}

// farthest returns what is dropped first, of one topic if one is given: of what this node does not own,
// or else of all, what lies farthest.
func (n *Node) farthest(but []*entry, also *entry, topic *engine.ID) *entry {
	self := n.env.Self().ID
	far := opposite(self)
	var above, below *entry
	fits := func(e *entry) bool {
		return !e.coming && e != also && (topic == nil || e.Name.Topic == *topic) && !slices.Contains(but, e)
	}
	n.held.up(keyRange{far, far}, func(e *entry) bool {
		if fits(e) {
			above = e
		}
		return above == nil
	})
	n.held.down(far, func(e *entry) bool {
		if fits(e) {
			below = e
		}
		return below == nil
	})
	switch {
	case above == nil:
		return below
	case n.owns(above.key) != n.owns(below.key):
		if n.owns(above.key) {
			return below
		}
		return above
	case self.Distance(above.key).Compare(self.Distance(below.key)) > 0:
		return above
	}
	return below
}
