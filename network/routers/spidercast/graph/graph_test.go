package graph

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestShapesOfHandMadeGraphs(t *testing.T) {
	w := NewInterests(3, [][]int32{{0, 1}, {0, 1}, {0}, {0, 1}, {1, 2}})
	g := New(w)
	g.Link(0, 1)
	g.Link(1, 2)
	g.Link(2, 3) // of topic 0 alone: topic 1 has 3 and 4 elsewhere
	g.Link(3, 4)
	g.Link(4, 3) // again: no second link
	g.Link(4, 4)
	want := []Shape{{Followers: 4, Components: 1, Diameter: 3}, {Followers: 4, Components: 2, Outside: 2, Diameter: 1},
		{Followers: 1, Components: 1}}
	if got := g.Shapes(true); !slices.Equal(got, want) {
		t.Errorf("shapes are %v, want %v", got, want)
	}
	if got := g.Degrees(); !slices.Equal(got, []float64{1, 2, 2, 2, 1}) {
		t.Errorf("degrees are %v", got)
	}
	if p := Partitioned(g.Shapes(true)); p != 1 {
		t.Errorf("%d topics partitioned", p)
	}
	g.Carries = func(topic, a, b int32) bool { return topic != 0 || a+b != 1 }
	if got := g.Shapes(true)[0]; got != (Shape{Followers: 4, Components: 2, Outside: 1, Diameter: 2}) {
		t.Errorf("without the first link topic 0 is %v", got)
	}
	g.Carries = nil
	left := g.Without([]bool{false, true, false, false, false})
	want = []Shape{{Followers: 3, Components: 2, Outside: 1, Diameter: 1},
		{Followers: 3, Components: 2, Outside: 1, Diameter: 1}, {Followers: 1, Components: 1}}
	if got := left.Shapes(true); !slices.Equal(got, want) {
		t.Errorf("without node 1 shapes are %v, want %v", got, want)
	}
	if got := left.Degrees(); !slices.Equal(got, []float64{0, 1, 2, 1}) {
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
		w := DrawInterests(chance, nodes, 6, 1, 6, Zipf1)
		g := New(w)
		for range rapid.IntRange(0, 3*nodes).Draw(t, "links") {
			g.Link(int32(chance.IntN(nodes)), int32(chance.IntN(nodes)))
		}
		for topic, got := range g.Shapes(true) {
			if want := allPairs(g, topic); got != want {
				t.Fatalf("topic %d: %v, want %v", topic, got, want)
			}
		}
	})
}

func allPairs(g *Graph, topic int) (s Shape) {
	const far = 1 << 20
	n := len(g.Follows)
	in := func(i int) bool { return slices.Contains(g.Follows[i], int32(topic)) }
	hops := make([][]int, n)
	for i := range hops {
		hops[i] = make([]int, n)
		for j := range hops[i] {
			switch hops[i][j] = far; {
			case i == j:
				hops[i][j] = 0
			case in(i) && in(j) && slices.Contains(g.Links[i], int32(j)):
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
				s.Diameter = max(s.Diameter, hops[i][j])
			}
		}
		if first {
			s.Components++
		}
		largest = max(largest, size)
	}
	s.Followers, s.Outside = followers, followers-largest
	return s
}

// The quickest way may have more links; nobody but followers hands an event on.
func TestSoonestIsTheQuickestWay(t *testing.T) {
	w := NewInterests(2, [][]int32{{0, 1}, {0}, {0, 1}, {0, 1}})
	g := New(w)
	g.Link(0, 1)
	g.Link(1, 2)
	g.Link(0, 2)
	g.Link(2, 3)
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
		if got := g.Soonest(test.topic, test.from, oneWay); got != test.want {
			t.Errorf("topic %d from %d: %d, want %d", test.topic, test.from, got, test.want)
		}
	}
}
