package onebyte

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/cespare/xxhash/v2"
)

// hostile 80: any byte of a page or of its hash is put right, and nothing is made of two that have changed.
func TestHostile80MendPage(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	whole := make([]byte, 512)
	for i := range whole {
		whole[i] = byte(r.Uint32())
	}
	binary.LittleEndian.PutUint64(whole[504:], xxhash.Sum64(whole[:504]))
	for range 40 {
		page := bytes.Clone(whole)
		at := r.IntN(len(page))
		page[at] ^= byte(1 + r.IntN(255))
		if !MendPage(page, xxhash.Sum64) || !bytes.Equal(page, whole) {
			t.Errorf("byte %d is not put right", at)
		}
		page[at] ^= 1
		page[(at+200)%len(page)] ^= 1
		damaged := bytes.Clone(page)
		if MendPage(page, xxhash.Sum64) || !bytes.Equal(page, damaged) {
			t.Errorf("two bytes, at %d and behind it, are said to be put right", at)
		}
	}
}

// hostile 80: a page of a table without rows is known by its hash, and a page by its content if only its hash is wrong.
func TestHostile80MendPageByItsHash(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, kind := range []byte{leafOfTable, leafOfIndex} {
		whole := make([]byte, 512)
		blank(whole[:504], kind)
		binary.LittleEndian.PutUint64(whole[504:], xxhash.Sum64(whole[:504]))
		page := bytes.Clone(whole)
		for range 9 {
			page[r.IntN(504)] ^= byte(1 + r.IntN(255))
		}
		page[510] ^= 7
		if !MendPage(page, xxhash.Sum64) || !bytes.Equal(page, whole) {
			t.Errorf("an empty page of kind %d is not put right", kind)
		}
		whole[100] = 9 // it has something
		binary.LittleEndian.PutUint64(whole[504:], xxhash.Sum64(whole[:504]))
		page = bytes.Clone(whole)
		page[505], page[511] = page[505]^1, page[511]^1
		if !MendPage(page, xxhash.Sum64) || !bytes.Equal(page, whole) {
			t.Errorf("two bytes of the hash of a page of kind %d are not put right", kind)
		}
		page[3], page[200] = 1, 1
		if MendPage(page, xxhash.Sum64) {
			t.Errorf("a page of kind %d that has something is made empty", kind)
		}
	}
}

// logOf makes a log of n transactions of a page each.
func logOf(n int) []byte {
	const size = 512
	r := rand.New(rand.NewPCG(3, 4))
	log := make([]byte, headerBytes)
	binary.BigEndian.PutUint32(log, littleEndian)
	binary.BigEndian.PutUint32(log[8:], size)
	binary.BigEndian.PutUint64(log[16:], r.Uint64())
	sum := checksum(binary.LittleEndian, 0, log[:24])
	binary.BigEndian.PutUint64(log[24:], sum)
	l := logReader{binary.BigEndian.Uint64(log[16:]), binary.LittleEndian}
	for i := range n {
		frame := make([]byte, frameHeader+size)
		binary.BigEndian.PutUint32(frame, uint32(i+2))
		binary.BigEndian.PutUint32(frame[4:], 100)
		binary.BigEndian.PutUint64(frame[8:], l.salts)
		for j := frameHeader; j < len(frame); j++ {
			frame[j] = byte(r.Uint32())
		}
		sum = l.sum(frame, sum)
		binary.BigEndian.PutUint64(frame[16:], sum)
		log = append(log, frame...)
	}
	return log
}

// hostile 80: whichever byte of a log changes, it is put right, or it is known that transactions are lost. A log that
// ends with a transaction that is not whole, or with what was there before, has no damage.
func TestHostile80MendLog(t *testing.T) {
	whole := logOf(6)
	if d := MendLog(bytes.Clone(whole)); d != (LogDamage{}) {
		t.Errorf("a log that is right: %+v", d)
	}
	last := len(whole) - 512 - frameHeader
	mended, lost := 0, 0
	for at := 0; at < last; at += 31 {
		log := bytes.Clone(whole)
		log[at] ^= byte(1 + at%255)
		switch d := MendLog(log); {
		case d.Mended == 1 && d.Lost == 0 && bytes.Equal(log, whole):
			mended++
		case d.Mended == 0 && d.Lost > 0:
			lost++
		default:
			t.Fatalf("byte %d: %+v", at, d)
		}
	}
	if mended < 4*lost {
		t.Errorf("%d bytes were put right, %d not", mended, lost)
	}
	torn := bytes.Clone(whole)
	clear(torn[last+100:])
	if d := MendLog(torn); d != (LogDamage{}) {
		t.Errorf("a log whose end was cut off by a power cut: %+v", d)
	}
	if d := MendLog(torn[:last+100]); d != (LogDamage{}) {
		t.Errorf("a log that was cut: %+v", d)
	}
	older := append(bytes.Clone(whole), bytes.Repeat([]byte{7}, 512+frameHeader)...)
	if d := MendLog(older); d != (LogDamage{}) {
		t.Errorf("a log behind whose end an older one goes on: %+v", d)
	}
}

// FuzzMendLog holds that no log is too odd, and that a log is right where it is said to be put right.
func FuzzMendLog(f *testing.F) {
	f.Add(logOf(2))
	f.Add([]byte{})
	f.Add(make([]byte, headerBytes))
	f.Fuzz(func(t *testing.T, log []byte) {
		if len(log) > 4096 {
			return
		}
		length := len(log)
		if d := MendLog(log); d.Mended > 0 && d.Lost == 0 {
			if again := MendLog(log); again.Mended > 0 || len(log) != length {
				t.Errorf("first %+v, then %+v", d, again)
			}
		}
	})
}
