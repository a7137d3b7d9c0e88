package levels

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// All steps from one point of a channel's hull to the next, sorted by falling λ, lead from the solution of least load
// to that of least cost. Every prefix of that list is optimal for its load: these are the solutions that bracketing
// over λ can find (section 3.2). The brackets of a limit are the longest prefix that keeps it and that prefix with one
// more step. To find where it ends, the list need not be sorted. The search puts the steps into buckets by λ, adds up
// the load of each, and goes on in the one bucket in which the limit is passed. Steps of equal λ come in the order of
// their channels.

const (
	// few is how many steps are sorted, rather than put into buckets once more.
	few = 64

	// manyBuckets is how many buckets there are at most: 96 KiB, which stay in the cache.
	manyBuckets = 4096
)

// step is one step of one channel.
type step struct {
	lambda  uint64 // bits of a float64
	channel int
	point   int // where it begins
}

// critical is the step at which a limit is passed.
type critical struct {
	step
	made float64 // how many of the channel's members have made it before
}

// bucket is of the steps within a range of λ.
type bucket struct {
	load  sum
	steps int
}

// search returns the critical step. There must be one: the least load keeps the limit, the most
// does not.
func (p *Problem) search(limit float64) critical {
	low, high, steps, load := p.low, p.high, p.steps, p.least
	var buckets []bucket
	for steps > few && low < high {
		if buckets == nil {
			buckets = make([]bucket, min(manyBuckets, 1<<bits.Len(uint(steps/8))))
		}
		low, high, steps, load = p.narrow(buckets, low, high, load, limit)
	}
	if low == high {
		return p.among(p.inOrder(low, high), load, limit)
	}
	return p.among(p.sorted(low, high, steps), load, limit)
}

// narrow returns the part of the range from low to high in which the limit is passed, the number of steps in it, and
// the load with all steps above it; load is that with those above high.
func (p *Problem) narrow(buckets []bucket, low, high uint64, load sum, limit float64) (uint64, uint64, int, sum) {
	clear(buckets)
	shift := max(0, bits.Len64(high-low)-bits.Len(uint(len(buckets)-1)))
	p.fill(buckets, low, high, shift)
	last := 0
	for i := int((high - low) >> shift); i >= 0; i-- {
		if buckets[i].steps == 0 {
			continue
		}
		with := load.plusSum(buckets[i].load)
		if last = i; !with.within(limit) {
			break
		}
		load = with
	}
	bottom := low + uint64(last)<<shift
	return bottom, min(high, bottom+1<<shift-1), buckets[last].steps, load
}

// fill adds each step with λ in the range to its bucket.
func (p *Problem) fill(buckets []bucket, low, high uint64, shift int) {
	point := 0
	for channel, end := range p.ends {
		alike := p.alike[channel]
		for ; point < int(end)-1; point++ {
			lambda := p.slope(point)
			if lambda > high {
				continue
			}
			if lambda < low {
				break // and so are the channel's other steps
			}
			b := &buckets[(lambda-low)>>shift]
			b.load = b.load.plusSum(p.stepLoad(point).times(alike))
			b.steps++
		}
		point = int(end)
	}
}

// stepLoad returns the load that a step adds for each member.
func (p *Problem) stepLoad(point int) sum { return difference(p.loads[point+1], p.loads[point]) }

// inOrder yields the steps with λ in the range, in the order of channels.
func (p *Problem) inOrder(low, high uint64) func(yield func(step) bool) {
	return func(yield func(step) bool) {
		point := 0
		for channel, end := range p.ends {
			for ; point < int(end)-1; point++ {
				lambda := p.slope(point)
				if lambda < low {
					break
				}
				if lambda <= high && !yield(step{lambda, channel, point}) {
					return
				}
			}
			point = int(end)
		}
	}
}

// sorted yields the same by falling λ. There are so many.
func (p *Problem) sorted(low, high uint64, steps int) func(yield func(step) bool) {
	list := make([]step, 0, steps)
	for s := range p.inOrder(low, high) {
		list = append(list, s)
	}
	slices.SortStableFunc(list, func(a, b step) int { return cmp.Compare(b.lambda, a.lambda) })
	return slices.Values(list)
}

// among returns the first step that would pass the limit. load is that before all of them. The
// last one it is in any case: the limit is passed with it, but for the last digit of sums that
// were added in another order.
func (p *Problem) among(steps func(yield func(step) bool), load sum, limit float64) (last critical) {
	for s := range steps {
		each := p.stepLoad(s.point)
		with := load.plusSum(each.times(p.alike[s.channel]))
		if !with.within(limit) {
			return critical{s, fitting(each, load, limit, p.alike[s.channel]-1)}
		}
		last, load = critical{step: s}, with
	}
	return last
}

// fitting returns how many members can make a step that adds each: at most most. The quotient is off by a few where
// rounding made it so.
func fitting(each, load sum, limit, most float64) float64 {
	fits := func(n float64) bool { return load.plusSum(each.times(n)).within(limit) }
	n := min(most, math.Floor((limit-load.hi)/each.hi))
	for n > 0 && !fits(n) {
		n--
	}
	n = max(n, 0)
	for n < most && fits(n+1) {
		n++
	}
	return n
}
