package engine

import (
	"math/bits"
	"testing"
)

// The first outputs of SplitMix64 with seed 0 are published with it; each bit of the input changes about half
// of the output's.
func TestMix(t *testing.T) {
	for i, want := range []uint64{0xe220a8397b1dcdaf, 0x6e789e6aa1b965f4, 0x06c45d188009454f} {
		if got := Mix(uint64(i) * 0x9e3779b97f4a7c15); got != want {
			t.Errorf("output %d is %#x, want %#x", i, got, want)
		}
	}
	for bit := range 64 {
		changed := 0
		for x := range uint64(1000) {
			changed += bits.OnesCount64(Mix(x) ^ Mix(x^1<<bit))
		}
		if mean := float64(changed) / 1000; mean < 30 || mean > 34 {
			t.Errorf("bit %d changes %.1f bits", bit, mean)
		}
	}
}
