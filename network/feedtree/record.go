package feedtree

import (
	"crypto/sha256"
	"time"

	"tidings/network/engine"
)

// record is what this node has seen of publishers' signed words, on topics that it follows or not. It judges
// statements, and detects which are old, which give a number twice, and which keys are void. It keeps the latest of
// all, within bounds.
type record struct {
	env    engine.Env
	ahead  time.Duration // by how much a statement may be dated ahead
	verify Verifier
	// isBanned reports whether a peer is not listened to.
	isBanned func(engine.ID) bool
	// onDoubled is called with the proof when an item comes with the number of another one.
	onDoubled func(*Equivocation)

	verified    recent[[32]byte, struct{}]     // statements, with their signatures
	heads       recent[place, Head]            // of items, to find out which gives a number twice
	marks       recent[engine.ID, mark]        // how far topics have come
	rotated     recent[engine.ID, *Rotation]   // by topic: the first one
	revoked     recent[engine.ID, *Revocation] // by topic
	void        recent[Key, struct{}]
	withdrawals recent[place, uint64] // the items that were withdrawn: by the numbers of those that did so
	passed      passed                // the latest items that went through here
}

// place is where an item belongs.
type place struct {
	topic  engine.ID
	number uint64
}

// mark is how far a topic has come, as far as this node knows.
type mark struct {
	number uint64
	time   int64
}

// Anything further back was said before, and was mended long ago. A node that sends it down a tree only wants to keep
// others busy.
const (
	backNumbers = 128
	backTime    = 10 * time.Minute
)

// maxWithdrawals is how many withdrawn items are remembered: about four bytes of each item's message.
const maxWithdrawals = 1 << 14

func newRecord(env engine.Env, c Config) *record {
	return &record{
		env: env, ahead: c.Ahead, verify: Key.Signed,
		verified:    newRecent[[32]byte, struct{}](c.MaxVerified),
		heads:       newRecent[place, Head](c.MaxVerified),
		marks:       newRecent[engine.ID, mark](c.MaxTopics),
		rotated:     newRecent[engine.ID, *Rotation](c.MaxNotices),
		revoked:     newRecent[engine.ID, *Revocation](c.MaxNotices),
		void:        newRecent[Key, struct{}](c.MaxNotices),
		withdrawals: newRecent[place, uint64](maxWithdrawals),
	}
}

// judge returns what is wrong with a statement that a peer has sent. What was found to be signed once is not looked at
// again: copies come from several sides.
func (r *record) judge(topic engine.ID, s *statement, from engine.Peer) Why {
	if r.isBanned(from.ID) && from.ID != r.env.Self().ID {
		return Struck
	}
	if why := s.looks(topic, r.env.Wall(), r.ahead); why != Genuine {
		return why
	}
	if _, void := r.void.get(s.key); void && !s.revokes {
		return Void
	}
	name := s.name()
	name = sha256.Sum256(append(name[:], s.signature...))
	if _, known := r.verified.get(name); known {
		return Genuine
	}
	if !r.verify(s.key, s.words, s.signature) {
		return Forged
	}
	r.verified.put(name, struct{}{})
	return Genuine
}

// isStale reports whether something was said long ago.
func (r *record) isStale(topic engine.ID, event engine.Message, s *statement) bool {
	m, known := r.marks.get(topic)
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

// note stores a statement that is genuine. It returns false for an item if another has its number, and stores nothing
// then.
func (r *record) note(topic engine.ID, event engine.Message, s *statement) bool {
	switch m := event.(type) {
	case *Item:
		if !r.noteHead(topic, m.Head()) {
			return false
		}
		r.noteWithdrawn(topic, m)
	case *Head:
		if !r.noteHead(topic, m) {
			return false
		}
	case *Rotation:
		r.noteRotation(topic, m)
	case *Revocation:
		r.revoked.put(topic, m)
		r.void.put(m.Key, struct{}{})
	}
	r.advance(topic, s.number, s.time)
	return true
}

// advance notes how far a topic has come. It never goes back.
func (r *record) advance(topic engine.ID, number uint64, at int64) {
	old, _ := r.marks.get(topic)
	r.marks.put(topic, mark{max(old.number, number), max(old.time, at)})
}

// timeOf returns the latest time that was signed on a topic; 0: none is known.
func (r *record) timeOf(topic engine.ID) int64 {
	m, _ := r.marks.get(topic)
	return m.time
}

// noteHead remembers an item with a good signature, and reports whether no other has its number.
func (r *record) noteHead(topic engine.ID, h *Head) bool {
	first, known := r.heads.get(place{topic, h.Number})
	switch {
	case !known:
		r.setHead(topic, h)
	case first.Hash != h.Hash || first.Time != h.Time:
		r.onDoubled(&Equivocation{Topic: topic, First: first, Second: *h})
		return false
	}
	return true
}

// setHead remembers an item as the first of its number.
func (r *record) setHead(topic engine.ID, h *Head) { r.heads.put(place{topic, h.Number}, *h) }

// headOf returns the item that has a number, and whether one is known.
func (r *record) headOf(topic engine.ID, number uint64) (Head, bool) {
	return r.heads.get(place{topic, number})
}

// noteWithdrawn remembers what a genuine item withdraws. It goes from what this node has for others.
func (r *record) noteWithdrawn(topic engine.ID, i *Item) {
	for _, number := range i.Withdraws() {
		r.withdrawals.put(place{topic, number}, i.Number)
		r.passed.remove(topic, number)
	}
}

// isWithdrawn reports whether an event is an item that was withdrawn.
func (r *record) isWithdrawn(topic engine.ID, event engine.Message) bool {
	if named, ok := event.(*Named); ok {
		event = named.Event
	}
	i, ok := event.(*Item)
	if !ok {
		return false
	}
	_, withdrawn := r.withdrawals.get(place{topic, i.Number})
	return withdrawn
}

// noteRotation remembers which key follows that of a topic: the first that was named.
func (r *record) noteRotation(topic engine.ID, m *Rotation) {
	first, known := r.rotated.get(topic)
	switch {
	case !known:
		r.rotated.put(topic, m)
	case first.New != m.New:
		r.env.Trace(Disputed{topic, *first, *m})
	}
}

// disputes reports whether a rotation names another key than the first of its topic did.
func (r *record) disputes(topic engine.ID, m *Rotation) bool {
	first, known := r.rotated.get(topic)
	return known && first.New != m.New
}

// isRevoked reports whether the key of a topic is void.
func (r *record) isRevoked(topic engine.ID) bool {
	_, revoked := r.revoked.get(topic)
	return revoked
}

// noticesOn returns what is known of the key of a topic.
func (r *record) noticesOn(topic engine.ID) (list []engine.Message) {
	if m, known := r.rotated.get(topic); known {
		list = append(list, m)
	}
	if m, known := r.revoked.get(topic); known {
		list = append(list, m)
	}
	return list
}
