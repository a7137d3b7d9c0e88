package feedtree

import (
	"crypto/sha256"
	"encoding/binary"
	"time"

	"tidings/network/engine"
)

// mark is how far a topic has come, as far as this node knows.
type mark struct {
	number uint64
	time   int64
}

// What is further back than this was said before and has been mended long since; who sends it down a
// tree only wants to keep others busy.
const (
	backNumbers = 128
	backTime    = 10 * time.Minute
)

// Admit looks at what goes down a tree, at every node on the way. What a publisher has not signed, or has
// signed long ago, goes no further. Of what was signed long ago the digest says which it is.
func (n *Node) Admit(topic engine.ID, event engine.Message, from engine.Peer) (digest uint64, bytes int, ok bool) {
	s, known := statementOf(topic, event)
	if _, head := event.(*Head); !known || head {
		n.refuse(topic, 0, from, Malformed)
		return 0, 0, false
	}
	why := n.judge(topic, &s, from)
	if why == Genuine && (n.isStale(topic, event, &s) || n.Withdrawn(topic, event)) {
		why = Replayed
	}
	if why == Genuine && !n.note(topic, event, &s) {
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
		n.passed.add(topic, item)
	}
	return digest, s.bytes, true
}

// judge returns what is wrong with a statement. What was found to be signed once is not looked at
// again: copies come from several sides.
func (n *Node) judge(topic engine.ID, s *statement, from engine.Peer) Why {
	if n.isBanned(from.ID) && !n.isSelf(from) {
		return Struck
	}
	if why := s.looks(topic, n.env.Wall(), n.config.Ahead); why != Genuine {
		return why
	}
	if _, void := n.notices.void.get(s.key); void && !s.revokes {
		return Void
	}
	name := s.name()
	name = sha256.Sum256(append(name[:], s.signature...))
	if _, known := n.verified.get(name); known {
		return Genuine
	}
	if !n.verify(s.key, s.words, s.signature) {
		return Forged
	}
	n.verified.put(name, struct{}{})
	return Genuine
}

// isStale reports whether something was said long ago.
func (n *Node) isStale(topic engine.ID, event engine.Message, s *statement) bool {
	m, known := n.marks.get(topic)
	if !known {
		return false
	}
	switch event.(type) {
	case *Item:
		return s.number+backNumbers < m.number && s.time <= m.time
	case *Heartbeat:
		return s.time+backTime.Milliseconds() < m.time
	}
	return false
}

// note takes note of a statement that is signed. It returns false for an item if another has its
// number.
func (n *Node) note(topic engine.ID, event engine.Message, s *statement) bool {
	switch m := event.(type) {
	case *Item:
		if !n.noteHead(topic, m.Head()) {
			return false
		}
		n.withdrawals.note(n, topic, m)
	case *Head:
		if !n.noteHead(topic, m) {
			return false
		}
	case *Rotation:
		n.noteRotation(topic, m)
	case *Revocation:
		n.noteRevocation(topic, m)
	}
	old, _ := n.marks.get(topic)
	n.marks.put(topic, mark{max(old.number, s.number), max(old.time, s.time)})
	return true
}
