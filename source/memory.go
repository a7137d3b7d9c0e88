package source

import (
	"encoding/binary"
	"slices"
	"time"

	"tidings"
	"tidings/source/fetch"
)

// memory is what is remembered of a channel between polls: of its origin, and of the
// content that was accepted from it.
type memory struct {
	origin fetch.Memory

	// accepted is the fingerprint of the content that the latest version has, as it is
	// under the noise known now; 0: none.
	accepted uint64
	// found is when the document of a page's latest version was fetched, to the second.
	found time.Time
	// earlier are fingerprints of versions before it, the newest first. Content that
	// comes back is polled twice: an origin with several servers may serve old
	// content by turns.
	earlier []uint64
	// steady is how many times a change was fetched again and had not changed further.
	steady uint8
	// unordered says that the origin serves a page's lines in an order of chance.
	unordered bool
	// reissued says that the latest document of a feed gave its items new identifiers.
	reissued bool
}

const (
	memoryFormat = 2
	maxEarlier   = 8
	memoryHead   = 3 + 8
	unorderedBit = 0x80 // beside steady, in one byte
	reissuedBit  = 0x40 // also
)

// remembered reads what encode wrote. What cannot be read counts as nothing: the next
// poll is then a first one, which costs the origin a whole fetch and readers nothing.
func remembered(text []byte, id tidings.ChannelID) memory {
	fresh := memory{origin: fetch.NewMemory(id)}
	if len(text) < memoryHead || text[0] != memoryFormat {
		return fresh
	}
	m := memory{steady: text[1] &^ (unorderedBit | reissuedBit), unordered: text[1]&unorderedBit != 0,
		reissued: text[1]&reissuedBit != 0}
	if found := int64(binary.BigEndian.Uint64(text[3:])); found != 0 {
		m.found = time.Unix(found, 0)
	}
	n, text := int(text[2]), text[memoryHead:]
	if n > 1+maxEarlier || len(text) < 8*n {
		return fresh
	}
	for i := range n {
		m.earlier = append(m.earlier, binary.BigEndian.Uint64(text[8*i:]))
	}
	if n > 0 {
		m.accepted, m.earlier = m.earlier[0], m.earlier[1:]
	}
	var err error
	if m.origin, err = fetch.Decode(text[8*n:]); err != nil {
		return fresh
	}
	return m
}

func (m *memory) encode() []byte {
	origin := m.origin.Encode()
	prints := append([]uint64{m.accepted}, m.earlier...)
	b := make([]byte, 0, memoryHead+8*len(prints)+len(origin))
	flags := m.steady
	if m.unordered {
		flags |= unorderedBit
	}
	if m.reissued {
		flags |= reissuedBit
	}
	b = append(b, memoryFormat, flags, byte(len(prints)))
	found := int64(0)
	if !m.found.IsZero() {
		found = m.found.Unix()
	}
	b = binary.BigEndian.AppendUint64(b, uint64(found))
	for _, print := range prints {
		b = binary.BigEndian.AppendUint64(b, print)
	}
	return append(b, origin...)
}

// accept makes content that of the latest version.
func (m *memory) accept(print uint64) {
	if print == m.accepted {
		return
	}
	if m.accepted != 0 {
		m.earlier = slices.Insert(slices.DeleteFunc(m.earlier, func(e uint64) bool { return e == print }), 0,
			m.accepted)
		m.earlier = m.earlier[:min(len(m.earlier), maxEarlier)]
	}
	m.accepted = print
}

// comesBack reports whether content is that of a version before the latest.
func (m *memory) comesBack(print uint64) bool {
	return print != m.accepted && slices.Contains(m.earlier, print)
}

// Forget returns memory without what would let the next poll pass over a document that
// has not changed: for a channel that is to be read by other rules from now on.
func Forget(encoded []byte, id tidings.ChannelID) []byte {
	m := remembered(encoded, id)
	m.forgetDocument()
	m.accepted = 0
	return m.encode()
}

// forgetDocument forgets by what a document is known that has not changed since the last poll.
func (m *memory) forgetDocument() {
	m.origin.ETag, m.origin.LastModified, m.origin.Sum = "", "", [32]byte{}
}
