package archive

import (
	"slices"
	"testing"
	"time"

	"tidings/network/engine"
)

// hoard is the node of a surplus: what it has is no other's until offered.
type hoard struct {
	*stub
	held    index
	refuses int // so many offers come to nothing
	offers  int
}

func (h *hoard) rest() (keyRange, bool) {
	return keyRange{engine.PrefixID("1"), engine.PrefixID("0")}, true
}
func (h *hoard) items(a keyRange) []*entry { return h.held.list(a, maxList) }
func (h *hoard) offer(entries []*entry, to []engine.Peer, then func(int, []*entry)) {
	h.offers++
	everywhere := entries
	if h.refuses--; h.refuses >= 0 {
		everywhere = nil
	}
	h.env.After(time.Second, func() { then(len(to), everywhere) })
}

func (h *hoard) dropSurplus(entries []*entry) int {
	for _, e := range entries {
		h.held.remove(e)
	}
	return len(entries)
}

// All surplus is handed over, batch by batch, also what its owners did not have at first. Then rounds are rare.
func TestSurplusIsHandedOver(t *testing.T) {
	t.Parallel()
	for _, sure := range []bool{true, false} {
		h := &hoard{stub: newStub(), held: newIndex(), refuses: 2}
		h.sure = sure
		for i := range uint64(5 * maxList) {
			h.held.add(newEntry(Held{Name: Name{Number: i}, Size: 1}))
		}
		s := surplus{env: h.env, config: &h.config, node: h}
		s.soon()
		for range 600 { // owners that are not known answer
			for name := range h.queries.open {
				h.queries.onWhere(h.peers[0], &Where{Name: name, Closest: h.peers})
			}
			h.env.Advance(time.Second)
		}
		if left := h.held.list(keyRange{}, 1000); slices.ContainsFunc(left,
			func(e *entry) bool { return e.key[0]>>4 != 0 }) {
			t.Errorf("%d are left", len(left))
		}
		if h.offers < 5 || h.offers > 20 || len(h.queries.open) > 0 {
			t.Errorf("%d offers, %d inquiries are open", h.offers, len(h.queries.open))
		}
	}
}
