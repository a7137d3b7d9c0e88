package spidercast

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"tidings/lab/stats"
	"tidings/network/routers/spidercast/graph"

	"pgregory.net/rapid"
)

// Where all links are equally quick, the last of all followers is a diameter away from the worst publisher.
func TestSoonestIsTheDiameterWhereLinksAreAlike(t *testing.T) {
	w := graph.DrawInterests(rand.New(rand.NewPCG(1, 1)), 200, 10, 3, 3, graph.RSS)
	g := ringPerTopic(w)
	for topic, shape := range g.Shapes(true) {
		most := time.Duration(0)
		for _, n := range w.Followers[topic] {
			most = max(most, g.Soonest(int32(topic), n, func(_, _ int32) time.Duration { return 1 }))
		}
		if int(most) != shape.Diameter {
			t.Errorf("topic %d: %d, and the diameter is %d", topic, most, shape.Diameter)
		}
	}
}

func TestRingPerTopic(t *testing.T) {
	w := graph.NewInterests(3, [][]int32{{0, 1}, {0, 1}, {0}, {0, 1}, {2}})
	g := ringPerTopic(w)
	// Topic 0: 0-1-2-3-0. Topic 1: 0-1-3-0, of which 0-1 and 3-0 are there. Topic 2: a node alone.
	if got := g.Degrees(); !slices.Equal(got, []float64{2, 3, 2, 3, 0}) {
		t.Errorf("degrees are %v", got)
	}
	if p := graph.Partitioned(ringPerTopic(graph.DrawInterests(rand.New(rand.NewPCG(1, 1)), 100, 20, 5, 5,
		graph.RSS)).Shapes(false)); p != 0 {
		t.Errorf("%d topics are partitioned", p)
	}
}

// The next link of the greedy merge joins as many components as any pair would. A simple one that tries all pairs each
// time confirms it.
func TestGreedyMergeTakesTheBest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		chance := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		nodes := rapid.IntRange(2, 25).Draw(t, "nodes")
		w := graph.DrawInterests(chance, nodes, 8, 1, 5, graph.RSS)
		sets := newTopicSets(w)
		for _, l := range mergeLinks(chance, w) {
			best := 0
			for a := range int32(nodes) {
				for b := range a {
					best = max(best, sets.joins(a, b))
				}
			}
			if got := sets.joins(l[0], l[1]); got != best {
				t.Fatalf("link %v joins %d components, another %d", l, got, best)
			}
			sets.join(l[0], l[1])
		}
		for a := range int32(nodes) {
			for b := range a {
				if sets.joins(a, b) > 0 {
					t.Fatalf("nodes %d and %d share a topic and are not connected on it", a, b)
				}
			}
		}
	})
}

// The paper on GM: 5.35 links a node at 1,000 nodes, of 100 topics with 10 subscriptions.
func TestGreedyMergeIsTheLimit(t *testing.T) {
	w := graph.DrawInterests(rand.New(rand.NewPCG(1, 1)), 1000, 100, 10, 10, graph.RSS)
	g := greedyMerge(rand.New(rand.NewPCG(1, 2)), w)
	if d := stats.Mean(g.Degrees()); d < 5.2 || d > 5.5 {
		t.Errorf("the mean degree is %.3f", d)
	}
	if p := graph.Partitioned(g.Shapes(false)); p != 0 {
		t.Errorf("%d topics are partitioned", p)
	}
}
