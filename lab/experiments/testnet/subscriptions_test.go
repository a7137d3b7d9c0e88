package testnet

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// Made subscriptions are a function of the seed, and share what the paper says of its trace. A few feeds are popular,
// and most readers follow few. Six well chosen others cover all feeds of nearly every reader.
func TestSubscriptionsByWordOfMouth(t *testing.T) {
	again := func(seed uint64) [][]int { return Subscribed(rand.New(rand.NewPCG(seed, 1)), 2000, 100, 1) }
	all := again(1)
	if !reflect.DeepEqual(all, again(1)) || reflect.DeepEqual(all, again(2)) {
		t.Error("subscriptions are no function of the seed")
	}
	few := 0
	for i, wants := range all {
		if !slices.IsSorted(wants) || len(slices.Compact(slices.Clone(wants))) != len(wants) || len(wants) == 0 {
			t.Fatalf("reader %d follows %v", i, wants)
		}
		if len(wants) <= 5 {
			few++
		}
	}
	if few < len(all)/2 {
		t.Errorf("%d of %d readers follow five feeds or fewer", few, len(all))
	}
	popular := ReadersOf(all, 100)
	slices.SortFunc(popular, func(a, b []int) int { return len(b) - len(a) })
	if len(popular[0]) < 4*len(popular[50]) {
		t.Errorf("the most popular feed has %d readers, that in the middle %d", len(popular[0]), len(popular[50]))
	}
	if share := Coverable(all, 100, 5); share < 0.9 {
		t.Errorf("six others cover all feeds of %.0f %% of the readers", 100*share)
	}
}

// Six others cover six feeds that nobody else shares two of, and not seven.
func TestCoverable(t *testing.T) {
	all := [][]int{{0, 1, 2, 3, 4, 5}, {0}, {1}, {2}, {3}, {4}, {5}}
	if got := Coverable(all, 7, 5); got != 1 {
		t.Errorf("six feeds: %v", got)
	}
	all = append(all, []int{6})
	all[0] = append(all[0], 6)
	if got := Coverable(all, 7, 5); got != 0 {
		t.Errorf("seven feeds: %v", got)
	}
}
