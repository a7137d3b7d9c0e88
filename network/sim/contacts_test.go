package sim

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// Connections are kept as in a list that has the last used one at its front, and drops from its end.
func TestContactsAreThoseUsedLast(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		chance := rand.New(rand.NewPCG(seed, 0))
		peers := 1 + chance.IntN(2*maxContacts)
		var c contacts
		var list []Node
		last := make(map[Node]time.Duration)
		now := time.Duration(0)
		for range 3000 {
			now += time.Duration(chance.IntN(2))
			peer := Node(chance.IntN(peers))
			c.touch(peer, now)
			if i := slices.Index(list, peer); i >= 0 {
				list = slices.Delete(list, i, i+1)
			}
			list = slices.Insert(list, 0, peer)
			list = list[:min(len(list), maxContacts)]
			last[peer] = now
		}
		since := now - time.Duration(chance.IntN(1000))
		var open []Node
		for _, peer := range list {
			if last[peer] >= since {
				open = append(open, peer)
			}
		}
		if got := c.open(since); !slices.Equal(got, open) {
			t.Errorf("seed %d: connections to %v are open, where %v should be", seed, got, open)
		}
	}
}
