package testnet

import (
	"cmp"
	"math/rand/v2"
	"slices"
)

// Recorded returns which feeds each of some readers follows, by what people were recorded to follow. As in section
// 6.1.2 of Rappel's paper, readers are drawn by chance, the feeds are those that most people follow, and readers of
// others alone are left out. There are fewer readers if there are not so many people.
func Recorded(chance *rand.Rand, people [][]int, readers, feeds int) (subscriptions [][]int) {
	count := make(map[int]int)
	var all []int
	for _, person := range people {
		for _, n := range person {
			if count[n]++; count[n] == 1 {
				all = append(all, n)
			}
		}
	}
	slices.SortFunc(all, func(a, b int) int { return cmp.Or(count[b]-count[a], a-b) })
	number := make(map[int]int)
	for i, n := range all[:min(feeds, len(all))] {
		number[n] = i
	}
	for _, i := range chance.Perm(len(people)) {
		var wants []int
		for _, n := range people[i] {
			if feed, is := number[n]; is {
				wants = append(wants, feed)
			}
		}
		if len(wants) > 0 && len(subscriptions) < readers {
			slices.Sort(wants)
			subscriptions = append(subscriptions, wants)
		}
	}
	return subscriptions
}
