package experiments

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"tidings/network/engine"
)

// topicPopularity says how likely a node is to follow each topic (section 3.1), the most popular first.
type topicPopularity struct {
	name   string // in figures and plots
	weight func(topic, topics int) float64
}

// The paper's popularities. NYSE is exponential: the most popular tenth of the topics gets nyseShare of the choices.
var (
	rssTopics     = topicPopularity{"rss", zipfWeight(0.5)}
	zipf1Topics   = topicPopularity{"zipf1", zipfWeight(1)}
	zipf2Topics   = topicPopularity{"zipf2", zipfWeight(2)}
	nyseTopics    = topicPopularity{"nyse", exponentialWeight}
	uniformTopics = topicPopularity{"uniform", func(int, int) float64 { return 1 }}
)

// nyseShare is which share of the choices falls on the most popular tenth of the topics.
const nyseShare = 0.55

func zipfWeight(exponent float64) func(topic, topics int) float64 {
	return func(topic, _ int) float64 { return math.Pow(float64(topic+1), -exponent) }
}

// exponentialWeight weights the topics with powers of one number. If x is that number to the power of a tenth of the topics,
// the first tenth has the share (1-x)/(1-x^10).
func exponentialWeight(topic, topics int) float64 {
	x := 1 - nyseShare
	for range 30 { // it converges at once, as x^10 is small
		x = 1 - nyseShare*(1-math.Pow(x, 10))
	}
	return math.Pow(x, 10*float64(topic)/float64(topics))
}

// interests are the topics that nodes follow.
type interests struct {
	topics    int
	follows   [][]int32 // by node, ascending
	followers [][]int32 // by topic, ascending
}

// drawInterests has each node choose from least to most topics, without repetition.
func drawInterests(chance *rand.Rand, nodes, topics, least, most int, p topicPopularity) *interests {
	sums := p.sums(topics)
	w := &interests{topics: topics, follows: make([][]int32, nodes), followers: make([][]int32, topics)}
	for n := range w.follows {
		w.follows[n] = drawTopics(chance, sums, least+chance.IntN(most-least+1))
		for _, t := range w.follows[n] {
			w.followers[t] = append(w.followers[t], int32(n))
		}
	}
	return w
}

// sums returns the sums of the weights up to each topic.
func (p topicPopularity) sums(topics int) []float64 {
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

// topicID names a topic in messages.
func topicID(topic int) engine.ID { return engine.IDOf(fmt.Append(nil, "topic ", topic)) }

// meanIntersection is tdi(d) of section 3.4, a share: how much of its topics a node has in common with the d nodes that have most
// in common with it, on average over some nodes.
func (w *interests) meanIntersection(d, nodes int) float64 {
	nodes = min(nodes, len(w.follows))
	d = min(d, len(w.follows)-1)
	if d < 1 {
		return 0
	}
	common := make([]int, len(w.follows))
	shares := make([]float64, len(w.follows))
	total := 0.0
	for n := range nodes {
		clear(common)
		for _, t := range w.follows[n] {
			for _, other := range w.followers[t] {
				common[other]++
			}
		}
		common[n] = 0
		for other, c := range common {
			shares[other] = float64(c) / float64(min(len(w.follows[n]), len(w.follows[other])))
		}
		slices.Sort(shares)
		total += mean(shares[len(shares)-d:])
	}
	return total / float64(nodes)
}
