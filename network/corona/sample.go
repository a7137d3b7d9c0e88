package corona

import (
	"math"
	"slices"

	"tidings/network/engine"
)

// A primary proves how many readers a channel has by a sample of its signed subscriptions: the
// bottom-k sample with exponential ranks of Cohen and Kaplan ("Summarizing data using bottom-k
// sketches", PODC 2007). Each node that subscribes for w readers has the rank -ln(u)/w, where u is
// drawn from its ID and a number that the asker has made up; the sample is the sampleSize nodes of
// lowest rank. Whoever leaves nodes out, or has fewer, can only show higher ranks, and by that fewer
// readers; and as the number is new each time, nobody can have picked nodes that rank low.
//
// If t is the highest rank of a full sample, a node of w readers is below it with the chance
// 1-exp(-wt). So the sum over all others of w/(1-exp(-wt)) is as many readers as there are, on
// average (Horvitz and Thompson), with a standard error of 1/√(k-2) at most. A sample that is not
// full is all there is, and exact.
const sampleSize = 64

// sampled is one node of a sample.
type sampled struct {
	node  engine.ID
	count float64 // readers it counts for
	rank  float64
}

// rankOf draws a node's rank.
func rankOf(node engine.ID, count float64, nonce uint64) float64 {
	u := float64(engine.Mix(subscriberKey{node: node}.hash()^engine.Mix(nonce))>>11|1) / (1 << 53)
	return -math.Log(u) / count
}

// sample returns the positions of the entries that prove how many readers there are, the lowest rank
// first. Of a node with several entries the one of most readers stands for it.
func (r *readers) sample(p *subscribers, nonce uint64, most int) []int {
	type position struct {
		rank  float64
		entry int
	}
	var best []position
	loudest := r.loudest(p)
	for i, e := range r.entries {
		home := p.list[e.who].home
		if e.count == 0 || i >= len(r.proofs) {
			continue
		}
		if of, several := loudest[home]; several && of != i {
			continue
		}
		rank := rankOf(p.list[home].node, float64(min(int(e.count), most)), nonce)
		if len(best) == sampleSize && rank >= best[len(best)-1].rank {
			continue
		}
		at, _ := slices.BinarySearchFunc(best, rank, func(b position, rank float64) int {
			if b.rank < rank {
				return -1
			}
			return 1
		})
		if len(best) == sampleSize {
			best = best[:sampleSize-1]
		}
		best = slices.Insert(best, at, position{rank, i})
	}
	positions := make([]int, len(best))
	for i, b := range best {
		positions[i] = b.entry
	}
	return positions
}

// loudest returns, of the nodes that speak for others, the entry of most readers.
func (r *readers) loudest(p *subscribers) map[uint32]int {
	if len(r.agents) == 0 {
		return nil
	}
	best := make(map[uint32]int, len(r.agents))
	for i, e := range r.entries {
		home := p.list[e.who].home
		if _, speaks := r.agents[home]; !speaks || e.count == 0 {
			continue
		}
		if j, ok := best[home]; !ok || e.count > r.entries[j].count {
			best[home] = i
		}
	}
	return best
}

// estimateReaders returns how many readers a sample proves: a standard error less than it comes to, if it
// is full. Of each node the share counts that share returns.
func estimateReaders(sample []sampled, share func(engine.ID) float64) float64 {
	sum := 0.
	if len(sample) < sampleSize {
		for _, s := range sample {
			sum += s.count * share(s.node)
		}
		return sum
	}
	top := 0
	for i, s := range sample {
		if s.rank > sample[top].rank {
			top = i
		}
	}
	for i, s := range sample {
		if i != top {
			sum += s.count * share(s.node) / -math.Expm1(-s.count*sample[top].rank)
		}
	}
	return sum * (1 - 1/math.Sqrt(sampleSize-2))
}
