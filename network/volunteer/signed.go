package volunteer

import (
	"crypto/sha256"
	"encoding/binary"

	"tidings/network/engine"
)

// lookedWords begin what a finder signs, and nothing else that is signed.
const lookedWords = "tidings volunteer looked\n"

// words returns what the finder signs.
func (m *Looked) words(channel engine.ID) []byte {
	payload := sha256.Sum256(m.Payload)
	b := make([]byte, 0, len(lookedWords)+2*len(channel)+8+2*len(payload))
	b = append(append(b, lookedWords...), channel[:]...)
	b = append(b, m.Finder.ID[:]...)
	b = binary.BigEndian.AppendUint64(b, uint64(m.Time))
	return append(append(b, m.Hash[:]...), payload[:]...)
}

func (n *Node) sign(channel engine.ID, m *Looked) {
	if n.keys != nil {
		m.Signature = n.keys.Sign(m.words(channel))
	}
}

// genuine tells whether who is named has said this, not longer ago than it counts, and not in the future.
func (n *Node) genuine(channel engine.ID, m *Looked) bool {
	age := n.env.Wall().UnixMilli() - m.Time
	if age < -n.config.Ahead.Milliseconds() || m.Finder.IsZero() {
		return false
	}
	return n.keys == nil ||
		len(m.Signature) == engine.SignatureLength && n.keys.Signed(m.Finder, m.words(channel), m.Signature)
}
