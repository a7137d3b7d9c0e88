package feedtree

import (
	"testing"

	"pgregory.net/rapid"
)

// A cache keeps the latest keys that were new on arrival, each with its latest value. It agrees with a plain list.
func TestRecentAgreesWithAList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.IntRange(1, 5).Draw(t, "most")
		r, order, values := newRecent[int, int](most), []int(nil), make(map[int]int)
		for i := range rapid.IntRange(1, 60).Draw(t, "puts") {
			k := rapid.IntRange(0, 9).Draw(t, "name")
			if _, known := values[k]; !known {
				if order = append(order, k); len(order) > most {
					delete(values, order[0])
					order = order[1:]
				}
			}
			values[k] = i
			r.put(k, i)
			for k := range 10 {
				want, there := values[k]
				if got, ok := r.get(k); ok != there || got != want {
					t.Fatalf("%d is %d, %v after %d puts, not %d, %v", k, got, ok, i+1, want, there)
				}
			}
		}
	})
}
