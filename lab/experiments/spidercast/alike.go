package spidercast

import (
	"math/rand/v2"

	"tidings/network/engine"
	"tidings/network/spidercast/graph"
	"tidings/network/spidercast/interest"
	"tidings/network/spidercast/overlay"
)

// alikeTable knows who has how much in common.
type alikeTable struct {
	work   *graph.Interests
	common []int32 // by node, scratch
}

// alikeView is overlay.Candidates that go by likeness alone, or by nothing: NEXTSIMILARITYNODE and NEXTRANDOMNODE of section 3.9.1. All nodes know all others.
type alikeView struct {
	table  *alikeTable
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

// rankedAtMost is how many of those with most in common are kept. More than are ever asked: a node asks again until it has 20.
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
		v.ranked = v.table.rank(v.self, v.chance)
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
		n := int32(v.chance.IntN(len(v.table.work.Follows)))
		if n != v.self && !v.barred[alikeBar{task, n}] {
			return v.peer(n), true
		}
	}
	return engine.Peer{}, false
}

// rank returns those with whom a node has most in common, the best first, equals in random order.
func (t *alikeTable) rank(self int32, chance *rand.Rand) (ranked []int32) {
	if t.common == nil {
		t.common = make([]int32, len(t.work.Follows))
	}
	clear(t.common)
	for _, topic := range t.work.Follows[self] {
		for _, n := range t.work.Followers[topic] {
			t.common[n]++
		}
	}
	t.common[self] = 0
	equals := make([][]int32, len(t.work.Follows[self])+1)
	for n, c := range t.common {
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
