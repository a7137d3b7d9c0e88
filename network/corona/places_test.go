package corona

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// The oracle of places is a search of the whole list. Most hashes fall together.
func TestPlacesAgainstList(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var x places
		var list []uint64 // of keys; 0: gone
		hash := func(key uint64) uint64 { return key / 4 * 5 << 32 }
		keys := rapid.Uint64Range(1, rapid.SampledFrom([]uint64{5, 60, 300}).Draw(t, "keys"))
		step := func(t *rapid.T) {
			key := keys.Draw(t, "key")
			place, found := x.find(hash(key), func(i uint32) bool { return list[i] == key })
			if want := slices.Index(list, key); found != (want >= 0) || found && int(place) != want {
				t.Fatalf("key %d is at %d (%v), want %d", key, place, found, want)
			}
			if found {
				x.remove(hash(key), place)
				list[place] = 0
			} else {
				x.put(hash(key), uint32(len(list)))
				list = append(list, key)
			}
		}
		for range rapid.IntRange(0, 400).Draw(t, "steps") {
			step(t)
		}
		for place, key := range list {
			if got, ok := x.find(hash(key), func(i uint32) bool { return list[i] == key }); key != 0 && (!ok || int(got) != place) {
				t.Fatalf("key %d at %d is found at %d (%v)", key, place, got, ok)
			}
		}
	})
}
