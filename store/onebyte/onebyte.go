// Package onebyte finds which single byte of a page or a log has changed on the disk, and puts it right. A checksum of
// 64 bits distinguishes the one change that is right from the million that are possible. A page of a table without rows
// is known by its checksum alone, whatever has changed in it.
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

// Mend changes one byte of data so that it is right, and reports whether there is exactly one such change; else it
// leaves data as it is. Where right is strong, the first such change is the one that there is.
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

// near reports whether two checksums differ in two bytes at most. That two pages' do by chance has a probability of
// 10^-13.
func near(a, b uint64) bool {
	differ := 0
	for x := a ^ b; x != 0; x >>= 8 {
		if x&0xff != 0 {
			differ++
		}
	}
	return differ <= 2
}

// Kinds of pages, by their first byte: sqlite.org/fileformat2.html, b-tree pages.
const (
	leafOfIndex = 10
	leafOfTable = 13
)

// blank makes content a page of a tree that has never had a row.
func blank(content []byte, kind byte) {
	clear(content)
	content[0] = kind
	binary.BigEndian.PutUint16(content[5:], uint16(len(content))) // where cells begin
}

// MendPage puts a page right that ends with its hash, which is little-endian. It reports whether the page is right
// then.
func MendPage(page []byte, hash func(content []byte) uint64) bool {
	content, end := page[:len(page)-8], page[len(page)-8:]
	want := binary.LittleEndian.Uint64(end)
	if has := hash(content); near(has, want) {
		binary.LittleEndian.PutUint64(end, has)
		return true
	}
	empty := make([]byte, len(content))
	for _, kind := range []byte{leafOfTable, leafOfIndex} {
		blank(empty, kind)
		if has := hash(empty); near(has, want) {
			copy(content, empty)
			binary.LittleEndian.PutUint64(end, has)
			return true
		}
	}
	return Mend(content, true, func(b []byte) bool { return hash(b) == want })
}
