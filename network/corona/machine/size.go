package machine

import (
	"encoding/binary"
	"math"

	"tidings/network/engine"
)

// Size is the size of a channel's polling set: a run of adjacent sub-prefixes around the channel's ID. The run has Run
// of the 2^Bits sub-prefixes of Bits bits. The zero Size is the whole ring. A run of one is the paper's wedge (section
// 3.1): all nodes that share the channel's first Bits bits.
type Size struct {
	Bits uint8 `cbor:"1,keyasint"` // at most MaxSizeBits
	Run  uint8 `cbor:"2,keyasint"` // at least 1, and at most 2^Bits; 0 counts as 1
}

// MaxSizeBits is the longest sub-prefix of a polling set. Alone has that length: in rings of a possible size no node is
// in it.
const MaxSizeBits = 64

// Alone is the size of a set of the channel's primary only, which is in every set.
var Alone = Size{MaxSizeBits, 1}

// Steps is how many sizes there are between a set and one of half its nodes: neighbouring sizes differ by less than a
// hundredth. So a set of fewer than a hundred nodes can have any number of them.
const Steps = 128

// fineBits is how many bits more a sub-prefix of a fine size has than one whose set would be a run of one.
const fineBits = 8

// Fine returns the k-th of the sizes that differ by a step: 0 is the whole ring, Steps half of it, 2*Steps a quarter.
// From about 7,200 on it is Alone.
func Fine(k int) Size {
	if k <= 0 {
		return Size{}
	}
	bits := fineBits + (k-1)/Steps
	if bits >= MaxSizeBits {
		return Alone
	}
	return Size{uint8(bits), uint8(2*Steps - 1 - (k-1)%Steps)}
}

// Valid reports whether the size exists. Sizes from peers must be checked.
func (s Size) Valid() bool {
	return s.Bits <= MaxSizeBits && (s.Bits >= 8 || int(s.run()) <= 1<<s.Bits)
}

func (s Size) run() uint8 { return max(1, s.Run) }

// Share returns the mean fraction of all nodes in a set of that size.
func (s Size) Share() float64 { return float64(s.run()) * share(int(s.Bits)) }

// share returns the fraction of the ring that has so many given bits: 1/2^bits. math.Ldexp would be too slow.
func share(bits int) float64 { return math.Float64frombits(uint64(1023-bits) << 52) }

// Within reports whether a set of size s covers no more of the ring than one of size t.
func (s Size) Within(t Size) bool { return s.Share() <= t.Share() }

// Arc is the part of the ring of a channel's polling set. It uses the first 64 bits of IDs.
type Arc struct {
	from  uint64 // the first sub-prefix, as a number of Bits bits
	run   uint64 // how many sub-prefixes
	shift uint8  // 64 - Bits
}

// ArcOf returns the arc of size s around a channel, which is in its middle, within half a sub-prefix.
func ArcOf(channel engine.ID, s Size) Arc {
	a := Arc{run: uint64(s.run()), shift: 64 - s.Bits}
	at := first(channel)
	middle := (at >> a.shift) & a.mask()
	before := (a.run - 1) / 2
	if a.run%2 == 0 && s.Bits < 64 && at>>(a.shift-1)&1 == 0 { // the channel is in the lower half of its sub-prefix
		before = a.run / 2
	}
	a.from = (middle - before) & a.mask()
	return a
}

// mask has a bit for each bit of a sub-prefix. Shifting by 64 gives 0, as it should.
func (a Arc) mask() uint64 { return ^uint64(0) >> a.shift }

func first(id engine.ID) uint64 { return binary.BigEndian.Uint64(id[:]) }

// Contains reports whether a node is in the set.
func (a Arc) Contains(id engine.ID) bool {
	if a.shift == 64 {
		return true
	}
	return (first(id)>>a.shift-a.from)&a.mask() < a.run
}

// Overlap returns the fraction in the arc of the region of all IDs that share the first bits of id.
func (a Arc) Overlap(id engine.ID, bits int) float64 {
	length := 64 - int(a.shift) // of sub-prefixes
	switch {
	case length == 0:
		return 1
	case bits >= length:
		if a.Contains(id) {
			return 1
		}
		return 0
	}
	inside := uint64(1) << (length - bits) // sub-prefixes of the region; 0: 2^64 of them
	start := first(id) >> a.shift &^ (inside - 1)
	offset := (start - a.from) & a.mask()
	var common uint64
	if offset < a.run {
		common = min(a.run-offset, inside)
	}
	// The region may reach around to the beginning of the arc.
	if left := a.mask() - offset; inside-1 > left { // inside > left + 1, which may be 2^64
		common += min(inside-1-left, a.run)
	}
	return min(1, float64(common)*share(length-bits))
}
