// Package ideal is the membership service that the paper's evaluation assumes (sections 3 and 3.7): every node knows
// the identity and interest of all others, or of p percent of them, at once and without error. Experiments use it to
// see what the overlay does by itself; a network cannot.
//
// All nodes of a run share one [Table]. A [View] is one node's sight of it and needs hundreds of bytes. A choice looks
// at the subscribers of the topics that lack cover: about 20 µs among 10,000 nodes with 10 of 100 topics each.
package ideal

import (
	"math"
	"math/rand/v2"
	"slices"

	"tidings/network/engine"
	"tidings/network/routers/spidercast/interest"
	"tidings/network/routers/spidercast/overlay"
)

// Table is which node follows what. It is for one goroutine.
type Table struct {
	topics  map[engine.ID]int32
	names   []interest.Name // of topics
	byTopic [][]int32       // numbers of the nodes that follow a topic
	byID    map[engine.ID]int32
	nodes   []node

	counts  []uint16 // by node, scratch: how many topics it follows of those that are looked for
	touched []int32
	version int // rises with each change
}

type node struct {
	peer   engine.Peer
	topics []int32
}

// NewTable returns a table of no nodes.
func NewTable() *Table {
	return &Table{topics: make(map[engine.ID]int32), byID: make(map[engine.ID]int32)}
}

// Set says that a node is up and which topics it follows, instead of what was said of it before. None: it is down.
func (t *Table) Set(p engine.Peer, topics []engine.ID) {
	n := t.number(p.ID)
	t.version++
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
		t.nodes, t.counts = append(t.nodes, node{}), append(t.counts, 0)
	}
	return n
}

func (t *Table) topic(id engine.ID) int32 {
	n, ok := t.topics[id]
	if !ok {
		n = int32(len(t.byTopic))
		t.topics[id], t.byTopic, t.names = n, append(t.byTopic, nil), append(t.names, interest.NameOf(id))
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

	alike   []int32 // those that share most topics, as of a version of the table
	version int
}

// View returns the view of a node that sees a share of the others, from 0 to 1, drawn once and for all. chance draws
// among equals: the node's Env.Rand.
func (t *Table) View(self engine.ID, share float64, chance *rand.Rand) *View {
	return &View{
		table: t, self: t.number(self), share: uint64(share * math.MaxUint32), salt: chance.Uint64(), chance: chance,
		excluded: make(map[int32]uint8),
	}
}

// sees reports whether the node knows another.
func (v *View) sees(n int32) bool {
	return n != v.self && (v.share >= math.MaxUint32 || engine.Mix(v.salt^uint64(n))>>32 <= v.share)
}

// Need is as in overlay.Candidates.
func (v *View) Need(task overlay.Task, topic engine.ID, on bool) {
	t := v.table
	n := t.topic(topic)
	if v.needs[task] = remove(v.needs[task], n); on {
		v.needs[task] = append(v.needs[task], n)
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

// choose draws one of the nodes that follow a needed topic. If better prefers one count to another, it draws one of the
// best.
func (v *View) choose(task overlay.Task, better func(count, best uint16) bool) (engine.Peer, bool) {
	t := v.table
	v.look(v.needs[task])
	var chosen int32
	var best uint16
	same := 0
	for _, n := range t.touched {
		count := t.counts[n]
		t.counts[n] = 0
		switch {
		case same > 0 && better(best, count) || v.excluded[n]&(1<<task) != 0:
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

// look finds the nodes in view that follow at least one of topics. It lists them in touched, with how many topics each
// follows. The caller has to set these counts to 0 again.
func (v *View) look(topics []int32) {
	t := v.table
	t.touched = t.touched[:0]
	for _, topic := range topics {
		for _, n := range t.byTopic[topic] {
			if t.counts[n] == 0 {
				if !v.sees(n) {
					continue
				}
				t.touched = append(t.touched, n)
			}
			t.counts[n]++
		}
	}
}

// Alike is as in overlay.Candidates.
func (v *View) Alike(task overlay.Task) (p engine.Peer, shared []interest.Name, ok bool) {
	t := v.table
	if v.version != t.version {
		v.version, v.alike = t.version, v.findAlike()
	}
	if len(v.alike) == 0 {
		return engine.Peer{}, nil, false
	}
	n := v.alike[v.chance.IntN(len(v.alike))]
	if v.excluded[n]&(1<<task) != 0 {
		return engine.Peer{}, nil, false
	}
	for _, topic := range t.nodes[n].topics {
		if slices.Contains(t.nodes[v.self].topics, topic) {
			shared = append(shared, t.names[topic])
		}
	}
	return t.nodes[n].peer, shared, true
}

// findAlike returns those in view that share most topics with the node.
func (v *View) findAlike() []int32 {
	t := v.table
	v.look(t.nodes[v.self].topics)
	var by [][]int32 // by how many they share
	for _, n := range t.touched {
		for int(t.counts[n]) >= len(by) {
			by = append(by, nil)
		}
		if list := by[t.counts[n]]; len(list) < overlay.MostAlike {
			by[t.counts[n]] = append(list, n)
		}
		t.counts[n] = 0
	}
	slices.Reverse(by)
	best := slices.Concat(by...)
	return slices.Clone(best[:min(len(best), overlay.MostAlike)])
}

var _ overlay.Candidates = (*View)(nil)
