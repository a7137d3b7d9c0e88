package pieces

import "math/bits"

// Bits says which pieces somebody has: bit i%8, counted from the lowest, of byte i/8.
type Bits []byte

// NewBits returns bits for so many pieces, none of them set.
func NewBits(count int) Bits { return make(Bits, (count+7)/8) }

// Has reports whether piece i is there; no piece beyond the end is.
func (b Bits) Has(i int) bool { return i/8 < len(b) && b[i/8]>>(i%8)&1 == 1 }

// Set notes that piece i, which is not beyond the end, is there.
func (b Bits) Set(i int) { b[i/8] |= 1 << (i % 8) }

// Count returns how many are set.
func (b Bits) Count() (count int) {
	for _, x := range b {
		count += bits.OnesCount8(x)
	}
	return count
}

func (b Bits) clear(i int) { b[i/8] &^= 1 << (i % 8) }
