package ideal_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tidings/network/engine"
	"tidings/network/routers/spidercast/ideal"
	"tidings/network/routers/spidercast/interest"
	"tidings/network/routers/spidercast/overlay"
	"tidings/network/sim"
)

// links counts nothing.
type links struct{}

func (links) LinkUp(engine.Peer, []engine.ID)      {}
func (links) LinkChanged(engine.Peer, []engine.ID) {}
func (links) LinkDown(engine.Peer)                 {}

// zipf draws count different topics of all, the i-th with a weight of 1/i^alpha (section 3.1).
func zipf(chance *rand.Rand, all, count int, alpha float64) (ids []engine.ID) {
	weights := make([]float64, all)
	for i := range weights {
		weights[i] = math.Pow(float64(i+1), -alpha)
	}
	for len(ids) < count {
		sum := 0.0
		for _, w := range weights {
			sum += w
		}
		x := chance.Float64() * sum
		for i, w := range weights {
			if x -= w; x < 0 && w > 0 {
				ids, weights[i] = append(ids, topic(i)), 0
				break
			}
		}
	}
	return ids
}

func topic(i int) engine.ID { return engine.IDOf(fmt.Append(nil, "topic ", i)) }

var codec = engine.NewCodec(engine.Vocabulary{Protocol: engine.SpiderCast, Name: "spidercast",
	Messages: overlay.Messages})

// build builds the overlay of nodes with ten topics of a hundred each, Zipf 0.5. It returns its average degree and how
// many of their topics lack cover.
func build(nodes int, share float64, c overlay.Config, in time.Duration) (degree float64, uncovered int) {
	w := sim.New(sim.Default(codec))
	table := ideal.NewTable()
	chance := rand.New(rand.NewPCG(1, 2))
	for i := range nodes {
		id := engine.IDOf(fmt.Append(nil, "node ", i))
		topics := zipf(chance, 100, 10, 0.5)
		n := w.Add(id, func(env engine.Env, _ *sim.Disk) engine.Protocol {
			o := overlay.New(env, c, table.View(id, share, env.Rand()), links{})
			for _, t := range topics {
				o.Join(t)
			}
			return o
		})
		table.Set(w.Peer(n), topics)
	}
	for i := range nodes {
		w.Boot(sim.Node(i))
	}
	w.Run(in)
	for i := range nodes {
		o := w.Protocol(sim.Node(i)).(*overlay.Overlay)
		degree += float64(len(o.Neighbors())) / float64(nodes)
		uncovered += len(o.Uncovered())
	}
	return degree, uncovered
}

// With the paper's settings and an ideal membership 1,000 nodes have the degree of table 12, within 5 percent.
func TestDegreeOfTable12(t *testing.T) {
	degree, uncovered := build(1000, 1, overlay.Paper(), time.Minute)
	if degree < 10.81*0.95 || degree > 10.81*1.05 || uncovered > 0 {
		t.Errorf("1,000 nodes have a degree of %.2f, 10.81 in the paper; %d topics lack cover", degree, uncovered)
	}
}

// Swaps remove a tenth of the links, and leave nothing uncovered.
func TestSwapsSaveLinks(t *testing.T) {
	if testing.Short() {
		t.Skip("needs seconds")
	}
	paper, _ := build(400, 1, overlay.Paper(), time.Minute)
	ours, uncovered := build(400, 1, overlay.Default(), 5*time.Minute)
	if ours > 0.92*paper || uncovered > 0 {
		t.Errorf("with swaps 400 nodes have a degree of %.2f, without of %.2f; %d topics lack cover", ours, paper,
			uncovered)
	}
}

// A node that knows only a part of the others finds neighbours as well (section 3.7), more of them.
func TestPartialView(t *testing.T) {
	if testing.Short() {
		t.Skip("needs seconds")
	}
	full, _ := build(600, 1, overlay.Paper(), time.Minute)
	part, uncovered := build(600, 0.2, overlay.Paper(), 3*time.Minute)
	// Of a rare topic's 32 followers a node sees six on average. One of several hundred nodes has three neighbours
	// among them in neither direction.
	if part < full+1 || part > 2*full || uncovered > 15 {
		t.Errorf("with a fifth of the others in view 600 nodes have a degree of %.2f, with all %.2f; %d topics "+
			"lack cover", part, full, uncovered)
	}
}

// Ten thousand nodes build their overlay in less than a minute of one core's time: BenchmarkBuild measures it.
func BenchmarkBuild(b *testing.B) {
	for b.Loop() {
		degree, _ := build(10_000, 1, overlay.Paper(), time.Minute)
		b.ReportMetric(degree, "links/node")
	}
}

// A view finds what a look at all nodes finds.
func TestViewAgainstModel(t *testing.T) {
	const nodes, topics = 10, 6
	peer := func(i int) engine.Peer {
		return engine.Peer{ID: engine.IDOf(fmt.Append(nil, i)), Address: engine.Address(fmt.Sprint(i))}
	}
	rapid.Check(t, func(t *rapid.T) {
		table := ideal.NewTable()
		v := table.View(peer(0).ID, 1, rand.New(rand.NewPCG(1, 1)))
		follows := make([][]int, nodes)
		needs, barred := make(map[int]bool), make(map[int]bool)
		t.Repeat(map[string]func(*rapid.T){
			"set": func(t *rapid.T) {
				n := rapid.IntRange(0, nodes-1).Draw(t, "node")
				follows[n] = rapid.SliceOfNDistinct(rapid.IntRange(0, topics-1), 0, topics, rapid.ID[int]).Draw(t,
					"topics")
				var ids []engine.ID
				for _, i := range follows[n] {
					ids = append(ids, topic(i))
				}
				table.Set(peer(n), ids)
			},
			"need": func(t *rapid.T) {
				i, on := rapid.IntRange(0, topics-1).Draw(t, "topic"), rapid.Bool().Draw(t, "on")
				needs[i] = on
				v.Need(overlay.Greedy, topic(i), on)
			},
			"exclude": func(t *rapid.T) {
				n, on := rapid.IntRange(0, nodes-1).Draw(t, "node"), rapid.Bool().Draw(t, "on")
				barred[n] = on
				v.Exclude(overlay.Greedy, peer(n).ID, on)
			},
			"": func(t *rapid.T) {
				score := func(n int) (score int) {
					for _, i := range follows[n] {
						if needs[i] && !barred[n] && n != 0 {
							score++
						}
					}
					return score
				}
				most := 0
				for n := range nodes {
					most = max(most, score(n))
				}
				for _, best := range []bool{true, false} {
					choose := v.Any
					if best {
						choose = v.Best
					}
					p, ok := choose(overlay.Greedy)
					if ok != (most > 0) {
						t.Fatalf("there is a candidate: %v, want %v", ok, most > 0)
					}
					for n := range nodes {
						if s := score(n); ok && p == peer(n) && (s == 0 || best && s < most) {
							t.Fatalf("node %d with a score of %d is chosen, the best has %d", n, s, most)
						}
					}
				}
				if p, shared, ok := v.Alike(overlay.Greedy); ok {
					var want []interest.Name
					n := 0
					for i := range nodes {
						if p == peer(i) {
							n = i
						}
					}
					for _, i := range follows[n] {
						if slices.Contains(follows[0], i) {
							want = append(want, interest.NameOf(topic(i)))
						}
					}
					slices.Sort(want)
					slices.Sort(shared)
					if n == 0 || barred[n] || len(want) == 0 || !slices.Equal(shared, want) {
						t.Fatalf("node %d is alike, and shares %v, want %v; barred: %v", n, shared, want, barred[n])
					}
				}
				if _, ok := v.Any(overlay.Random); ok {
					t.Fatal("the random task needs nothing, and has a candidate")
				}
			},
		})
	})
}
