package enginetest

import (
	"math"
	"runtime"
	"testing"

	"tidings/network/engine"
)

// slack is how much a decoder may allocate beyond what the codec promises: for an error's
// text and for the least that Go allocates.
const slack = 8 << 10

// checkMemory decodes the messages that ask for the most memory with the fewest bytes.
func checkMemory(t *testing.T, codec *engine.Codec, kind engine.Kind) {
	worst := [][]byte{written(kind, map[uint64]any{}), withUnknown(kind, hostileItem{hex: "9a80000000"}.bytes())}
	for _, more := range []int{0, 1} {
		for _, e := range extremes(typeOf(codec, kind), nil, more) {
			worst = append(worst, written(kind, e.item))
		}
	}
	for _, data := range worst {
		// Go rounds the size of what it allocates up, by an eighth at most where it is large.
		allowed := uint64(len(data)*engine.MaxExpansion)*9/8 + slack
		if got := allocated(func() { _, _ = codec.Decode(data) }); got > allowed {
			t.Errorf("decoding %d bytes, %.100x, allocates %d, at most %d", len(data), data, got, allowed)
		}
	}
}

// allocated returns how many bytes f allocates, as the least of several times because other
// goroutines allocate too.
func allocated(f func()) uint64 {
	least := uint64(math.MaxUint64)
	var before, after runtime.MemStats
	for range 3 {
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		least = min(least, after.TotalAlloc-before.TotalAlloc)
	}
	return least
}
