package corona

import (
	"encoding/binary"
	"testing"

	"pgregory.net/rapid"

	"tidings/network/engine"
)

// The oracle of an index is a plain map. Some IDs differ only in a part that has no say in where is
// searched.
func TestIndexAgainstMap(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		x := index[*owned]{seed: rapid.Uint64().Draw(t, "seed")}
		model := make(map[engine.ID]*owned)
		most := rapid.SampledFrom([]uint32{3, 40, 400}).Draw(t, "channels")
		for range rapid.IntRange(0, 500).Draw(t, "steps") {
			var id engine.ID
			k := rapid.Uint32Range(0, most).Draw(t, "channel")
			binary.BigEndian.PutUint32(id[:], k%3)
			binary.BigEndian.PutUint32(id[16:], k/3)
			if rapid.IntRange(0, 2).Draw(t, "what") == 0 {
				x.remove(id)
				delete(model, id)
			} else {
				model[id] = &owned{channel: Channel{ID: id}}
				x.set(id, model[id])
			}
			if x.get(id) != model[id] || x.used != len(model) {
				t.Fatalf("%v is %v, want %v; %d of %d", id, x.get(id), model[id], x.used, len(model))
			}
		}
		for id, o := range model {
			if x.get(id) != o {
				t.Fatalf("%v is %v, want %v", id, x.get(id), o)
			}
		}
	})
}
