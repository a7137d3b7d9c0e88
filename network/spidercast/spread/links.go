package spread

import (
	"slices"

	"tidings/network/engine"
)

// link is a link to a neighbour. Its size does not depend on topics or events.
type link struct {
	peer   engine.Peer
	serial uint32      // unique among all links that this node ever has
	shared []engine.ID // topics that may be sent over it, sorted; not a copy
	news   news

	intake engine.Bucket // messages that will be handled
	serve  engine.Bucket // bytes of requested events that will be sent

	wanted int // missing events that it has announced
	asked  int // missing events that it is asked for
	record record
}

// shares reports whether events of a topic may be sent over the link.
func (l *link) shares(topic engine.ID) bool { return has(l.shared, topic) }

func has(sorted []engine.ID, id engine.ID) bool {
	_, found := slices.BinarySearchFunc(sorted, id, engine.ID.Compare)
	return found
}

// links is a node's neighbours.
type links struct {
	*core
	of     map[engine.ID]*link
	list   []*link // in the order in which they came
	serial uint32
}

// add makes a link.
func (s *links) add(p engine.Peer, shared []engine.ID) *link {
	s.serial++
	l := &link{
		peer: p, serial: s.serial, shared: sorted(shared),
		news:   news{number: s.env.Rand().Uint32()},
		intake: engine.NewBucket(s.config.Intake, s.config.IntakeBurst),
		serve:  engine.NewBucket(s.config.Serve, s.config.ServeBurst),
		record: record{last: -s.config.Answer},
	}
	s.of[p.ID] = l
	s.list = append(s.list, l)
	return l
}

func (s *links) remove(l *link) {
	l.news.alarm.Stop()
	delete(s.of, l.peer.ID)
	s.list = slices.DeleteFunc(s.list, func(k *link) bool { return k == l })
}

// sharing returns the links over which events of a topic may be sent.
func (s *links) sharing(topic engine.ID) (list []*link) {
	for _, l := range s.list {
		if l.shares(topic) {
			list = append(list, l)
		}
	}
	return list
}

// sorted returns the list itself if it is sorted.
func sorted(ids []engine.ID) []engine.ID {
	if slices.IsSortedFunc(ids, engine.ID.Compare) {
		return ids
	}
	return slices.SortedFunc(slices.Values(ids), engine.ID.Compare)
}

// without returns what is in a and not in b, both sorted.
func without(a, b []engine.ID) (rest []engine.ID) {
	for _, id := range a {
		if !has(b, id) {
			rest = append(rest, id)
		}
	}
	return rest
}
