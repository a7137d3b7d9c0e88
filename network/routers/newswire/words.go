package newswire

import (
	"crypto/sha256"
	"encoding/binary"
)

// Words returns what the publisher's signature is of. The event stands in it by its ID.
func (m *Item) Words() []byte {
	w := append(make([]byte, 0, 256), "tidings news item\n"...)
	text := func(b string) { w = append(binary.AppendUvarint(w, uint64(len(b))), b...) }
	w = binary.BigEndian.AppendUint64(w, m.ID)
	w = append(w, m.Topic[:]...)
	w = binary.AppendUvarint(w, uint64(len(m.Bits)))
	for _, b := range m.Bits {
		w = binary.BigEndian.AppendUint16(w, b)
	}
	text(string(m.Zone))
	text(m.Predicate)
	return w
}

// Name distinguishes an item from all others: also from those by which another node, or its publisher, sends the same
// event. None but the publisher can make another of that name.
func (m *Item) Name() uint64 {
	h := sha256.New()
	h.Write(m.Publisher.ID[:])
	h.Write(m.Words())
	return binary.BigEndian.Uint64(h.Sum(nil))
}
