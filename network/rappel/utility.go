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
	var once, more filter // bits that one of them has, and that several have
	for _, f := range set {
		for w := range own {
			more[w] |= once[w] & f.filter[w]
			once[w] |= f.filter[w]
		}
	}
	for _, f := range set {
		both, either, alone := 0, 0, 0
		for w := range own {
			shared := own[w] & f.filter[w]
			both += bits.OnesCount64(shared)
			either += bits.OnesCount64(own[w] | f.filter[w])
			alone += bits.OnesCount64(shared &^ more[w])
		}
		interest := float64(both)/float64(max(either, 1)) + float64(alone)/all
		sum += interest / max(f.distance, nearest).Seconds()
	}
	return sum
}

// covered returns how many bits of a node's filter are in the filters of a set.
func covered(own *filter, set []proximity) (n int) {
	for w := range own {
		any := uint64(0)
		for _, f := range set {
			any |= f.filter[w]
		}
		n += bits.OnesCount64(own[w] & any)
	}
	return n
}

// improvement is Algorithm 1: it returns which of the set a candidate should replace, or -1 if that would not raise the
// utility by more than the gain. With cover, a set that covers more is better whatever its utility, and one that covers less is none.
func improvement(own *filter, set []proximity, candidate proximity, gain float64, cover bool) (victim int) {
	most, base := covered(own, set), utility(own, set)
	highest := base + float64(base*gain)
	victim = -1
	trial := make([]proximity, len(set))
	for i := range set {
		copy(trial, set)
		trial[i] = candidate
		covers, current := covered(own, trial), utility(own, trial)
		if cover && covers > most || (!cover || covers == most) && current > highest {
			most, highest, victim = covers, current, i
		}
	}
	return victim
}
