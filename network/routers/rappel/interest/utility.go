package interest

import (
	"math/bits"
	"time"
)

// Proximity is what makes a friend useful: what it wants, and how far away it is.
type Proximity struct {
	Filter   *Filter
	Distance time.Duration
}

// nearest bounds the distance from below, so that nobody is infinitely useful.
const nearest = time.Millisecond

// Utility returns the utility of a set of friends (figure 3). It is a sum over the friends. Each term has two parts:
// how much of their interests is shared, by the Jaccard index, and how much no other in the set shares. It is divided
// by the distance in seconds. own is the node's filter.
func Utility(own *Filter, set []Proximity) (sum float64) {
	all := float64(max(own.count(), 1))
	var once, more Filter // bits that one of them has, and that several have
	for _, f := range set {
		for w := range own {
			more[w] |= once[w] & f.Filter[w]
			once[w] |= f.Filter[w]
		}
	}
	for _, f := range set {
		both, either, alone := 0, 0, 0
		for w := range own {
			shared := own[w] & f.Filter[w]
			both += bits.OnesCount64(shared)
			either += bits.OnesCount64(own[w] | f.Filter[w])
			alone += bits.OnesCount64(shared &^ more[w])
		}
		interest := float64(both)/float64(max(either, 1)) + float64(alone)/all
		sum += interest / max(f.Distance, nearest).Seconds()
	}
	return sum
}

// covered returns how many bits of a node's filter are in the filters of a set.
func covered(own *Filter, set []Proximity) int {
	var any Filter
	for _, f := range set {
		any.Unite(f.Filter)
	}
	for w := range any {
		any[w] &= own[w]
	}
	return any.count()
}

// Improvement is Algorithm 1. It returns which of the set a candidate should replace. It returns -1 if that would not
// raise the utility by more than the gain. With cover, a set that covers more is better whatever its utility, and one
// that covers less is none.
func Improvement(own *Filter, set []Proximity, candidate Proximity, gain float64, cover bool) (victim int) {
	most, base := covered(own, set), Utility(own, set)
	highest := base + float64(base*gain)
	victim = -1
	trial := make([]Proximity, len(set))
	for i := range set {
		copy(trial, set)
		trial[i] = candidate
		covers, current := covered(own, trial), Utility(own, trial)
		if cover && covers > most || (!cover || covers == most) && current > highest {
			most, highest, victim = covers, current, i
		}
	}
	return victim
}
