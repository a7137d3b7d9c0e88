package archive

import (
	"crypto/sha256"
	"encoding/binary"
	"strings"

	"tidings/network/engine"
)

// Name is what an item is stored and found by.
type Name struct {
	Topic  engine.ID `cbor:"1,keyasint"`
	Number uint64    `cbor:"2,keyasint"`
}

// keyWords begin what is hashed, as nothing else that is hashed to an ID does.
const keyWords = "tidings archive\n"

// Key returns the point on the ring with the item's owners as its closest nodes.
func (name Name) Key() engine.ID {
	b := make([]byte, 0, len(keyWords)+len(name.Topic)+8)
	b = append(append(b, keyWords...), name.Topic[:]...)
	return engine.IDOf(binary.BigEndian.AppendUint64(b, name.Number))
}

// VoidMark begins the bytes that replace an item which its publisher has withdrawn. A Verifier judges them as any.
const VoidMark = "tidings archive void\n"

// IsVoid reports whether an item was withdrawn.
func IsVoid(bytes []byte) bool { return strings.HasPrefix(string(bytes), VoidMark) }

// PrintOf returns the start of the SHA-256 of an item's bytes, which replicas compare. They keep the item with the
// smaller print. That of a withdrawn item is 0, so that nothing replaces it again.
func PrintOf(bytes []byte) uint64 {
	if IsVoid(bytes) {
		return 0
	}
	sum := sha256.Sum256(bytes)
	return binary.BigEndian.Uint64(sum[:])
}
