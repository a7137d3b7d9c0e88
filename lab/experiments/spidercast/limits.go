package spidercast

import (
	"math/rand/v2"

	"tidings/network/spidercast/graph"
)

// ringPerTopic links the followers of each topic in a ring, in the order of their numbers, which are drawn by lot as identifiers are
// (section 3.9.2). A link that two rings need counts once.
func ringPerTopic(w *graph.Interests) *graph.Graph {
	g := graph.New(w)
	for _, followers := range w.Followers {
		for i, n := range followers {
			g.Link(n, followers[(i+1)%len(followers)])
		}
	}
	return g
}

// greedyMerge connects all topics with few links as somebody could who sees everything: GM of Chockler, Melamed, Tock and
// Vitenberg, "Constructing scalable overlays for pub-sub with many topics" (PODC 2007). The next link is one that joins two
// components of as many topics as any. No network can run it; it is the limit that others are held against.
//
// What a link joins only falls as others come. So all pairs lie in buckets by what they joined when they were last looked at;
// those of the highest bucket are looked at again, and are linked or fall.
func greedyMerge(chance *rand.Rand, w *graph.Interests) *graph.Graph {
	g := graph.New(w)
	for _, l := range mergeLinks(chance, w) {
		g.Link(l[0], l[1])
	}
	return g
}

// mergeLinks returns the links of greedyMerge as they come.
func mergeLinks(chance *rand.Rand, w *graph.Interests) (links [][2]int32) {
	merged := newTopicSets(w)
	buckets := pairsByCommon(w)
	for worth := len(buckets) - 1; worth > 0; worth-- {
		pairs := buckets[worth]
		chance.Shuffle(len(pairs), func(i, j int) { pairs[i], pairs[j] = pairs[j], pairs[i] })
		for _, p := range pairs {
			if now := merged.joins(p[0], p[1]); now < worth {
				buckets[now] = append(buckets[now], p)
				continue
			}
			merged.join(p[0], p[1])
			links = append(links, p)
		}
		buckets[worth] = nil
	}
	return links
}

// pairsByCommon returns all pairs of nodes by how many topics they share.
func pairsByCommon(w *graph.Interests) (buckets [][][2]int32) {
	common := make([]int, len(w.Follows))
	for n := range w.Follows {
		clear(common)
		for _, t := range w.Follows[n] {
			for _, other := range w.Followers[t] {
				common[other]++
			}
		}
		for other := range n {
			for common[other] >= len(buckets) {
				buckets = append(buckets, nil)
			}
			if c := common[other]; c > 0 {
				buckets[c] = append(buckets[c], [2]int32{int32(other), int32(n)})
			}
		}
	}
	return buckets
}

// topicSets are the components of each topic, as disjoint sets.
type topicSets struct {
	*graph.Interests
	up [][]int32 // by topic and node: a node nearer to the set's first, or the node itself
}

func newTopicSets(w *graph.Interests) *topicSets {
	s := &topicSets{w, make([][]int32, w.Topics)}
	for t := range s.up {
		s.up[t] = make([]int32, len(w.Follows))
		for n := range s.up[t] {
			s.up[t][n] = int32(n)
		}
	}
	return s
}

// first returns the node that stands for a set.
func (s *topicSets) first(topic, n int32) int32 {
	up := s.up[topic]
	for up[n] != n {
		up[n] = up[up[n]] // halves the way
		n = up[n]
	}
	return n
}

// joins returns of how many topics a link would join two components.
func (s *topicSets) joins(a, b int32) (count int) {
	graph.EachCommon(s.Interests, a, b, func(t int32) {
		if s.first(t, a) != s.first(t, b) {
			count++
		}
	})
	return count
}

// join makes one component of those that a link joins.
func (s *topicSets) join(a, b int32) {
	graph.EachCommon(s.Interests, a, b, func(t int32) { s.up[t][s.first(t, a)] = s.first(t, b) })
}
