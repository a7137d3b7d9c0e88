package table

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// The oracle of Positions is a search of the whole list. Most hashes fall together.
func TestHashTableAgainstList(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var x Positions
		var list []uint64 // of keys; 0: gone
		hash := func(key uint64) uint64 { return key / 4 * 5 << 32 }
		keys := rapid.Uint64Range(1, rapid.SampledFrom([]uint64{5, 60, 300}).Draw(t, "keys"))
		step := func(t *rapid.T) {
			key := keys.Draw(t, "key")
			position, found := x.Find(hash(key), func(i uint32) bool { return list[i] == key })
			if want := slices.Index(list, key); found != (want >= 0) || found && int(position) != want {
				t.Fatalf("key %d is at %d (%v), want %d", key, position, found, want)
			}
			if found {
				x.Remove(hash(key), position)
				list[position] = 0
			} else {
				x.Put(hash(key), uint32(len(list)))
				list = append(list, key)
			}
		}
		for range rapid.IntRange(0, 400).Draw(t, "steps") {
			step(t)
		}
		for position, key := range list {
			if got, ok := x.Find(hash(key), func(i uint32) bool { return list[i] == key }); key != 0 &&
				(!ok || int(got) != position) {
				t.Fatalf("key %d at %d is found at %d (%v)", key, position, got, ok)
			}
		}
	})
}
