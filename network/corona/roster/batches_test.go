package roster

import (
	"slices"
	"testing"

	"tidings/network/engine"
	"tidings/network/engine/enginetest"
)

// Items for a peer go in as few messages as possible, each within its limit, in the order of arrival.
func TestBatchesAreFull(t *testing.T) {
	const most = 4
	p, q := enginetest.NewPeer("10"), enginetest.NewPeer("20")
	for count := range 3*most + 2 {
		var out batches[int]
		for i := range count {
			for _, to := range []engine.Peer{p, q} {
				if b := out.add(to, i, most); b.to != to || b.list[len(b.list)-1] != i {
					t.Fatalf("it stands in %v", b)
				}
			}
		}
		for _, to := range []engine.Peer{p, q} {
			var lengths, all, want, wanted []int
			for _, b := range out {
				if b.to == to {
					lengths, all = append(lengths, len(b.list)), append(all, b.list...)
				}
			}
			for i := range count {
				want = append(want, i)
			}
			for left := count; left > 0; left -= most {
				wanted = append(wanted, min(left, most))
			}
			if !slices.Equal(lengths, wanted) || !slices.Equal(all, want) {
				t.Errorf("%d go in messages of %v, not %v: %v", count, lengths, wanted, all)
			}
		}
	}
}
