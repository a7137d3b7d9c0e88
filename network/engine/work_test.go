package engine_test

import (
	"crypto/sha256"
	"math/big"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"tidings/network/engine"
)

// The oracle counts bits of the hash as a number.
func TestWorkOfIDs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		id := engine.IDOf(rapid.SliceOfN(rapid.Byte(), 1, 32).Draw(t, "key"))
		sum := sha256.Sum256(append([]byte("tidings id work\n"), id[:]...))
		if got, want := id.Work(), 256-new(big.Int).SetBytes(sum[:]).BitLen(); got != want {
			t.Fatalf("%v has %d bits of work, not %d", id, got, want)
		}
	})
}

// Of IDs that nobody has chosen one in 2^bits has that much work, wherever on the ring it is.
func TestWorkIsSeldom(t *testing.T) {
	chance := rand.New(rand.NewPCG(1, 2))
	const drawn, bits = 1 << 16, 6
	var found, low float64
	for range drawn {
		if id := engine.DrawID(chance); id.Work() >= bits {
			found++
			if id.Position() < 0.5 {
				low++
			}
		}
	}
	want := float64(drawn >> bits) // 1024, with a standard deviation of 32
	if found < want-160 || found > want+160 || low < want/2-120 || low > want/2+120 {
		t.Errorf("%.0f of %d IDs have %d bits of work, and %.0f of these are in the lower half of the ring; want about %.0f", found, drawn, bits, low, want)
	}
}

func BenchmarkWork(b *testing.B) {
	id := engine.DrawID(rand.New(rand.NewPCG(1, 2)))
	for b.Loop() {
		id[0] = byte(id.Work())
	}
}
