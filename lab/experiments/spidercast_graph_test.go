package experiments

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// handMade returns interests by node.
func handMade(topics int, follows ...[]int32) *interests {
	w := &interests{topics: topics, follows: follows, followers: make([][]int32, topics)}
	for n, list := range follows {
		for _, t := range list {
			w.followers[t] = append(w.followers[t], int32(n))
		}
	}
	return w
}

func TestShapesOfHandMadeGraphs(t *testing.T) {
	w := handMade(3, []int32{0, 1}, []int32{0, 1}, []int32{0}, []int32{0, 1}, []int32{1, 2})
	g := newTopicGraph(w)
	g.link(0, 1)
	g.link(1, 2)
	g.link(2, 3) // of topic 0 alone: topic 1 has 3 and 4 elsewhere
	g.link(3, 4)
	g.link(4, 3) // again: no second link
	g.link(4, 4)
	want := []topicShape{{components: 1, diameter: 3}, {components: 2, outside: 2, diameter: 1}, {components: 1}}
	if got := g.shapes(true); !slices.Equal(got, want) {
		t.Errorf("shapes are %v, want %v", got, want)
	}
	if got := g.degrees(); !slices.Equal(got, []float64{1, 2, 2, 2, 1}) {
		t.Errorf("degrees are %v", got)
	}
	shapes := g.shapes(true)
	if p, c, d := partitioned(shapes), allComponents(shapes), largestDiameter(shapes); p != 1 || c != 4 || d != 3 {
		t.Errorf("%d topics partitioned, %d components, diameter %d", p, c, d)
	}
	left := g.without([]bool{false, true, false, false, false})
	want = []topicShape{{components: 2, outside: 1, diameter: 1}, {components: 2, outside: 1, diameter: 1}, {components: 1}}
	if got := left.shapes(true); !slices.Equal(got, want) {
		t.Errorf("without node 1 shapes are %v, want %v", got, want)
	}
	if got := left.degrees(); !slices.Equal(got, []float64{0, 1, 2, 1}) {
		t.Errorf("without node 1 degrees are %v", got)
	}
	if d := diameter(circle(200)); d != 100 {
		t.Errorf("a ring of 200 has diameter %d", d) // several batches of sources
	}
}

func circle(n int) (links [][]int32) {
	for i := range n {
		links = append(links, []int32{int32((i + 1) % n), int32((i + n - 1) % n)})
	}
	return links
}

// All-pairs distances by Floyd and Warshall say the same as the shapes.
func TestShapesAreThoseOfAllPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		chance := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		nodes := rapid.IntRange(1, 90).Draw(t, "nodes")
		w := drawInterests(chance, nodes, 6, 1, 6, zipf1Topics)
		g := newTopicGraph(w)
		for range rapid.IntRange(0, 3*nodes).Draw(t, "links") {
			g.link(int32(chance.IntN(nodes)), int32(chance.IntN(nodes)))
		}
		for topic, got := range g.shapes(true) {
			if want := allPairs(g, topic); got != want {
				t.Fatalf("topic %d: %v, want %v", topic, got, want)
			}
		}
	})
}

func allPairs(g *topicGraph, topic int) (s topicShape) {
	const far = 1 << 20
	n := len(g.follows)
	in := func(i int) bool { return slices.Contains(g.follows[i], int32(topic)) }
	hops := make([][]int, n)
	for i := range hops {
		hops[i] = make([]int, n)
		for j := range hops[i] {
			switch hops[i][j] = far; {
			case i == j:
				hops[i][j] = 0
			case in(i) && in(j) && slices.Contains(g.links[i], int32(j)):
				hops[i][j] = 1
			}
		}
	}
	for k := range n {
		for i := range n {
			for j := range n {
				hops[i][j] = min(hops[i][j], hops[i][k]+hops[k][j])
			}
		}
	}
	largest, followers := 0, 0
	for i := range n {
		if !in(i) {
			continue
		}
		followers++
		size, first := 0, true
		for j := range n {
			if in(j) && hops[i][j] < far {
				size++
				first = first && j >= i
				s.diameter = max(s.diameter, hops[i][j])
			}
		}
		if first {
			s.components++
		}
		largest = max(largest, size)
	}
	s.outside = followers - largest
	return s
}

// The quickest way may have more links; nobody but followers hands an event on.
func TestSoonestIsTheQuickestWay(t *testing.T) {
	w := handMade(2, []int32{0, 1}, []int32{0}, []int32{0, 1}, []int32{0, 1})
	g := newTopicGraph(w)
	g.link(0, 1)
	g.link(1, 2)
	g.link(0, 2)
	g.link(2, 3)
	oneWay := func(a, b int32) time.Duration {
		if a+b == 2 {
			return 9 // between 0 and 2
		}
		return time.Duration(a + b)
	}
	for _, test := range []struct {
		topic, from int32
		want        time.Duration
	}{{0, 0, 1 + 3 + 5}, {0, 3, 5 + 3 + 1}, {0, 1, 3 + 5}, {1, 0, 9 + 5}} {
		if got := g.soonest(test.topic, test.from, oneWay); got != test.want {
			t.Errorf("topic %d from %d: %d, want %d", test.topic, test.from, got, test.want)
		}
	}
}

// Where all links are equally quick, the last of all followers is a diameter away from the worst publisher.
func TestSoonestIsTheDiameterWhereLinksAreAlike(t *testing.T) {
	w := drawInterests(rand.New(rand.NewPCG(1, 1)), 200, 10, 3, 3, rssTopics)
	g := ringPerTopic(w)
	for topic, shape := range g.shapes(true) {
		most := time.Duration(0)
		for _, n := range w.followers[topic] {
			most = max(most, g.soonest(int32(topic), n, func(_, _ int32) time.Duration { return 1 }))
		}
		if int(most) != shape.diameter {
			t.Errorf("topic %d: %d, and the diameter is %d", topic, most, shape.diameter)
		}
	}
}

func TestRingPerTopic(t *testing.T) {
	w := handMade(3, []int32{0, 1}, []int32{0, 1}, []int32{0}, []int32{0, 1}, []int32{2})
	g := ringPerTopic(w)
	// Topic 0: 0-1-2-3-0. Topic 1: 0-1-3-0, of which 0-1 and 3-0 are there. Topic 2: a node alone.
	if got := g.degrees(); !slices.Equal(got, []float64{2, 3, 2, 3, 0}) {
		t.Errorf("degrees are %v", got)
	}
	if p := partitioned(ringPerTopic(drawInterests(rand.New(rand.NewPCG(1, 1)), 100, 20, 5, 5, rssTopics)).shapes(false)); p != 0 {
		t.Errorf("%d topics are partitioned", p)
	}
}

// The next link of the greedy merge joins as many components as any pair would: so says a dumb one that tries all pairs each time.
func TestGreedyMergeTakesTheBest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		chance := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		nodes := rapid.IntRange(2, 25).Draw(t, "nodes")
		w := drawInterests(chance, nodes, 8, 1, 5, rssTopics)
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
	w := drawInterests(rand.New(rand.NewPCG(1, 1)), 1000, 100, 10, 10, rssTopics)
	g := greedyMerge(rand.New(rand.NewPCG(1, 2)), w)
	if d := mean(g.degrees()); d < 5.2 || d > 5.5 {
		t.Errorf("the mean degree is %.3f", d)
	}
	if p := partitioned(g.shapes(false)); p != 0 {
		t.Errorf("%d topics are partitioned", p)
	}
}
