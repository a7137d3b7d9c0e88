// Package interest says what nodes of Rappel want, and how useful a set of friends is to one: sections 2.2 and 3.2 of
// the paper, and Algorithm 1. It knows no messages and no nodes.
package interest

import (
	"encoding/binary"
	"math/bits"

	"tidings/network/engine"
)

// Bytes is how long a Filter is on the wire.
const Bytes = 128

// Filter is a Bloom filter of topics: 1,024 bits, 3 hashes (section 2.2). Topics are hashes already; three times ten
// bits of them are used. It is a plain array, which can be compared and copied and lies in its owner. The reason is
// that the utility of friends is often counted, bit by bit. The filters of libraries are objects with a hash and a
// slice of their own.
type Filter [Bytes / 8]uint64

// hashes returns the bits that stand for a topic.
func hashes(topic engine.ID) [3]uint {
	x := engine.Mix(binary.BigEndian.Uint64(topic[:]) ^ binary.BigEndian.Uint64(topic[12:]))
	return [3]uint{uint(x % 1024), uint(x >> 20 % 1024), uint(x >> 40 % 1024)}
}

// Add puts a topic in.
func (f *Filter) Add(topic engine.ID) {
	for _, h := range hashes(topic) {
		f[h/64] |= 1 << (h % 64)
	}
}

// Has reports whether the topic may be in the filter; if not, it is not.
func (f *Filter) Has(topic engine.ID) bool {
	for _, h := range hashes(topic) {
		if f[h/64]>>(h%64)&1 == 0 {
			return false
		}
	}
	return true
}

// Unite puts in all that is in another filter.
func (f *Filter) Unite(other *Filter) {
	for w := range f {
		f[w] |= other[w]
	}
}

// AloneHas reports whether f has at least one of the wanted bits that others lack.
func (f *Filter) AloneHas(wanted, others *Filter) bool {
	for w := range f {
		if wanted[w]&f[w]&^others[w] != 0 {
			return true
		}
	}
	return false
}

// count returns how many bits are set.
func (f *Filter) count() (n int) {
	for _, w := range f {
		n += bits.OnesCount64(w)
	}
	return n
}

// Wire returns the filter as it travels.
func (f *Filter) Wire() (b [Bytes]byte) {
	for i, w := range f {
		binary.BigEndian.PutUint64(b[8*i:], w)
	}
	return b
}

// FromWire returns the filter that travelled as b.
func FromWire(b [Bytes]byte) (f Filter) {
	for i := range f {
		f[i] = binary.BigEndian.Uint64(b[8*i:])
	}
	return f
}
