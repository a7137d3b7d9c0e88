package table

import (
	"encoding/binary"
	"testing"

	"pgregory.net/rapid"

	"tidings/network/engine"
)

// entry is what is known by an ID.
type entry struct{ id engine.ID }

func (e *entry) ID() engine.ID { return e.id }

// The oracle of an index is a plain map. Some IDs differ only in a part that has no say in where is
// searched.
func TestIndexAgainstMap(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		x := Index[*entry]{Seed: rapid.Uint64().Draw(t, "seed")}
		model := make(map[engine.ID]*entry)
		most := rapid.SampledFrom([]uint32{3, 40, 400}).Draw(t, "channels")
		for range rapid.IntRange(0, 500).Draw(t, "steps") {
			var id engine.ID
			k := rapid.Uint32Range(0, most).Draw(t, "channel")
			binary.BigEndian.PutUint32(id[:], k%3)
			binary.BigEndian.PutUint32(id[16:], k/3)
			if rapid.IntRange(0, 2).Draw(t, "what") == 0 {
				x.Remove(id)
				delete(model, id)
			} else {
				model[id] = &entry{id}
				x.Set(id, model[id])
			}
			if x.Get(id) != model[id] || x.Len() != len(model) {
				t.Fatalf("%v is %v, want %v; %d of %d", id, x.Get(id), model[id], x.Len(), len(model))
			}
		}
		for id, o := range model {
			if x.Get(id) != o {
				t.Fatalf("%v is %v, want %v", id, x.Get(id), o)
			}
		}
	})
}

// All yields each entry once, and stops where it is told to.
func TestAll(t *testing.T) {
	x, want := Index[*entry]{Seed: 7}, make(map[engine.ID]bool)
	for i := range 100 {
		id := engine.ID{byte(i), 12: byte(i)}
		want[id] = true
		x.Set(id, &entry{id})
	}
	x.Remove(engine.ID{3, 12: 3})
	delete(want, engine.ID{3, 12: 3})
	for e := range x.All() {
		if !want[e.ID()] {
			t.Fatalf("%v is yielded twice, or was removed", e.ID())
		}
		delete(want, e.ID())
	}
	if len(want) > 0 {
		t.Errorf("%d are not yielded", len(want))
	}
	for range x.All() {
		break
	}
}
