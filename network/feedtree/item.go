package feedtree

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"tidings/network/engine"
)

// MaxEntry is the longest entry of an item, in bytes. What is longer travels by reference.
const MaxEntry = 512 << 10

// Hash is the SHA-256 of an item's entry.
type Hash [sha256.Size]byte

// Head returns all of an item but the entry itself.
func (i *Item) Head() *Head {
	return &Head{Number: i.Number, Time: i.Time, Hash: sha256.Sum256(i.Entry), Key: i.Key, Signature: i.Signature}
}

// Sign has the holder of a key sign an item of a topic.
func (i *Item) Sign(topic engine.ID, private ed25519.PrivateKey) {
	i.Key = KeyOf(private)
	i.Signature = ed25519.Sign(private, i.Head().words(topic))
}

// NextTime returns the time for what a publisher signs now. last is the time of its last word, 0 if there was none.
// Times of one publisher's words rise, though its clock be set back.
func NextTime(now time.Time, last int64) int64 { return max(now.UnixMilli(), last+1) }

// Verify returns nil if an item is one of a topic at a time by the calendar, else the reason as a Why. It may be dated
// ahead of the calendar by a little.
func (i *Item) Verify(topic engine.ID, now time.Time, ahead time.Duration) error {
	s := i.statement(topic)
	if why := s.looks(topic, now, ahead); why != Genuine {
		return why
	}
	if !s.signed() {
		return Forged
	}
	return nil
}

// An item's bytes in stores and archives: the number, the time, the key, the signature, the entry.
const (
	beforeKey   = 8 + 8
	beforeEntry = beforeKey + ed25519.PublicKeySize + ed25519.SignatureSize
)

// MaxItem is the most bytes that an item needs in AppendBinary's form.
const MaxItem = beforeEntry + MaxEntry

// ErrItem says that bytes are no item.
var ErrItem = errors.New("no item of a published feed")

// AppendBinary appends the item in the form in which it rests in stores: the same bytes for the same
// item. The topic is not part of it.
func (i *Item) AppendBinary(b []byte) ([]byte, error) {
	if len(i.Signature) != ed25519.SignatureSize || len(i.Entry) > MaxEntry {
		return b, fmt.Errorf("writing an item with a signature of %d bytes and an entry of %d: %w", len(i.Signature),
			len(i.Entry), ErrItem)
	}
	b = binary.BigEndian.AppendUint64(b, i.Number)
	b = binary.BigEndian.AppendUint64(b, uint64(i.Time))
	b = append(append(b, i.Key[:]...), i.Signature...)
	return append(b, i.Entry...), nil
}

// MarshalBinary returns what AppendBinary appends.
func (i *Item) MarshalBinary() ([]byte, error) { return i.AppendBinary(nil) }

// UnmarshalBinary reads what AppendBinary writes. The item shares no memory with b. Nothing is
// verified.
func (i *Item) UnmarshalBinary(b []byte) error {
	if len(b) < beforeEntry || len(b) > MaxItem {
		return fmt.Errorf("reading an item of %d bytes: %w", len(b), ErrItem)
	}
	b = append([]byte(nil), b...)
	*i = Item{
		Number: binary.BigEndian.Uint64(b), Time: int64(binary.BigEndian.Uint64(b[8:])),
		Key: Key(b[beforeKey:]), Signature: b[beforeKey+ed25519.PublicKeySize : beforeEntry : beforeEntry],
	}
	if len(b) > beforeEntry {
		i.Entry = b[beforeEntry:]
	}
	return nil
}
