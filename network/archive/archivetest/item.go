package archivetest

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"

	"tidings/network/archive"
	"tidings/network/engine"
)

// sealLength is how many bytes at the end of an item stand for the publisher's signature.
const sealLength = 16

// Topic returns the i-th topic.
func Topic(i int) engine.ID { return engine.IDOf(fmt.Append(nil, "topic ", i)) }

// Item returns what is published under a name: so many bytes.
func Item(name archive.Name, length int) []byte { return Variant(name, length, 0) }

// Variant returns one of several items of a name, as an equivocating publisher makes them.
func Variant(name archive.Name, length int, variant byte) []byte {
	b := make([]byte, max(1, length-sealLength), max(1, length-sealLength)+sealLength)
	b[0] = variant
	for i := 1; i < len(b); i++ {
		b[i] = byte(uint64(i) * (name.Number + 7))
	}
	return append(b, seal(name, b)...)
}

// Void returns the void that replaces an item that was withdrawn.
func Void(name archive.Name) []byte { return append([]byte(archive.VoidMark), Item(name, 50)...) }

func seal(name archive.Name, content []byte) []byte {
	h := sha256.New()
	h.Write([]byte("the publisher's secret"))
	h.Write(name.Topic[:])
	h.Write(binary.BigEndian.AppendUint64(nil, name.Number))
	h.Write(content)
	return h.Sum(nil)[:sealLength]
}

// Judge accepts what Item, Variant and Void return.
type Judge struct{}

// Forged reports whether bytes are long enough for a seal, which is a false one then.
func (j Judge) Forged(name archive.Name, bytes []byte) bool {
	return len(bytes) > sealLength && !j.Genuine(name, bytes)
}

// Genuine reports whether bytes carry the seal that belongs to them and the name.
func (Judge) Genuine(name archive.Name, bytes []byte) bool {
	if archive.IsVoid(bytes) {
		bytes = bytes[len(archive.VoidMark):]
	}
	at := len(bytes) - sealLength
	return at > 0 && string(seal(name, bytes[:at])) == string(bytes[at:])
}
