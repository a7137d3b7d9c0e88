package onebyte

import (
	"bytes"
	"encoding/binary"
	"maps"
	"slices"
)

// The format of SQLite's log: sqlite.org/fileformat2.html, "The Write-Ahead Log".
const (
	headerBytes = 32 // magic, version, page size, sequence, two salts, checksum
	frameHeader = 24 // page number, pages after a commit or 0, two salts, checksum

	littleEndian = 0x377f0682 // magic numbers, by the order of the words that checksums are of
	bigEndian    = 0x377f0683
)

// LogDamage is what was wrong with a log.
type LogDamage struct {
	Mended int // pages or headers that were put right
	Lost   int // transactions that SQLite passes over in silence, as they are behind what is wrong still
}

// MendLog puts right a log of which single bytes have changed. What a power cut leaves at the end, a transaction
// that is not whole, is no damage.
func MendLog(log []byte) (d LogDamage) {
	if len(log) < headerBytes {
		return d
	}
	header := log[:headerBytes]
	if bytes.Equal(header, make([]byte, headerBytes)) {
		return d // it was never begun
	}
	if !headerRight(header) {
		if !Mend(header, false, func([]byte) bool { return headerRight(header) && leads(log) }) {
			d.Lost = 1 // at least
			return d
		}
		d.Mended++
	}
	l, frames := readLog(log)
	before := binary.BigEndian.Uint64(header[24:])
	for i, frame := range frames {
		if !l.right(frame, before) {
			// Else it may be from before the log began anew.
			ours := near(binary.BigEndian.Uint64(frame[8:]), l.salts)
			if !ours || d.Mended == maxTried ||
				!l.mend(frame, before, slices.Concat(frames[i+1:min(i+2, len(frames))]...)) {
				d.Lost = l.lost(frames[i:])
				return d
			}
			d.Mended++
		}
		before = binary.BigEndian.Uint64(frame[16:])
	}
	return d
}

// leads reports whether a log's header, which is right, leads to its first frame.
func leads(log []byte) bool {
	l, frames := readLog(log)
	return len(frames) == 0 || l.right(frames[0], binary.BigEndian.Uint64(log[24:]))
}

// readLog returns the whole frames of a log of which the header is right.
func readLog(log []byte) (l logReader, frames [][]byte) {
	l = logReader{salts: binary.BigEndian.Uint64(log[16:]), order: order(log)}
	rest := log[headerBytes:]
	for size := frameHeader + int(binary.BigEndian.Uint32(log[8:])); len(rest) >= size; rest = rest[size:] {
		frames = append(frames, rest[:size:size])
	}
	return l, frames
}

func order(header []byte) binary.ByteOrder {
	if binary.BigEndian.Uint32(header) == bigEndian {
		return binary.BigEndian
	}
	return binary.LittleEndian
}

func headerRight(header []byte) bool {
	magic := binary.BigEndian.Uint32(header)
	size := binary.BigEndian.Uint32(header[8:])
	return (magic == bigEndian || magic == littleEndian) && size >= 512 && size <= 1<<16 && size&(size-1) == 0 &&
		checksum(order(header), 0, header[:24]) == binary.BigEndian.Uint64(header[24:])
}

// checksum goes on with a checksum, of which the first half has the higher bits.
func checksum(order binary.ByteOrder, before uint64, data []byte) uint64 {
	a, b := uint32(before>>32), uint32(before)
	if order == binary.LittleEndian { // without a call for each word
		for ; len(data) >= 8; data = data[8:] {
			a += binary.LittleEndian.Uint32(data) + b
			b += binary.LittleEndian.Uint32(data[4:]) + a
		}
	}
	for ; len(data) >= 8; data = data[8:] {
		a += order.Uint32(data) + b
		b += order.Uint32(data[4:]) + a
	}
	return uint64(a)<<32 | uint64(b)
}

// logReader knows what all frames of a log have in common.
type logReader struct {
	salts uint64
	order binary.ByteOrder
}

// sum is what a frame's checksum has to be, by that of the frame before.
func (l logReader) sum(frame []byte, before uint64) uint64 {
	return checksum(l.order, checksum(l.order, before, frame[:8]), frame[frameHeader:])
}

func (l logReader) right(frame []byte, before uint64) bool {
	return binary.BigEndian.Uint64(frame[8:]) == l.salts && l.sum(frame, before) == binary.BigEndian.Uint64(frame[16:])
}

// mend puts a frame right of which one byte has changed. Its checksum is weak: some changes of the page change one byte
// of it, too. Next is the frame behind it, whose checksum goes on with the one of this; it is empty if there is none.
func (l logReader) mend(frame []byte, before uint64, next []byte) bool {
	want, sum := binary.BigEndian.Uint64(frame[16:]), l.sum(frame, before)
	if binary.BigEndian.Uint64(frame[8:]) != l.salts {
		if sum == want {
			binary.BigEndian.PutUint64(frame[8:], l.salts)
		}
		return sum == want
	}
	if near(sum, want) && (len(next) == 0 || !l.right(next, want)) {
		if len(next) == 0 || !l.right(next, sum) {
			return false
		}
		binary.BigEndian.PutUint64(frame[16:], sum)
		return true
	}
	summed := slices.Concat(frame[:8], frame[frameHeader:])
	if !Mend(summed, false, func(b []byte) bool { return checksum(l.order, before, b) == want }) {
		return false
	}
	copy(frame, summed[:8])
	copy(frame[frameHeader:], summed[8:])
	return true
}

// lost counts the transactions that end in these frames. The first frame is wrong. There are none if the following
// frames may belong to the same transaction: that was then not on the disk before the power was cut.
func (l logReader) lost(frames [][]byte) (n int) {
	for i, frame := range frames {
		ends := binary.BigEndian.Uint32(frame[4:]) != 0
		if ends && (i == 0 || l.right(frame, binary.BigEndian.Uint64(frames[i-1][16:]))) {
			n++
		}
	}
	if n < 2 {
		return 0
	}
	return n
}

// Whole returns the pages of the database that a log holds by itself, as of its last transaction; nil if it lacks some.
func Whole(log []byte) (pages [][]byte) {
	if len(log) < headerBytes || !headerRight(log[:headerBytes]) {
		return nil
	}
	l, frames := readLog(log)
	before, size := binary.BigEndian.Uint64(log[24:]), uint32(0)
	held, open := make(map[uint32][]byte), make(map[uint32][]byte)
	for _, frame := range frames {
		if !l.right(frame, before) {
			break
		}
		before = binary.BigEndian.Uint64(frame[16:])
		open[binary.BigEndian.Uint32(frame)] = frame[frameHeader:]
		if after := binary.BigEndian.Uint32(frame[4:]); after != 0 {
			maps.Copy(held, open)
			clear(open)
			size = after
		}
	}
	for number := uint32(1); number <= size; number++ {
		if held[number] == nil {
			return nil
		}
		pages = append(pages, slices.Clone(held[number]))
	}
	return pages
}
