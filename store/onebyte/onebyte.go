// Package onebyte finds which single byte of a page or a log has changed on the disk, and puts it right. A checksum of 64
// bits tells the one change that is right from the million that are possible.
package onebyte

import (
	"encoding/binary"
	"math/bits"
)

// changes are all changes of a byte, those of single bits first: they are the most likely.
func changes() (bit, other []byte) {
	for change := 1; change < 256; change++ {
		if bits.OnesCount(uint(change)) == 1 {
			bit = append(bit, byte(change))
		} else {
			other = append(other, byte(change))
		}
	}
	return bit, other
}

// Mend changes one byte of data so that it is right, and reports whether there is exactly one such change; else it leaves
// data as it is. Where right is strong, the first such change is the one that there is.
func Mend(data []byte, strong bool, right func([]byte) bool) bool {
	where, value := -1, byte(0)
	bit, other := changes()
	for _, some := range [][]byte{bit, other} {
		for i, was := range data {
			for _, change := range some {
				data[i] = was ^ change
				if !right(data) {
					continue
				}
				if strong {
					return true
				}
				if where >= 0 {
					data[i] = was
					return false
				}
				where, value = i, data[i]
			}
			data[i] = was
		}
	}
	if where < 0 {
		return false
	}
	data[where] = value
	return true
}

// near reports whether two checksums differ in one byte, or not at all.
func near(a, b uint64) bool {
	x := a ^ b
	return x == 0 || (bits.LeadingZeros64(x)/8+bits.TrailingZeros64(x)/8) == 7
}

// MendPage puts a page right that ends with its hash, which is little-endian. It reports whether the page is right then.
func MendPage(page []byte, hash func(content []byte) uint64) bool {
	content, end := page[:len(page)-8], page[len(page)-8:]
	want := binary.LittleEndian.Uint64(end)
	if has := hash(content); near(has, want) {
		binary.LittleEndian.PutUint64(end, has)
		return true
	}
	return Mend(content, true, func(b []byte) bool { return hash(b) == want })
}
