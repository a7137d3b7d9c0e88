// Package ideal is the membership service that the paper's evaluation takes for granted (sections 3 and 3.7): every node
// knows the identity and interest of all others, or of p percent of them, at once and without error. Experiments use it
// to see what the overlay does by itself; a network cannot.
//
// All nodes of a run share one [Table]; a [View] is one node's sight of it and takes a few hundred bytes. A choice looks at the
// subscribers of the topics that lack cover: some 20 µs among 10,000 nodes with 10 of 100 topics each.
package ideal

import (
	"math"
	"math/rand/v2"
	"slices"

	"tidings/network/engine"
	"tidings/network/spidercast/overlay"
)

// Table is who follows what. It is for one goroutine.
type Table struct {
	topics  map[engine.ID]int32
	byTopic [][]int32 // numbers of the nodes that follow a topic
	byID    map[engine.ID]int32
	nodes   []node

	counts  []uint16     // by node, scratch: how many needed topics it follows
	worths  []int32      // by node, scratch: what those are worth
	gains   []int32      // by node, scratch: what it would gain
	lacking [2][][]int32 // by task and topic: numbers of the nodes that need it
	touched []int32

	scale   float64 // see worth; 0: to be worked out
	up      int     // nodes that follow something
	lackers [2]int  // by task: nodes that need something
}

type node struct {
	peer   engine.Peer
	topics []int32
	view   *View // the last that was made for it
}

// NewTable returns a table of no nodes.
func NewTable() *Table {
	return &Table{topics: make(map[engine.ID]int32), byID: make(map[engine.ID]int32)}
}

// Set says that a node is up and which topics it follows, instead of what was said of it before. None: it is down.
func (t *Table) Set(p engine.Peer, topics []engine.ID) {
	n := t.number(p.ID)
	t.scale = 0
	t.up += min(len(topics), 1) - min(len(t.nodes[n].topics), 1)
	if len(topics) == 0 {
		t.retire(n)
	}
	for _, topic := range t.nodes[n].topics {
		t.byTopic[topic] = remove(t.byTopic[topic], n)
	}
	t.nodes[n].peer, t.nodes[n].topics = p, t.nodes[n].topics[:0]
	for _, id := range topics {
		topic := t.topic(id)
		t.byTopic[topic] = append(t.byTopic[topic], n)
		t.nodes[n].topics = append(t.nodes[n].topics, topic)
	}
}

func remove(list []int32, n int32) []int32 {
	for i, o := range list {
		if o == n {
			last := len(list) - 1
			list[i] = list[last]
			return list[:last]
		}
	}
	return list
}

func (t *Table) number(id engine.ID) int32 {
	n, ok := t.byID[id]
	if !ok {
		n = int32(len(t.nodes))
		t.byID[id] = n
		t.nodes, t.counts, t.worths, t.gains = append(t.nodes, node{}), append(t.counts, 0), append(t.worths, 0), append(t.gains, 0)
	}
	return n
}

func (t *Table) topic(id engine.ID) int32 {
	n, ok := t.topics[id]
	if !ok {
		n = int32(len(t.byTopic))
		t.topics[id], t.byTopic = n, append(t.byTopic, nil)
		for task := range t.lacking {
			t.lacking[task] = append(t.lacking[task], nil)
		}
	}
	return n
}

// View is what one node sees of a table: overlay.Candidates.
type View struct {
	table    *Table
	self     int32
	share    uint64 // a node is seen if its draw is not above this
	salt     uint64
	chance   *rand.Rand
	needs    [2][]int32
	excluded map[int32]uint8 // a bit for each task
}

// View returns the sight of a node that sees a share of the others, from 0 to 1, drawn once for all. chance draws among equals: the
// node's Env.Rand.
func (t *Table) View(self engine.ID, share float64, chance *rand.Rand) *View {
	v := &View{
		table: t, self: t.number(self), share: uint64(share * math.MaxUint32), salt: chance.Uint64(), chance: chance,
		excluded: make(map[int32]uint8),
	}
	t.retire(v.self)
	t.nodes[v.self].view = v
	return v
}

// retire forgets what a node needed: it is down, or has begun anew.
func (t *Table) retire(n int32) {
	v := t.nodes[n].view
	if v == nil {
		return
	}
	for task, needs := range v.needs {
		t.lackers[task] -= min(len(needs), 1)
		for _, topic := range needs {
			t.lacking[task][topic] = remove(t.lacking[task][topic], n)
		}
	}
	t.nodes[n].view = nil
}

// sees reports whether the node knows another.
func (v *View) sees(n int32) bool {
	return n != v.self && (v.share >= math.MaxUint32 || engine.Mix(v.salt^uint64(n))>>32 <= v.share)
}

// Need is as in overlay.Candidates.
func (v *View) Need(task overlay.Task, topic engine.ID, on bool) {
	t := v.table
	n := t.topic(topic)
	if slices.Contains(v.needs[task], n) == on {
		return
	}
	change := func(list *[]int32, n int32) {
		if *list = remove(*list, n); on {
			*list = append(*list, n)
		}
	}
	before := len(v.needs[task])
	change(&v.needs[task], n)
	if t.nodes[v.self].view == v {
		change(&t.lacking[task][n], v.self)
		t.lackers[task] += min(len(v.needs[task]), 1) - min(before, 1)
	}
}

// Forget does nothing: there is nothing to forget.
func (v *View) Forget(engine.ID) {}

// Exclude is as in overlay.Candidates.
func (v *View) Exclude(task overlay.Task, id engine.ID, on bool) {
	n := v.table.number(id)
	bits := v.excluded[n] &^ (1 << task)
	if on {
		bits |= 1 << task
	}
	if v.excluded[n] = bits; bits == 0 {
		delete(v.excluded, n)
	}
}

// Best is as in overlay.Candidates. Ties are broken randomly.
func (v *View) Best(task overlay.Task) (engine.Peer, bool) {
	return v.choose(task, func(count, best uint16) bool { return count > best })
}

// Any is as in overlay.Candidates.
func (v *View) Any(task overlay.Task) (engine.Peer, bool) {
	return v.choose(task, func(uint16, uint16) bool { return false })
}

// choose draws one of those that follow a needed topic, or, if better prefers some counts to others, one of the best.
func (v *View) choose(task overlay.Task, better func(count, best uint16) bool) (engine.Peer, bool) {
	t := v.table
	t.touched = t.touched[:0]
	for _, topic := range v.needs[task] {
		for _, n := range t.byTopic[topic] {
			if t.counts[n] == 0 {
				t.touched = append(t.touched, n)
			}
			t.counts[n]++
		}
	}
	var chosen int32
	var best uint16
	same := 0
	for _, n := range t.touched {
		count := t.counts[n]
		t.counts[n] = 0
		switch {
		case same > 0 && better(best, count) || v.excluded[n]&(1<<task) != 0 || !v.sees(n):
		case same == 0 || better(count, best):
			chosen, best, same = n, count, 1
		default:
			if same++; v.chance.IntN(same) == 0 {
				chosen = n
			}
		}
	}
	if same == 0 {
		return engine.Peer{}, false
	}
	return t.nodes[chosen].peer, true
}

var _ overlay.Candidates = (*View)(nil)
