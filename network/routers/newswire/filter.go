package newswire

import (
	"encoding/binary"
	"fmt"

	"tidings/network/engine"
)

// Shape is the size of the filters in which zones sum up what their members subscribe to: Bloom filters (NewsWire,
// section 6). All nodes of a network have the same.
type Shape struct {
	Bits   int // 1,024 in the paper
	Hashes int // 1 in the paper: a subscription is one bit
}

// Bounds of shapes.
const (
	maxBits   = 1 << 15
	maxHashes = 5
)

// Validate returns what is wrong with s, nil if nothing.
func (s Shape) Validate() error {
	if s.Bits < 8 || s.Bits > maxBits || s.Bits%8 != 0 {
		return fmt.Errorf("newswire: filters have %d bits, not a multiple of 8 up to %d", s.Bits, maxBits)
	}
	if s.Hashes < 1 || s.Hashes > maxHashes {
		return fmt.Errorf("newswire: filters have %d hashes, not 1 to %d", s.Hashes, maxHashes)
	}
	return nil
}

// positions appends the bits of a topic.
func (s Shape) positions(bits []uint16, topic engine.ID) []uint16 {
	for i := range s.Hashes {
		bits = append(bits, uint16(binary.BigEndian.Uint32(topic[4*i:])%uint32(s.Bits)))
	}
	return bits
}

// filter is a set of topics: false claims are possible, false denials not.
type filter []byte

// add adds what stands for a topic.
func (f filter) add(bits []uint16) {
	for _, b := range bits {
		f[b/8] |= 1 << (b % 8)
	}
}

// has reports whether one of the topics with their bits in bits, one topic behind the other, may be in f. It ignores
// bits that f has no room for.
func (s Shape) has(f filter, bits []uint16) bool {
	for ; len(bits) >= s.Hashes; bits = bits[s.Hashes:] {
		all := true
		for _, b := range bits[:s.Hashes] {
			all = all && int(b/8) < len(f) && f[b/8]&(1<<(b%8)) != 0
		}
		if all {
			return true
		}
	}
	return false
}

// Filter returns the filter of topics.
func (s Shape) Filter(topics []engine.ID) []byte {
	f := make(filter, s.Bits/8)
	var bits []uint16
	for _, t := range topics {
		f.add(s.positions(bits[:0], t))
	}
	return f
}

// Has reports whether a topic may be in a filter.
func (s Shape) Has(filter []byte, topic engine.ID) bool {
	return s.has(filter, s.positions(nil, topic))
}
