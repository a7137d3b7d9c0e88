package testnet

import (
	"math/rand/v2"
	"reflect"
	"testing"
)

// Of all feeds the most popular ones are left, numbered by how many people follow them. Of the people those are left
// that follow one of these, as many as are requested.
func TestRecorded(t *testing.T) {
	people := [][]int{{7, 9}, {7, 9, 4}, {7}, {3}, {3, 4}}
	all := Recorded(rand.New(rand.NewPCG(1, 1)), people, 10, 3) // 7 of three, then 3, 4 and 9 of two each
	count := make(map[int]int)
	for _, wants := range all {
		for _, feed := range wants {
			count[feed]++
		}
	}
	if len(all) != 5 || !reflect.DeepEqual(count, map[int]int{0: 3, 1: 2, 2: 2}) {
		t.Errorf("%v: %v", all, count)
	}
	if some := Recorded(rand.New(rand.NewPCG(1, 1)), people, 2, 1); !reflect.DeepEqual(some, [][]int{{0}, {0}}) {
		t.Errorf("two readers of one feed: %v", some)
	}
}
