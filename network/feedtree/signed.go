package feedtree

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/binary"

	"tidings/network/engine"
)

// What is signed begins with words that no other purpose uses, and has a fixed length.
const (
	itemWords       = "tidings feedtree item\n"
	heartbeatWords  = "tidings feedtree heartbeat\n"
	rotationWords   = "tidings feedtree rotation\n"
	revocationWords = "tidings feedtree revocation\n"
)

// words returns what the publisher signs of an item.
func (h *Head) words(topic engine.ID) []byte {
	b := make([]byte, 0, len(itemWords)+len(topic)+8+8+len(h.Hash))
	b = append(append(b, itemWords...), topic[:]...)
	b = binary.BigEndian.AppendUint64(b, h.Number)
	b = binary.BigEndian.AppendUint64(b, uint64(h.Time))
	return append(b, h.Hash[:]...)
}

func (h *Heartbeat) words(topic engine.ID) []byte {
	b := append([]byte(heartbeatWords), topic[:]...)
	b = binary.BigEndian.AppendUint64(b, h.Number)
	b = binary.BigEndian.AppendUint64(b, uint64(h.Time))
	return binary.BigEndian.AppendUint32(b, h.Silence)
}

func (r *Rotation) words() []byte {
	b := append(append([]byte(rotationWords), r.Old[:]...), r.New[:]...)
	return binary.BigEndian.AppendUint64(b, uint64(r.Time))
}

func (r *Revocation) words() []byte {
	b := append([]byte(revocationWords), r.Key[:]...)
	return binary.BigEndian.AppendUint64(b, uint64(r.Time))
}

// Sign has the holder of a key sign a heartbeat of a topic.
func (h *Heartbeat) Sign(topic engine.ID, private ed25519.PrivateKey) {
	h.Key = KeyOf(private)
	h.Signature = ed25519.Sign(private, h.words(topic))
}

// Sign has the holder of the old key sign that the new one follows it.
func (r *Rotation) Sign(old ed25519.PrivateKey) {
	r.Old = KeyOf(old)
	r.Signature = ed25519.Sign(old, r.words())
}

// Sign has the holder of a key sign that it is void.
func (r *Revocation) Sign(private ed25519.PrivateKey) {
	r.Key = KeyOf(private)
	r.Signature = ed25519.Sign(private, r.words())
}

// Signed reports whether the holder of the old key has signed the rotation.
func (r *Rotation) Signed() bool { return r.Old.Signed(r.words(), r.Signature) }

// Signed reports whether the holder of the key has signed the revocation.
func (r *Revocation) Signed() bool { return r.Key.Signed(r.words(), r.Signature) }

// statement is what all that a publisher signs has in common.
type statement struct {
	key       Key
	number    uint64
	time      int64
	words     []byte
	signature []byte
	bytes     int // of the message, about
	tooLong   bool
	item      bool
	revokes   bool
}

// statementOf returns what an event says; false: it is none of a publisher's.
func statementOf(topic engine.ID, event engine.Message) (s statement, ok bool) {
	switch m := event.(type) {
	case *Item:
		return m.statement(topic), true
	case *Head:
		return m.statement(topic), true
	case *Heartbeat:
		return statement{key: m.Key, number: m.Number, time: m.Time, words: m.words(topic), signature: m.Signature},
			true
	case *Rotation:
		return statement{key: m.Old, time: m.Time, words: m.words(), signature: m.Signature}, true
	case *Revocation:
		return statement{key: m.Key, time: m.Time, words: m.words(), signature: m.Signature, revokes: true}, true
	}
	return s, false
}

func (i *Item) statement(topic engine.ID) statement {
	if len(i.Entry) > MaxEntry { // it is not worth hashing
		return statement{key: i.Key, number: i.Number, time: i.Time, tooLong: true, item: true}
	}
	s := i.Head().statement(topic)
	s.bytes += len(i.Entry)
	return s
}

func (h *Head) statement(topic engine.ID) statement {
	return statement{key: h.Key, number: h.Number, time: h.Time, words: h.words(topic), signature: h.Signature,
		item: true}
}

// name distinguishes a statement from all others. Two signatures of the same words by one key are the same
// statement.
func (s *statement) name() [sha256.Size]byte {
	return sha256.Sum256(append(s.key[:len(s.key):len(s.key)], s.words...))
}

func (s *statement) signed() bool { return s.key.Signed(s.words, s.signature) }
