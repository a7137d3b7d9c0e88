package rappel

import (
	"encoding/binary"

	"tidings/network/engine"
)

// What signatures begin with, so that one is worth nothing for another purpose.
const (
	updateWords = "tidings rappel update\n"
	voidWords   = "tidings rappel void update\n"
)

// signed returns what the root signs: that an event has a number, or, of a void update, that there is none above it.
func signed(words string, topic engine.ID, s Stamp, digest uint64) []byte {
	data := append([]byte(words), topic[:]...)
	data = binary.BigEndian.AppendUint64(data, s.Epoch)
	data = binary.BigEndian.AppendUint64(data, s.Number)
	return binary.BigEndian.AppendUint64(data, digest)
}

func (f *feed) sign(words string, s Stamp, digest uint64) []byte {
	if f.seams.Keys == nil {
		return nil
	}
	return f.seams.Keys.Sign(signed(words, f.topic, s, digest))
}

// genuine reports whether the root has signed, or the one before, whose updates may be on their way.
func (f *feed) genuine(words string, s Stamp, digest uint64) bool {
	if s.Epoch == 0 || s.Number == 0 && words == updateWords {
		return false
	}
	if f.seams.Keys == nil {
		return true
	}
	data := signed(words, f.topic, s, digest)
	if root := f.root(); !root.IsZero() && f.seams.Keys.Signed(root, data, s.Signature) {
		return true
	}
	return f.now() < f.oldRoot.until && f.seams.Keys.Signed(f.oldRoot.peer, data, s.Signature)
}
