package testnet

import (
	"math"
	"math/rand/v2"
	"slices"

	"tidings/lab/stats"
)

// Subscribed returns which feeds each of some readers follows, in the order of numbers.
//
// The paper's subscriptions, of LiveJournal, are not at hand. These are made by word of mouth. A reader copies nearly
// all that it follows from one or a few earlier readers, and finds the rest by itself. So few feeds are popular, and
// readers share interests. How many feeds a reader follows is by a power law. They are checked against what the paper
// says of its trace: six well chosen friends cover all feeds of 95 % of the readers with five or more (figure 1).
func Subscribed(chance *rand.Rand, readers, feeds, least int) [][]int {
	sizes := sizesOf(feeds, least)
	all := make([][]int, readers)
	for i := range all {
		want := sizes[chance.IntN(len(sizes))]
		friend := chance.IntN(max(i, 1))
		for len(all[i]) < want {
			feed := chance.IntN(feeds)
			if i > feeds/4 && chance.Float64() < copied {
				feed = all[friend][chance.IntN(len(all[friend]))]
			}
			if !slices.Contains(all[i], feed) {
				all[i] = append(all[i], feed)
			} else if chance.IntN(4) == 0 {
				friend = chance.IntN(max(i, 1))
			}
		}
		slices.Sort(all[i])
	}
	return all
}

// Of the made subscriptions: which share is copied, and the exponent of the law of how many a reader has.
const (
	copied        = 0.95
	readersExpont = 1.5
)

// sizesOf returns numbers of subscriptions, from least up to half of the feeds, as often as the law has them.
func sizesOf(feeds, least int) (sizes []int) {
	const most = 1000
	for k := least; k <= max(feeds/2, least); k++ {
		for range int(most*math.Pow(float64(k)/float64(least), -readersExpont) + 0.5) {
			sizes = append(sizes, k)
		}
	}
	return sizes
}

// ReadersOf returns the readers of each feed.
func ReadersOf(subscriptions [][]int, feeds int) [][]int {
	readers := make([][]int, feeds)
	for r, wants := range subscriptions {
		for _, feed := range wants {
			readers[feed] = append(readers[feed], r)
		}
	}
	return readers
}

// Coverable returns of which share of the readers with so many subscriptions six others cover all feeds, if they are
// chosen greedily from a sample (figure 1).
func Coverable(subscriptions [][]int, feeds, least int) float64 {
	const friends, some = 6, 300
	readers := ReadersOf(subscriptions, feeds)
	all, covered := 0, 0
	for i, wants := range subscriptions {
		if len(wants) < least || all == some {
			continue
		}
		all++
		open := slices.Clone(wants)
		for range friends {
			shared := make(map[int]int) // by reader, of the open ones
			best := -1
			for _, feed := range open {
				for _, r := range readers[feed] {
					if shared[r]++; r != i && (best < 0 || shared[r] > shared[best]) {
						best = r
					}
				}
			}
			if best < 0 {
				break
			}
			open = slices.DeleteFunc(open, func(feed int) bool { return slices.Contains(subscriptions[best], feed) })
		}
		if len(open) == 0 {
			covered++
		}
	}
	return stats.Share(float64(covered), float64(all))
}
