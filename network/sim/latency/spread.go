package latency

import (
	"math/rand/v2"
	"slices"
	"time"
)

// Spread is how latencies fluctuate around their usual values: for each class of round-trip times, factors that are
// equally likely, in 1/4096 and ascending.
type Spread []SpreadClass

// SpreadClass is the factors of round-trip times up to a bound; the last class's bound is not
// looked at.
type SpreadClass struct {
	UpTo    time.Duration
	Factors [SpreadFactors]uint16
}

// SpreadFactors is how many factors stand for a class's distribution: what is rarer than one
// in that many is cut.
const SpreadFactors = 128

// spreadOne is the factor 1.
const spreadOne = 4096

// maxSpreadSlices bounds how many measurements of one matrix FitSpread uses.
const maxSpreadSlices = 1024

// FitSpread returns how round trips fluctuated between successive measurements of one matrix: each over the pair's
// median, in classes of equally many pairs by median. Pairs that were not measured every time are left out. It panics
// without at least one whole pair a class.
func FitSpread(slices [][][]time.Duration, classes int) Spread {
	pairs := wholePairs(slices)
	if len(pairs) < classes || classes < 1 || len(slices) > maxSpreadSlices {
		panic("sim: too little, or too much, to fit a spread to")
	}
	spread := make(Spread, classes)
	for c := range spread {
		part := pairs[c*len(pairs)/classes : (c+1)*len(pairs)/classes]
		spread[c] = SpreadClass{UpTo: part[len(part)-1].median, Factors: quantiles(part)}
	}
	return spread
}

// history is what was measured of one pair, over time.
type history struct {
	median time.Duration
	rtt    []time.Duration // ascending
}

// wholePairs returns the pairs that were measured in all slices, in the order of their medians.
func wholePairs(all [][][]time.Duration) []history {
	var pairs []history
	for i := range all[0] {
		for j := range all[0] {
			h := history{rtt: make([]time.Duration, 0, len(all))}
			for _, slice := range all {
				if d := slice[i][j]; d > 0 {
					h.rtt = append(h.rtt, d)
				}
			}
			if len(h.rtt) < len(all) {
				continue
			}
			slices.Sort(h.rtt)
			h.median = (h.rtt[(len(all)-1)/2] + h.rtt[len(all)/2]) / 2
			pairs = append(pairs, h)
		}
	}
	slices.SortStableFunc(pairs, func(a, b history) int { return int(a.median - b.median) })
	return pairs
}

func quantiles(pairs []history) (q [SpreadFactors]uint16) {
	var factors []uint16
	for _, h := range pairs {
		for _, d := range h.rtt {
			factors = append(factors, uint16(min(d*spreadOne/h.median, 1<<16-1)))
		}
	}
	slices.Sort(factors)
	for k := range q {
		q[k] = factors[(2*k+1)*len(factors)/(2*SpreadFactors)]
	}
	return q
}

// class returns which class round trips of a length are in.
func (s Spread) class(rtt time.Duration) int {
	c := 0
	for c < len(s)-1 && rtt > s[c].UpTo {
		c++
	}
	return c
}

// draw returns a latency as it is this time, given what it usually is one way.
func (s *SpreadClass) draw(chance *rand.Rand, usual time.Duration) time.Duration {
	return time.Duration(uint64(usual) * uint64(s.Factors[chance.Uint64()%SpreadFactors]) / spreadOne)
}
