package newswire

import "encoding/binary"

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
