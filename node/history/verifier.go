package history

import (
	"errors"
	"time"

	"tidings/network/archive"
	"tidings/network/feedtree"
)

// verifier decides which items are genuine: those that a key of the topic has signed, for that number.
type verifier struct{}

// Genuine implements archive.Verifier.
func (verifier) Genuine(name archive.Name, bytes []byte) bool { return verify(name, bytes) == nil }

// Forged implements archive.Verifier: an item that can be read, of that number, which the topic's key has not signed.
func (verifier) Forged(name archive.Name, bytes []byte) bool {
	err := verify(name, bytes)
	return errors.Is(err, feedtree.Forged) || errors.Is(err, feedtree.WrongKey)
}

var errOther = errors.New("an item of another number")

// verify returns why bytes are not the item of a name. What an item says of the time is not held against any clock: all
// nodes must judge alike. Readers do that.
func verify(name archive.Name, bytes []byte) error {
	if archive.IsVoid(bytes) {
		return verifyVoid(name, bytes)
	}
	var item feedtree.Item
	if err := item.UnmarshalBinary(bytes); err != nil {
		return err
	}
	if item.Number != name.Number {
		return errOther
	}
	return item.Verify(name.Topic, time.UnixMilli(item.Time), 0)
}

// voidOf returns what replaces an item that its publisher has withdrawn.
func voidOf(w *feedtree.Withdrawal) []byte { return w.AppendBinary([]byte(archive.VoidMark)) }

// verifyVoid is verify for what was withdrawn.
func verifyVoid(name archive.Name, bytes []byte) error {
	var w feedtree.Withdrawal
	if err := w.UnmarshalBinary(bytes[len(archive.VoidMark):]); err != nil {
		return err
	}
	if w.Number != name.Number {
		return errOther
	}
	return w.Verify(name.Topic)
}
