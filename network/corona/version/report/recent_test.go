package report

import (
	"testing"

	"pgregory.net/rapid"

	"tidings/network/corona/version/update"
)

// A channel knows its last contents again, each once, and no more than it is to.
func TestRecent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var r recent
		var all []update.Hash
		for _, b := range rapid.SliceOfN(rapid.ByteRange(0, 40), 1, 100).Draw(t, "contents") {
			h := update.Hash{b}
			r.note(h.Start())
			all = append(all, h)
		}
		distinct := make(map[update.Hash]bool)
		for i := len(all) - 1; i >= 0; i-- {
			if distinct[all[i]] = true; len(distinct) > maxRecent {
				break
			}
			if !r.has(all[i]) {
				t.Fatalf("%x is forgotten by %x", all[i][0], r)
			}
		}
		if len(r) > maxRecent || r.has(update.Hash{41}) {
			t.Fatalf("%x", r)
		}
	})
}
