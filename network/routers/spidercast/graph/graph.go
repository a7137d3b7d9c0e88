// Package graph says what overlays look like to an observer that sees all of them: how nodes that follow a topic are
// connected among themselves. It is for tests and experiments, as is what nodes follow.
package graph

import (
	"slices"
	"time"
)

// Graph is an overlay as an observer sees it: which nodes are linked. Links have no direction.
type Graph struct {
	*Interests
	Links [][]int32 // by node

	// Carries, if not nil, reports whether a link between two followers of a topic counts for it.
	Carries func(topic, a, b int32) bool
}

// New returns a graph without links.
func New(w *Interests) *Graph {
	return &Graph{Interests: w, Links: make([][]int32, len(w.Follows))}
}

// Link links two nodes, if they are not yet.
func (g *Graph) Link(a, b int32) {
	if a != b && !slices.Contains(g.Links[a], b) {
		g.Links[a], g.Links[b] = append(g.Links[a], b), append(g.Links[b], a)
	}
}

// EachCommon calls f for the topics that two nodes share.
func EachCommon(w *Interests, a, b int32, f func(topic int32)) {
	left, right := w.Follows[a], w.Follows[b]
	for len(left) > 0 && len(right) > 0 {
		switch {
		case left[0] < right[0]:
			left = left[1:]
		case left[0] > right[0]:
			right = right[1:]
		default:
			f(left[0])
			left, right = left[1:], right[1:]
		}
	}
}

// Without returns the graph that is left without the gone nodes: they follow nothing and have no links. Followers are
// those that follow a topic now.
func (g *Graph) Without(gone []bool) *Graph {
	follows, links := make([][]int32, len(g.Follows)), make([][]int32, len(g.Follows))
	isGone := func(n int32) bool { return gone[n] }
	for n := range g.Follows {
		if !gone[n] {
			follows[n] = g.Follows[n]
			links[n] = slices.DeleteFunc(slices.Clone(g.Links[n]), isGone)
		}
	}
	return &Graph{NewInterests(g.Topics, follows), links, g.Carries}
}

// Degrees returns how many links each node that follows anything has.
func (g *Graph) Degrees() (list []float64) {
	for n, l := range g.Links {
		if len(g.Follows[n]) > 0 {
			list = append(list, float64(len(l)))
		}
	}
	return list
}

// Shape is what the part of a graph looks like that consists of a topic's followers.
type Shape struct {
	Followers  int
	Components int
	Outside    int // followers that are not in the largest component
	Diameter   int // most hops between two followers in one component
}

// Shapes returns the shape of each topic. Without diameters it needs a tenth of the time.
func (g *Graph) Shapes(diameters bool) []Shape {
	shapes := make([]Shape, g.Topics)
	seat := make([]int32, len(g.Follows)) // by node: its number among the followers, plus 1
	for t, followers := range g.Followers {
		for i, n := range followers {
			seat[n] = int32(i) + 1
		}
		inside := make([][]int32, len(followers))
		for i, n := range followers {
			for _, other := range g.Links[n] {
				if seat[other] > 0 && (g.Carries == nil || g.Carries(int32(t), n, other)) {
					inside[i] = append(inside[i], seat[other]-1)
				}
			}
		}
		shapes[t].Followers = len(followers)
		shapes[t].Components, shapes[t].Outside = components(inside)
		if diameters {
			shapes[t].Diameter = diameter(inside)
		}
		for _, n := range followers {
			seat[n] = 0
		}
	}
	return shapes
}

// Soonest returns how long an event of a topic needs to the last follower, if each follower has it by the quickest way
// over links between followers.
func (g *Graph) Soonest(topic, from int32, oneWay func(from, to int32) time.Duration) (last time.Duration) {
	at := map[int32]time.Duration{from: 0}
	for open := []int32{from}; len(open) > 0; open = open[1:] {
		for _, n := range g.Links[open[0]] {
			if _, follows := slices.BinarySearch(g.Follows[n], topic); !follows {
				continue
			}
			d := at[open[0]] + oneWay(open[0], n)
			if before, ok := at[n]; !ok || d < before {
				at[n], open = d, append(open, n)
			}
		}
	}
	for _, d := range at {
		last = max(last, d)
	}
	return last
}

// components returns how many components a graph has, and how many nodes are not in the largest.
func components(links [][]int32) (count, outside int) {
	seen := make([]bool, len(links))
	largest := 0
	var open []int32
	for start := range links {
		if seen[start] {
			continue
		}
		count++
		seen[start], open = true, append(open[:0], int32(start))
		for i := 0; i < len(open); i++ {
			for _, n := range links[open[i]] {
				if !seen[n] {
					seen[n], open = true, append(open, n)
				}
			}
		}
		largest = max(largest, len(open))
	}
	return count, len(links) - largest
}

// diameter returns the most hops between two nodes that are connected. It is exact: it searches from all nodes, 64 at a
// time, one a bit.
func diameter(links [][]int32) (most int) {
	const batch = 64
	seen, front, next := make([]uint64, len(links)), make([]uint64, len(links)), make([]uint64, len(links))
	for start := 0; start < len(links); start += batch {
		clear(seen)
		clear(front)
		for i := start; i < min(start+batch, len(links)); i++ {
			seen[i] = 1 << (i - start)
			front[i] = seen[i]
		}
		for hops := 1; ; hops++ {
			clear(next)
			for n, from := range front {
				if from != 0 {
					for _, other := range links[n] {
						next[other] |= from
					}
				}
			}
			reached := false
			for n := range next {
				next[n] &^= seen[n]
				seen[n] |= next[n]
				reached = reached || next[n] != 0
			}
			if !reached {
				break
			}
			most = max(most, hops)
			front, next = next, front
		}
	}
	return most
}

// Partitioned returns how many topics have more than one component.
func Partitioned(shapes []Shape) (count int) {
	for _, s := range shapes {
		if s.Components > 1 {
			count++
		}
	}
	return count
}
