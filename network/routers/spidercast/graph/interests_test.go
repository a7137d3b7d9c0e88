package graph

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestPopularities(t *testing.T) {
	const topics = 100
	for _, c := range []struct {
		p     Popularity
		first float64 // the first topic's share, worked out by hand
		tenth float64 // of the most popular tenth
	}{
		{RSS, 1 / 18.5896, 5.0210 / 18.5896},
		{Zipf1, 1 / 5.18738, 2.92897 / 5.18738},
		{Zipf2, 1 / 1.63498, 1.54977 / 1.63498},
		{NYSE, 0.07673, 0.55},
		{Uniform, 0.01, 0.1},
	} {
		sum, tenth := 0.0, 0.0
		for i := range topics {
			if sum += c.p.weight(i, topics); i < topics/10 {
				tenth = sum
			}
		}
		if first := c.p.weight(0, topics) / sum; math.Abs(first-c.first) > 1e-4 || math.Abs(tenth/sum-c.tenth) > 1e-4 {
			t.Errorf("%s: the first has %.5f, want %.5f; the tenth %.5f, want %.5f", c.p.Name, first, c.first,
				tenth/sum, c.tenth)
		}
	}
}

func TestDrawInterests(t *testing.T) {
	w := DrawInterests(rand.New(rand.NewPCG(1, 1)), 20_000, 50, 3, 5, Zipf1)
	sizes := make(map[int]int)
	for n, follows := range w.Follows {
		sizes[len(follows)]++
		for i, topic := range follows {
			if i > 0 && follows[i-1] >= topic {
				t.Fatalf("node %d follows %v", n, follows)
			}
			if _, is := slices.BinarySearch(w.Followers[topic], int32(n)); !is {
				t.Fatalf("node %d is not among the followers of %d", n, topic)
			}
		}
	}
	for size := 3; size <= 5; size++ {
		if c := sizes[size]; c < 6400 || c > 6940 { // a third, plus or minus four deviations
			t.Errorf("%d nodes have %d topics", c, size)
		}
	}
	if len(sizes) != 3 {
		t.Errorf("there are %v topics", sizes)
	}
	// One topic each: shares are the weights.
	w = DrawInterests(rand.New(rand.NewPCG(1, 2)), 20_000, 50, 1, 1, Zipf1)
	if c := float64(len(w.Followers[0])); math.Abs(c-20_000/4.49921) > 4*math.Sqrt(20_000*0.222*0.778) {
		t.Errorf("the first topic has %v followers", c)
	}
	if w := DrawInterests(rand.New(rand.NewPCG(1, 3)), 5, 12, 12, 12, Zipf2); len(w.Followers[11]) != 5 {
		t.Error("with as many subscriptions as topics not everybody follows everything")
	}
}

func TestMeanIntersection(t *testing.T) {
	w := NewInterests(5, [][]int32{{0, 1, 2, 3}, {0, 1}, {2, 4}, {4}})
	// Shares with the others: node 0: 1, 1/2, 0. Node 1: 1, 0, 0. Node 2: 1/2, 0, 1. Node 3: 0, 0, 1.
	for _, c := range []struct {
		d, nodes int
		want     float64
	}{{1, 4, 1}, {2, 4, (1.5/2 + 0.5 + 1.5/2 + 0.5) / 4}, {3, 2, (0.5 + 1.0/3) / 2}, {9, 1, 0.5}} {
		if got := w.MeanIntersection(c.d, c.nodes); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("tdi(%d) of %d nodes is %v, want %v", c.d, c.nodes, got, c.want)
		}
	}
}
