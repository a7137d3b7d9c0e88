package rappel

import (
	"math/bits"
	"time"
)

// proximity is what makes a friend useful: what it wants, and how far away it is.
type proximity struct {
	filter   *filter
	distance time.Duration
}

// nearest bounds the distance from below, so that nobody is infinitely useful.
const nearest = time.Millisecond

// utility returns that of a set of friends (figure 3): the sum over the friends of how much of their interests is shared, by the
// Jaccard index, and of how much nobody else in the set shares, over the distance in seconds. own is the node's
// filter.
func utility(own *filter, set []proximity) (sum float64) {
	all := float64(max(own.count(), 1))
	for i, f := range set {
		both, either, alone := 0, 0, 0
		for w := range own {
			both += bits.OnesCount64(own[w] & f.filter[w])
			either += bits.OnesCount64(own[w] | f.filter[w])
			rest := own[w] & f.filter[w]
			for j, g := range set {
				if j != i {
					rest &^= g.filter[w]
				}
			}
			alone += bits.OnesCount64(rest)
		}
		interest := float64(both)/float64(max(either, 1)) + float64(alone)/all
		sum += interest / max(f.distance, nearest).Seconds()
	}
	return sum
}

// improvement is Algorithm 1: it returns which of the set a candidate should replace, or -1 if that would not raise the
// utility by more than the gain.
func improvement(own *filter, set []proximity, candidate proximity, gain float64) (victim int) {
	base := utility(own, set)
	highest := base
	victim = -1
	trial := make([]proximity, len(set))
	for i := range set {
		copy(trial, set)
		trial[i] = candidate
		if current := utility(own, trial); current > highest {
			highest, victim = current, i
		}
	}
	if victim >= 0 && highest > base+float64(base*gain) {
		return victim
	}
	return -1
}
