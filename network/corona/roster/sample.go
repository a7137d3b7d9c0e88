package roster

import (
	"cmp"
	"math"
	"slices"

	"tidings/network/engine"
)

// A primary proves how many readers a channel has by a sample of its signed subscriptions. It is the bottom-k sample
// with exponential ranks of Cohen and Kaplan ("Summarizing data using bottom-k sketches", PODC 2007). Each node that
// subscribes for w readers has the rank -ln(u)/w. Here u is drawn from its ID and a number that the requester has
// invented. The sample is the SampleSize nodes of lowest rank. A primary that leaves nodes out, or has fewer, can only
// show higher ranks, and so fewer readers. As the number is new each time, nobody can have prepared nodes that rank
// low.
//
// If t is the highest rank of a full sample, a node of w readers is below it with the chance 1-exp(-wt). So the sum
// over all others of w/(1-exp(-wt)) is the number of readers, on average (Horvitz and Thompson). Its standard error is
// at most 1/√(k-2). A sample that is not full is complete, and exact.

// SampleSize is k.
const SampleSize = 64

// Sampled is one node of a sample.
type Sampled struct {
	Node  engine.ID
	Count float64 // readers it counts for
	Rank  float64
	// Crowded: it proves no readers, as too many others of the sample are in its part of the network.
	Crowded bool
}

// Rank draws a node's rank.
func Rank(node engine.ID, count float64, nonce uint64) float64 {
	return rank(subscriberKey{node: node}.hash(), count, nonce)
}

func rank(hash uint64, count float64, nonce uint64) float64 {
	u := float64(engine.Mix(hash^engine.Mix(nonce))>>11|1) / (1 << 53)
	return -math.Log(u) / count
}

// sample returns the positions of the entries that prove how many readers there are, the lowest rank first. A node with
// several entries is represented by the one with most readers.
func (r *readers) sample(p *subscribers, nonce uint64, most int) []int {
	type ranked struct {
		rank  float64
		entry int
	}
	var best []ranked
	highest := math.Inf(1) // of SampleSize ranks so far
	cut := func(most int) {
		if len(best) > most {
			slices.SortFunc(best, func(a, b ranked) int { return cmp.Compare(a.rank, b.rank) })
			best = best[:SampleSize]
			highest = best[SampleSize-1].rank
		}
	}
	loudest := r.loudest(p)
	for i, e := range r.entries {
		home := p.list[e.number].home
		if of, several := loudest[home]; e.count == 0 || i >= len(r.proofs) || several && of != i {
			continue
		}
		if x := rank(p.list[home].hash, float64(min(int(e.count), most)), nonce); x <= highest {
			best = append(best, ranked{x, i})
			cut(2 * SampleSize)
		}
	}
	cut(SampleSize)
	positions := make([]int, len(best))
	for i, b := range best {
		positions[i] = b.entry
	}
	return positions
}

// loudest returns, for each node that speaks for others, the entry with most readers.
func (r *readers) loudest(p *subscribers) map[uint32]int {
	best := make(map[uint32]int)
	consider := func(i int, e entry) {
		home := p.list[e.number].home
		if j, ok := best[home]; !ok || e.count > r.entries[j].count {
			best[home] = i
		}
	}
	for i, e := range r.entries {
		if e.count > 0 && p.list[e.number].home != e.number {
			consider(i, e)
		}
	}
	for i, e := range r.entries {
		if _, speaks := best[e.number]; speaks {
			consider(i, e)
		}
	}
	return best
}

// Stands returns how many readers each node of a sample stands for; 0: it proves none. Their sum estimates the readers
// of the channel. For a full sample it is a standard error below the estimate.
func Stands(sample []Sampled) []float64 {
	stands := make([]float64, len(sample))
	top := -1
	if len(sample) == SampleSize {
		top = 0
		for i, s := range sample {
			if s.Rank > sample[top].Rank {
				top = i
			}
		}
	}
	for i, s := range sample {
		switch {
		case s.Crowded || i == top:
		case top < 0:
			stands[i] = s.Count
		default:
			stands[i] = s.Count / -math.Expm1(-s.Count*sample[top].Rank) * (1 - 1/math.Sqrt(SampleSize-2))
		}
	}
	return stands
}
