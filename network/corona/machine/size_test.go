package machine

import (
	"encoding/binary"
	"math"
	"testing"

	"pgregory.net/rapid"

	"tidings/network/engine"
)

// Sizes shrink by less than a hundredth from one to the next.
func TestSizesAreDense(t *testing.T) {
	for k := range 7160 {
		ratio := Fine(k+1).Share() / Fine(k).Share()
		if !Fine(k).Valid() || ratio >= 1 || ratio < 1-1./Steps {
			t.Fatalf("size %d is %v, the next is %.4f of it", k, Fine(k), ratio)
		}
	}
	if Fine(Steps).Share() != 0.5 || Fine(2*Steps).Share() != 0.25 || Fine(10_000) != Alone {
		t.Errorf("half is %v, a quarter %v, the last %v", Fine(Steps), Fine(2*Steps), Fine(10_000))
	}
}

// The oracle of arcs counts sub-prefixes one by one.
func TestArcs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Size{uint8(rapid.IntRange(0, 10).Draw(t, "bits")), uint8(rapid.IntRange(0, 20).Draw(t, "run"))}
		if !s.Valid() {
			t.Skip()
		}
		channel := drawID(t, "channel")
		a := ArcOf(channel, s)
		if !a.Contains(channel) {
			t.Fatalf("%v does not contain its channel", s)
		}
		prefixes, inside := 1<<s.Bits, make(map[int]bool)
		for p := range prefixes {
			if a.Contains(ofPrefix(p, int(s.Bits))) {
				inside[p] = true
			}
		}
		if len(inside) != int(s.run()) {
			t.Fatalf("%d sub-prefixes are in %v", len(inside), s)
		}
		if s.run() > 1 && len(inside) < prefixes {
			middle := float64(binary.BigEndian.Uint64(channel[:])) / math.Exp2(64) * float64(prefixes)
			low := (middle - float64(a.from) + float64(prefixes))
			for low >= float64(prefixes) {
				low -= float64(prefixes)
			}
			if high := float64(a.run) - low; math.Abs(low-high) > 1.0001 {
				t.Fatalf("the channel is %.2f sub-prefixes from one end of %v and %.2f from the other", low, s, high)
			}
		}
		bits := rapid.IntRange(0, 14).Draw(t, "region")
		id := drawID(t, "id")
		want := 0.
		const fine = 14
		for p := range 1 << (fine - bits) {
			at := int(binary.BigEndian.Uint64(id[:])>>(64-fine))&^(1<<(fine-bits)-1) + p
			if a.Contains(ofPrefix(at, fine)) {
				want += 1 / float64(int(1)<<(fine-bits))
			}
		}
		if got := a.Overlap(id, bits); math.Abs(got-want) > 1e-9 {
			t.Fatalf("%v of a region of %d bits is in %v, want %v", got, bits, s, want)
		}
	})
}

// drawID draws from the whole ring: rapid prefers small numbers, whose IDs all begin with zeros.
func drawID(t *rapid.T, name string) engine.ID {
	return engine.IDOf(binary.BigEndian.AppendUint64(nil, rapid.Uint64().Draw(t, name)))
}

func ofPrefix(p, bits int) (id engine.ID) {
	if bits > 0 {
		binary.BigEndian.PutUint64(id[:], uint64(p)<<(64-bits))
	}
	return id
}
