package graph

import (
	"math"
	"math/rand/v2"
	"slices"
	"sort"
)

// Popularity says how likely a node is to follow each topic (section 3.1), the most popular first.
type Popularity struct {
	Name   string // in figures and plots
	weight func(topic, topics int) float64
}

// The paper's popularities. NYSE is exponential: the most popular tenth of the topics gets nyseShare of the choices.
var (
	RSS     = Popularity{"rss", zipfWeight(0.5)}
	Zipf1   = Popularity{"zipf1", zipfWeight(1)}
	Zipf2   = Popularity{"zipf2", zipfWeight(2)}
	NYSE    = Popularity{"nyse", exponentialWeight}
	Uniform = Popularity{"uniform", func(int, int) float64 { return 1 }}
)

// nyseShare is which share of the choices falls on the most popular tenth of the topics.
const nyseShare = 0.55

func zipfWeight(exponent float64) func(topic, topics int) float64 {
	return func(topic, _ int) float64 { return math.Pow(float64(topic+1), -exponent) }
}

// exponentialWeight weights the topics with powers of one number. If x is that number to the power of a tenth of the
// topics, the first tenth has the share (1-x)/(1-x^10).
func exponentialWeight(topic, topics int) float64 {
	x := 1 - nyseShare
	for range 30 { // it converges at once, as x^10 is small
		x = 1 - nyseShare*(1-math.Pow(x, 10))
	}
	return math.Pow(x, 10*float64(topic)/float64(topics))
}

// Interests are the topics that nodes follow.
type Interests struct {
	Topics    int
	Follows   [][]int32 // by node, ascending
	Followers [][]int32 // by topic, ascending
}

// NewInterests returns interests by node.
func NewInterests(topics int, follows [][]int32) *Interests {
	w := &Interests{Topics: topics, Follows: follows, Followers: make([][]int32, topics)}
	for n, list := range follows {
		for _, t := range list {
			w.Followers[t] = append(w.Followers[t], int32(n))
		}
	}
	return w
}

// DrawInterests has each node choose from least to most topics, without repetition.
func DrawInterests(chance *rand.Rand, nodes, topics, least, most int, p Popularity) *Interests {
	sums, follows := p.sums(topics), make([][]int32, nodes)
	for n := range follows {
		follows[n] = drawTopics(chance, sums, least+chance.IntN(most-least+1))
	}
	return NewInterests(topics, follows)
}

// Draw draws different topics.
func (p Popularity) Draw(chance *rand.Rand, topics, count int) []int32 {
	return drawTopics(chance, p.sums(topics), count)
}

// sums returns the sums of the weights up to each topic.
func (p Popularity) sums(topics int) []float64 {
	sums := make([]float64, topics)
	total := 0.0
	for i := range sums {
		total += p.weight(i, topics)
		sums[i] = total
	}
	return sums
}

// drawTopics draws different topics, by the sums of the weights up to each.
func drawTopics(chance *rand.Rand, sums []float64, count int) []int32 {
	chosen := make([]int32, 0, count)
	for len(chosen) < count {
		t := sort.SearchFloat64s(sums, chance.Float64()*sums[len(sums)-1])
		if t := int32(min(t, len(sums)-1)); !slices.Contains(chosen, t) {
			chosen = append(chosen, t)
		}
	}
	slices.Sort(chosen)
	return chosen
}

// MeanIntersection is tdi(d) of section 3.4, a share: how much of its topics a node has in common with the d nodes that
// are most like it. It is the average over this number of nodes.
func (w *Interests) MeanIntersection(d, nodes int) float64 {
	nodes = min(nodes, len(w.Follows))
	d = min(d, len(w.Follows)-1)
	if d < 1 {
		return 0
	}
	common := make([]int, len(w.Follows))
	shares := make([]float64, len(w.Follows))
	total := 0.0
	for n := range nodes {
		clear(common)
		for _, t := range w.Follows[n] {
			for _, other := range w.Followers[t] {
				common[other]++
			}
		}
		common[n] = 0
		for other, c := range common {
			shares[other] = float64(c) / float64(min(len(w.Follows[n]), len(w.Follows[other])))
		}
		slices.Sort(shares)
		sum := 0.0
		for _, x := range shares[len(shares)-d:] {
			sum += x
		}
		total += sum / float64(d)
	}
	return total / float64(nodes)
}
