package interest

import (
	"math"
	"math/bits"

	"tidings/network/engine"
)

// A filter is a byte that says how many hashes there are, then a power of two of bytes with the filter's bits. Its size
// comes from the number of topics: at least bitsPerTopic for each, up to MaxFilter. Libraries bring filters with
// encodings of their own, of which none is as short or can be judged as strictly.
const (
	bitsPerTopic = 10
	minFilter    = 64 // bytes
	maxHashes    = 7  // the best for 10 bits a topic: one false claim in 120
)

func filterOf(names []Name) Set {
	size := minFilter
	for size < MaxFilter && 8*size < bitsPerTopic*len(names) {
		size *= 2
	}
	// With b bits a topic, b·ln 2 hashes make the fewest false claims.
	hashes := max(1, min(maxHashes, 8*size*7/(10*len(names))))
	s := make(Set, 1+size)
	s[0] = byte(hashes)
	for _, n := range names {
		h := hashOf(n)
		for range hashes {
			at := h.next(size)
			s[1+at/8] |= 1 << (at % 8)
		}
	}
	return s
}

func (s Set) validateFilter() error {
	size := len(s) - 1
	if size < minFilter || size > MaxFilter || bits.OnesCount(uint(size)) != 1 || s[0] < 1 || s[0] > maxHashes {
		return ErrInvalid
	}
	return nil
}

func (s Set) filterHas(n Name) bool {
	h := hashOf(n)
	for range s[0] {
		if at := h.next(len(s) - 1); s[1+at/8]>>(at%8)&1 == 0 {
			return false
		}
	}
	return true
}

// filterLen estimates how many topics set the bits that are set: m/k·ln(m/zeros).
func (s Set) filterLen() int {
	all, set := 8*(len(s)-1), 0
	for _, b := range s[1:] {
		set += bits.OnesCount8(b)
	}
	if set == all {
		return math.MaxInt32 // it claims everything
	}
	return int(math.Round(float64(all) / float64(s[0]) * math.Log(float64(all)/float64(all-set))))
}

// hash draws the bits that stand for a topic: a start and a step, both from its name.
type hash struct{ at, step uint64 }

func hashOf(n Name) hash {
	x := engine.Mix(uint64(n))
	return hash{x >> 32, x<<32>>32 | 1}
}

// next returns a bit of a filter of so many bytes, a power of two.
func (h *hash) next(size int) uint64 {
	at := h.at % uint64(8*size)
	h.at += h.step
	return at
}
