package feedtree

import (
	"crypto/ed25519"
	"encoding/binary"
	"fmt"

	"tidings/network/engine"
)

// Withdrawal reports that an item was withdrawn: no node may keep it or send it. It is in the item's place in the
// archive. It goes down no tree: there a later version replaces the item.
type Withdrawal struct {
	Number    uint64
	Key       Key
	Signature []byte
}

const withdrawalWords = "tidings feedtree withdrawal\n"

// withdrawalBytes is the length of AppendBinary's form.
const withdrawalBytes = 8 + ed25519.PublicKeySize + ed25519.SignatureSize

func (w *Withdrawal) words(topic engine.ID) []byte {
	return binary.BigEndian.AppendUint64(append([]byte(withdrawalWords), topic[:]...), w.Number)
}

// Sign has the holder of a key sign that an item of a topic is withdrawn.
func (w *Withdrawal) Sign(topic engine.ID, private ed25519.PrivateKey) {
	w.Key = KeyOf(private)
	w.Signature = ed25519.Sign(private, w.words(topic))
}

// Verify returns why a withdrawal is not one of a topic, as a Why; nil: it is one.
func (w *Withdrawal) Verify(topic engine.ID) error {
	switch {
	case !w.Key.belongs(topic):
		return WrongKey
	case !w.Key.Signed(w.words(topic), w.Signature):
		return Forged
	}
	return nil
}

// AppendBinary appends the withdrawal in the form in which it rests in stores. The topic is not part of it.
func (w *Withdrawal) AppendBinary(b []byte) []byte {
	b = binary.BigEndian.AppendUint64(b, w.Number)
	return append(append(b, w.Key[:]...), w.Signature...)
}

// UnmarshalBinary reads what AppendBinary writes. Nothing is verified.
func (w *Withdrawal) UnmarshalBinary(b []byte) error {
	if len(b) != withdrawalBytes {
		return fmt.Errorf("reading a withdrawal of %d bytes: %w", len(b), ErrItem)
	}
	b = append([]byte(nil), b...)
	*w = Withdrawal{Number: binary.BigEndian.Uint64(b), Key: Key(b[8:]), Signature: b[8+ed25519.PublicKeySize:]}
	return nil
}
