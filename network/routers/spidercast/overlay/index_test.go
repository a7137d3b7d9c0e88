package overlay

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tidings/network/engine"
	"tidings/network/routers/spidercast/interest"
)

func topicID(i int) engine.ID { return engine.IDOf(fmt.Append(nil, "topic ", i)) }
func peerOf(i int) engine.Peer {
	return engine.Peer{ID: engine.IDOf(fmt.Append(nil, "node ", i)), Address: engine.Address(fmt.Sprint(i))}
}

// model is Index without an index: it looks at everybody.
type model struct {
	entries map[int][]int // by node: its topics
	known   map[int]bool  // the node's topics
	needs   [tasks]map[int]bool
	barred  [tasks]map[int]bool
}

// score returns how many needed topics a node follows.
func (m *model) score(task Task, node int) (n int) {
	if m.barred[task][node] {
		return 0
	}
	for _, t := range m.entries[node] {
		if m.needs[task][t] {
			n++
		}
	}
	return n
}

// shared returns the node's topics that another follows.
func (m *model) shared(node int) (names []interest.Name) {
	for _, t := range m.entries[node] {
		if m.known[t] {
			names = append(names, interest.NameOf(topicID(t)))
		}
	}
	slices.Sort(names)
	return names
}

// best returns the nodes of the highest score, and useful all with a score, by number.
func (m *model) best(task Task, nodes int) (best, useful []engine.Peer) {
	most := 1
	for n := range nodes {
		switch s := m.score(task, n); {
		case s == 0:
			continue
		case s > most:
			most, best = s, []engine.Peer{peerOf(n)}
		case s == most:
			best = append(best, peerOf(n))
		}
		useful = append(useful, peerOf(n))
	}
	return best, useful
}

// An index knows after any changes exactly those candidates that a look at all of them finds (Figure 5).
func TestIndexAgainstModel(t *testing.T) {
	const nodes, topics = 12, 8
	var everybody []engine.Peer
	for i := range nodes {
		everybody = append(everybody, peerOf(i))
	}
	rapid.Check(t, func(t *rapid.T) {
		x := NewIndex(rand.New(rand.NewPCG(1, 1)), false, 0)
		m := &model{entries: make(map[int][]int), known: make(map[int]bool)}
		for task := range m.needs {
			m.needs[task], m.barred[task] = make(map[int]bool), make(map[int]bool)
		}
		node, topic := rapid.IntRange(0, nodes-1), rapid.IntRange(0, topics-1)
		task := rapid.SampledFrom([]Task{Greedy, Random})
		t.Repeat(map[string]func(*rapid.T){
			"put": func(t *rapid.T) {
				n, exact := node.Draw(t, "node"), rapid.SampledFrom([]int{0, 64}).Draw(t, "exact")
				m.entries[n] = rapid.SliceOfNDistinct(topic, 0, topics, rapid.ID[int]).Draw(t, "topics")
				var ids []engine.ID
				for _, i := range m.entries[n] {
					ids = append(ids, topicID(i))
				}
				x.Put(peerOf(n), interest.Of(ids, exact), 0)
			},
			"remove": func(t *rapid.T) {
				n := node.Draw(t, "node")
				delete(m.entries, n)
				x.Remove(peerOf(n).ID)
			},
			"need": func(t *rapid.T) {
				k, i, on := task.Draw(t, "task"), topic.Draw(t, "topic"), rapid.Bool().Draw(t, "on")
				m.needs[k][i], m.known[i] = on, true
				x.Need(k, topicID(i), on)
			},
			"forget": func(t *rapid.T) {
				i := topic.Draw(t, "topic")
				for k := range Task(tasks) {
					m.needs[k][i] = false
					x.Need(k, topicID(i), false)
				}
				x.Forget(topicID(i))
				delete(m.known, i)
			},
			"exclude": func(t *rapid.T) {
				k, n, on := task.Draw(t, "task"), node.Draw(t, "node"), rapid.Bool().Draw(t, "on")
				m.barred[k][n] = on
				x.Exclude(k, peerOf(n).ID, on)
			},
			"": func(t *rapid.T) {
				if x.Len() != len(m.entries) {
					t.Fatalf("%d entries, want %d", x.Len(), len(m.entries))
				}
				for k := range Task(tasks) {
					best, useful := m.best(k, nodes)
					same(t, "best", x.peers(x.rankings[k].best()), best)
					same(t, "useful", x.peers(x.rankings[k].useful()), useful)
					p, ok := x.Best(k)
					if ok != (len(best) > 0) || ok && !slices.Contains(best, p) {
						t.Fatalf("Best draws %v, %v", p, ok)
					}
					if p, ok = x.Any(k); ok != (len(useful) > 0) || ok && !slices.Contains(useful, p) {
						t.Fatalf("Any draws %v, %v", p, ok)
					}
				}
				last := topics
				for _, slot := range x.rankings[alike].useful() {
					i := slices.IndexFunc(everybody, func(p engine.Peer) bool { return p == x.entries[slot].peer })
					n := len(m.shared(i))
					if n == 0 || n > last {
						t.Fatalf("node %d shares %d topics, after one that shares %d", i, n, last)
					}
					last = n
				}
				if p, shared, ok := x.Alike(Greedy); ok {
					slices.Sort(shared)
					if n := slices.Index(everybody, p); m.barred[Greedy][n] || !slices.Equal(shared, m.shared(n)) {
						t.Fatalf("node %d is said to share %v, want %v; barred: %v", n, shared, m.shared(n),
							m.barred[Greedy][n])
					}
				}
			},
		})
	})
}

func (x *Index) peers(slots []int32) (list []engine.Peer) {
	for _, s := range slots {
		list = append(list, x.entries[s].peer)
	}
	return list
}

func same(t *rapid.T, what string, got, want []engine.Peer) {
	order := func(a, b engine.Peer) int { return a.ID.Compare(b.ID) }
	slices.SortFunc(got, order)
	slices.SortFunc(want, order)
	if !slices.Equal(got, want) {
		t.Fatalf("%s are %v, want %v", what, got, want)
	}
}

// Among equals the nearest of several drawn ones is chosen, where distances are known (section 5), and any where not.
func TestNearAmongEquals(t *testing.T) {
	for _, near := range []bool{true, false} {
		x := NewIndex(rand.New(rand.NewPCG(1, 1)), near, 0)
		set := interest.Of([]engine.ID{topicID(1)}, 64)
		for i := range 5 {
			x.Put(peerOf(i), set, time.Duration(50-10*i))
		}
		x.Put(peerOf(5), set, 0)
		x.Need(Greedy, topicID(1), true)
		drawn := make(map[engine.Peer]int)
		for range 1000 {
			p, _ := x.Best(Greedy)
			drawn[p]++
		}
		if nearest := drawn[peerOf(4)]; near && nearest < 700 || !near && (nearest > 250 || len(drawn) < 6) {
			t.Errorf("near=%v: of 1,000 draws %d choose the nearest; %d nodes are drawn", near, nearest, len(drawn))
		}
		x.Measure(peerOf(0).ID, 1)
		x.Measure(peerOf(4).ID, time.Hour)
		if p, _ := x.Best(Greedy); near && p == peerOf(4) {
			t.Error("a node that is far now is drawn first")
		}
	}
}

// What a change costs does not depend on how many candidates there are that it does not concern.
func TestIndexCostsWhatChanges(t *testing.T) {
	x := NewIndex(rand.New(rand.NewPCG(1, 1)), false, 0)
	for i := range 2000 {
		x.Put(peerOf(i), interest.Of([]engine.ID{topicID(i % 2), topicID(2 + i%3)}, 64), 0)
	}
	for i := range 5 {
		x.Need(Greedy, topicID(i), true)
	}
	for i := range 3 { // a rare topic
		x.Put(peerOf(9000+i), interest.Of([]engine.ID{topicID(7)}, 64), 0)
	}
	x.Need(Greedy, topicID(7), true)
	r := &x.rankings[Greedy]
	before := slices.Clone(r.order)
	x.Need(Greedy, topicID(7), false)
	moved := 0
	for i := range before {
		if before[i] != r.order[i] {
			moved++
		}
	}
	if moved > 6 {
		t.Errorf("a topic that 3 candidates follow moves %d", moved)
	}
}
