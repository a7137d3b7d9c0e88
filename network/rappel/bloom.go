package rappel

import (
	"encoding/binary"
	"math/bits"

	"tidings/network/engine"
)

// filter is a Bloom filter of topics: 1,024 bits, 3 hashes (section 2.2). Topics are hashes already, of
// which three times ten bits are taken. Libraries hide the bits that the utility function counts, so there is none
// here.
type filter [filterBytes / 8]uint64

// hashes returns the bits that stand for a topic.
func hashes(topic engine.ID) [3]uint {
	x := engine.Mix(binary.BigEndian.Uint64(topic[:]) ^ binary.BigEndian.Uint64(topic[12:]))
	return [3]uint{uint(x % 1024), uint(x >> 20 % 1024), uint(x >> 40 % 1024)}
}

func (f *filter) add(topic engine.ID) {
	for _, h := range hashes(topic) {
		f[h/64] |= 1 << (h % 64)
	}
}

// has reports whether the topic may be in the filter; if not, it is not.
func (f *filter) has(topic engine.ID) bool {
	for _, h := range hashes(topic) {
		if f[h/64]>>(h%64)&1 == 0 {
			return false
		}
	}
	return true
}

// count returns how many bits are set.
func (f *filter) count() (n int) {
	for _, w := range f {
		n += bits.OnesCount64(w)
	}
	return n
}

// bytes returns the filter as it travels.
func (f *filter) bytes() (b [filterBytes]byte) {
	for i, w := range f {
		binary.BigEndian.PutUint64(b[8*i:], w)
	}
	return b
}

func filterOf(b [filterBytes]byte) (f filter) {
	for i := range f {
		f[i] = binary.BigEndian.Uint64(b[8*i:])
	}
	return f
}
