package feedtree

import (
	"encoding/binary"

	"tidings/network/engine"
)

// Admit looks at what goes down a tree, at every node on the way. What a publisher has not signed, or has
// signed long ago, goes no further. Of what was signed long ago the digest says which it is.
func (n *Node) Admit(topic engine.ID, event engine.Message, from engine.Peer) (digest uint64, bytes int, ok bool) {
	s, known := statementOf(topic, event)
	if _, head := event.(*Head); !known || head {
		n.refuse(topic, 0, from, Malformed)
		return 0, 0, false
	}
	why := n.record.judge(topic, &s, from)
	if why == Genuine && (n.record.isStale(topic, event, &s) || n.record.isWithdrawn(topic, event)) {
		why = Replayed
	}
	if why == Genuine && !n.record.note(topic, event, &s) {
		why = Doubled
	}
	name := s.name()
	digest = binary.BigEndian.Uint64(name[:])
	switch why {
	case Genuine:
	case Replayed:
		n.refuse(topic, s.number, from, why)
		return digest, 0, false
	default:
		n.refuse(topic, s.number, from, why)
		return 0, 0, false
	}
	if item, ok := event.(*Item); ok {
		n.record.passed.add(topic, item)
	}
	return digest, s.bytes, true
}
