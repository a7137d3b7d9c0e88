package volunteer

import (
	"crypto/sha256"
	"encoding/binary"
	"time"

	"tidings/network/engine"
)

// polledWords begin what a finder signs, and nothing else that is signed.
const polledWords = "tidings volunteer polled\n"

// words returns what the finder signs.
func (m *PollReport) words() []byte {
	payload := sha256.Sum256(m.Payload)
	b := make([]byte, 0, len(polledWords)+2*len(m.Channel)+16+3*len(payload)+len(m.Finder.Address))
	b = append(append(b, polledWords...), m.Channel[:]...)
	b = append(b, m.Finder.ID[:]...)
	b = binary.BigEndian.AppendUint64(b, uint64(m.Time))
	b = binary.BigEndian.AppendUint64(b, uint64(m.Modified))
	b = append(append(b, m.Base[:]...), m.Hash[:]...)
	return append(append(b, payload[:]...), m.Finder.Address...)
}

func (n *Node) sign(m *PollReport) {
	if n.keys != nil {
		m.Signature = n.keys.Sign(m.words())
	}
}

// genuine reports whether the named node has signed this, of this channel, neither too long ago nor in the future.
func (n *Node) genuine(topic engine.ID, m *PollReport) bool {
	age := n.age(m)
	if age < -n.config.Ahead || age > time.Duration(n.config.Trust)*n.config.Interval+n.config.Ahead {
		return false
	}
	if m.Finder.IsZero() || topic != TopicOf(m.Channel) {
		return false
	}
	return n.keys == nil ||
		len(m.Signature) == engine.SignatureLength && n.keys.Signed(m.Finder, m.words(), m.Signature)
}
