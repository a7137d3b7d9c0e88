package experiments

import (
	"slices"
	"time"
)

// topicGraph is an overlay as an observer sees it: who is linked to whom. Links have no direction.
type topicGraph struct {
	*interests
	links [][]int32 // by node
}

// newTopicGraph returns a graph without links.
func newTopicGraph(w *interests) *topicGraph {
	return &topicGraph{interests: w, links: make([][]int32, len(w.follows))}
}

// link links two nodes, if they are not yet.
func (g *topicGraph) link(a, b int32) {
	if a != b && !slices.Contains(g.links[a], b) {
		g.links[a], g.links[b] = append(g.links[a], b), append(g.links[b], a)
	}
}

// eachCommon calls f for the topics that two nodes share.
func (w *interests) eachCommon(a, b int32, f func(topic int32)) {
	left, right := w.follows[a], w.follows[b]
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

// without returns the graph that is left if some nodes are gone: they follow nothing and have no links. Followers are those that
// follow a topic now.
func (g *topicGraph) without(gone []bool) *topicGraph {
	w := &interests{topics: g.topics, follows: make([][]int32, len(g.follows)), followers: make([][]int32, g.topics)}
	left := newTopicGraph(w)
	isGone := func(n int32) bool { return gone[n] }
	for n := range g.follows {
		if !gone[n] {
			w.follows[n] = g.follows[n]
			for _, t := range w.follows[n] {
				w.followers[t] = append(w.followers[t], int32(n))
			}
			left.links[n] = slices.DeleteFunc(slices.Clone(g.links[n]), isGone)
		}
	}
	return left
}

// degrees returns how many links each node that follows anything has.
func (g *topicGraph) degrees() (list []float64) {
	for n, l := range g.links {
		if len(g.follows[n]) > 0 {
			list = append(list, float64(len(l)))
		}
	}
	return list
}

// topicShape is what the part of a graph looks like that consists of a topic's followers.
type topicShape struct {
	components int
	outside    int // followers that are not in the largest component
	diameter   int // most hops between two followers in one component
}

// shapes returns the shape of each topic. Without diameters it takes a tenth of the time.
func (g *topicGraph) shapes(diameters bool) []topicShape {
	shapes := make([]topicShape, g.topics)
	seat := make([]int32, len(g.follows)) // by node: its number among the followers, plus 1
	for t, followers := range g.followers {
		for i, n := range followers {
			seat[n] = int32(i) + 1
		}
		inside := make([][]int32, len(followers))
		for i, n := range followers {
			for _, other := range g.links[n] {
				if seat[other] > 0 {
					inside[i] = append(inside[i], seat[other]-1)
				}
			}
		}
		shapes[t].components, shapes[t].outside = components(inside)
		if diameters {
			shapes[t].diameter = diameter(inside)
		}
		for _, n := range followers {
			seat[n] = 0
		}
	}
	return shapes
}

// soonest returns how long an event of a topic is under way to the last follower if each has it the quickest way over links between
// followers.
func (g *topicGraph) soonest(topic, from int32, oneWay func(from, to int32) time.Duration) (last time.Duration) {
	at := map[int32]time.Duration{from: 0}
	for open := []int32{from}; len(open) > 0; open = open[1:] {
		for _, n := range g.links[open[0]] {
			if _, follows := slices.BinarySearch(g.follows[n], topic); !follows {
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

// diameter returns the most hops between two nodes that are connected. It is exact: it searches from all nodes, 64 at a time, one a bit.
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

// partitioned returns how many topics have more than one component.
func partitioned(shapes []topicShape) (count int) {
	for _, s := range shapes {
		if s.components > 1 {
			count++
		}
	}
	return count
}

// allComponents returns the components of all topics together (figure 13): as many as there are topics is best.
func allComponents(shapes []topicShape) (count int) {
	for _, s := range shapes {
		count += s.components
	}
	return count
}

// largestDiameter returns the largest diameter of a topic.
func largestDiameter(shapes []topicShape) (most int) {
	for _, s := range shapes {
		most = max(most, s.diameter)
	}
	return most
}
