package spidercast

import (
	"math/rand/v2"

	"tidings/network/engine"
	"tidings/network/routers/spidercast/graph"
	"tidings/network/routers/spidercast/interest"
	"tidings/network/routers/spidercast/overlay"
)

// alikeView is overlay.Candidates that go by likeness alone, or by nothing: NEXTSIMILARITYNODE and NEXTRANDOMNODE of
// section 3.9.1. All nodes know all others.
type alikeView struct {
	work   *graph.Interests
	self   int32
	chance *rand.Rand
	number map[engine.ID]int32
	peer   func(n int32) engine.Peer
	barred map[alikeBar]bool
	ranked []int32 // the nodes with most in common, best first; nil: not yet made
}

type alikeBar struct {
	task overlay.Task
	n    int32
}

// rankedAtMost is how many of those with most in common are kept. More than are ever asked: a node asks again until it
// has 20.
const rankedAtMost = 256

// Need does nothing: the overlay asks only when it lacks something.
func (v *alikeView) Need(overlay.Task, engine.ID, bool) {}

// Forget does nothing.
func (v *alikeView) Forget(engine.ID) {}

// Exclude is as in overlay.Candidates.
func (v *alikeView) Exclude(task overlay.Task, id engine.ID, on bool) {
	if bar := (alikeBar{task, v.number[id]}); on {
		v.barred[bar] = true
	} else {
		delete(v.barred, bar)
	}
}

// Best returns the node with most in common.
func (v *alikeView) Best(task overlay.Task) (engine.Peer, bool) {
	if v.ranked == nil {
		v.ranked = rank(v.work, v.self, v.chance)
	}
	for _, n := range v.ranked {
		if !v.barred[alikeBar{task, n}] {
			return v.peer(n), true
		}
	}
	return engine.Peer{}, false
}

// Any returns a random node.
func (v *alikeView) Any(task overlay.Task) (engine.Peer, bool) {
	for range 64 {
		n := int32(v.chance.IntN(len(v.work.Follows)))
		if n != v.self && !v.barred[alikeBar{task, n}] {
			return v.peer(n), true
		}
	}
	return engine.Peer{}, false
}

// rank returns the nodes with which a node shares most interests, the best first, equals in random order.
func rank(work *graph.Interests, self int32, chance *rand.Rand) (ranked []int32) {
	common := make([]int32, len(work.Follows))
	for _, topic := range work.Follows[self] {
		for _, n := range work.Followers[topic] {
			common[n]++
		}
	}
	common[self] = 0
	equals := make([][]int32, len(work.Follows[self])+1)
	for n, c := range common {
		equals[c] = append(equals[c], int32(n))
	}
	for c := len(equals) - 1; c > 0 && len(ranked) < rankedAtMost; c-- {
		list := equals[c]
		chance.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		ranked = append(ranked, list...)
	}
	return ranked[:min(len(ranked), rankedAtMost)]
}

var _ overlay.Candidates = (*alikeView)(nil)

// Alike finds nobody: rivals do not swap.
func (v *alikeView) Alike(overlay.Task) (engine.Peer, []interest.Name, bool) {
	return engine.Peer{}, nil, false
}

// ringPerTopic links the followers of each topic in a ring. The order is that of their numbers, which are drawn at
// random as identifiers are (section 3.9.2). A link that two rings need counts once.
func ringPerTopic(w *graph.Interests) *graph.Graph {
	g := graph.New(w)
	for _, followers := range w.Followers {
		for i, n := range followers {
			g.Link(n, followers[(i+1)%len(followers)])
		}
	}
	return g
}

// greedyMerge connects all topics with few links, as one that sees everything could: GM of Chockler, Melamed, Tock and
// Vitenberg, "Constructing scalable overlays for pub-sub with many topics" (PODC 2007). The next link is one that joins
// two components of as many topics as any. No network can run it. It is the limit against which others are compared.
//
// What a link joins only falls as others come. So all pairs lie in buckets by what they joined when they were last
// examined. Those of the highest bucket are examined again, and are linked or fall.
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
