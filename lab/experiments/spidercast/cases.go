package spidercast

import (
	"fmt"
	"math/rand/v2"

	"tidings/lab"
	"tidings/lab/experiments/testnet"
	"tidings/lab/stats"
	"tidings/network/engine"
	"tidings/network/routers/spidercast/graph"
	"tidings/network/routers/spidercast/overlay"
	"tidings/network/sim"
)

// spiderCase is an overlay that is built at rest and measured, or worked out.
type spiderCase struct {
	name string // in figures
	spiderSetting
	// make, if not nil, computes the overlay of nodes that see everything; no node runs.
	make func(chance *rand.Rand, w *graph.Interests) *graph.Graph
	// near is the d of tdi(d); 0: it is not measured.
	near int
	// varied makes figures report all such cases: topics must not be partitioned, and, if degree is not 0, nodes of
	// large overlays have at most so many links.
	varied bool
	degree float64
}

// spiderWay is a configuration with its name in figures.
type spiderWay struct {
	name   string
	config overlay.Config
}

// spiderBuilt is what was measured of a case.
type spiderBuilt struct {
	degrees  []float64
	shapes   []graph.Shape
	near     float64 // tdi(d)
	requests float64 // Connects that a node sent, on average
}

func (b *spiderBuilt) degree() float64 { return stats.Mean(b.degrees) }

func (b *spiderBuilt) partitioned() float64 { return float64(graph.Partitioned(b.shapes)) }

// components returns the components of all topics together (figure 13): as many as there are topics is best.
func (b *spiderBuilt) components() (count float64) {
	for _, s := range b.shapes {
		count += float64(s.Components)
	}
	return count
}

func (b *spiderBuilt) diameter() (most float64) {
	for _, s := range b.shapes {
		most = max(most, float64(s.Diameter))
	}
	return most
}

func (c spiderCase) measure(run *lab.Run) (b spiderBuilt) {
	w := newSpiderWorld(run, c.spiderSetting)
	var g *graph.Graph
	if c.make != nil {
		g = c.make(rand.New(rand.NewPCG(run.Seed(), 0x3e)), w.work)
	} else {
		w.build()
		g = w.graph(0)
		run.Ran(w.World)
		b.requests = float64(w.Counters().Kinds[new(overlay.Connect).Kind()].Sent) / float64(c.Nodes)
	}
	b.degrees, b.shapes = g.Degrees(), g.Shapes(true)
	if c.near > 0 {
		b.near = w.work.MeanIntersection(c.near, intersected)
	}
	return b
}

// intersected is of how many nodes tdi(d) is the mean.
const intersected = 500

// settings returns the paper's usual workload with a configuration.
func settings(nodes int, c overlay.Config) spiderSetting {
	return spiderSetting{Nodes: nodes, Topics: 100, Least: 10, Most: 10, popularity: graph.RSS, config: c, view: 1}
}

// covering returns the paper's configuration with (greedy, random)-coverage.
func covering(greedy, random int) overlay.Config {
	c := overlay.Paper()
	c.Greedy, c.Random, c.MaxRandom = greedy, random, max(c.MaxRandom, random)
	return c
}

// adaptive returns the paper's configuration that adapts K_r (section 3.3.1).
func adaptive() overlay.Config {
	c := overlay.Paper()
	c.Adaptive = true
	return c
}

func (s sizes) cases() (all []spiderCase) {
	add := func(name string, near int, w spiderSetting) {
		all = append(all, spiderCase{name: name, spiderSetting: w, near: near, varied: true})
	}
	last := func() *spiderCase { return &all[len(all)-1] }
	with := func(n int, change func(w *spiderSetting)) spiderSetting {
		w := settings(n, overlay.Paper())
		change(&w)
		return w
	}
	for _, n := range s.Nodes {
		add("paper", 20, settings(n, overlay.Paper()))
		last().varied = false
	}
	for _, o := range ourWays {
		for _, n := range o.sizes(s) {
			add(o.name, 0, settings(n, o.config))
			last().varied = false
		}
	}
	for _, n := range s.Compared {
		for _, p := range []graph.Popularity{graph.Zipf1, graph.NYSE, graph.Uniform} {
			add(p.Name, 20, with(n, func(w *spiderSetting) { w.popularity = p }))
			last().degree = 12
		}
		for _, z := range zipf2Ways {
			add(z.name, 0, with(n, func(w *spiderSetting) { w.popularity, w.config = graph.Zipf2, z.config }))
		}
		add("topics200", 20, with(n, func(w *spiderSetting) { w.Topics = 200 }))
		for _, k := range s.Subscriptions {
			add(fmt.Sprintf("follows%d", k), 2*k, with(n, func(w *spiderSetting) { w.Least, w.Most = k, k }))
		}
		for _, r := range rivals {
			all = append(all, r.at(n))
		}
		all = append(all, spiderCase{name: "ring", spiderSetting: settings(n, overlay.Paper()),
			make: func(_ *rand.Rand, w *graph.Interests) *graph.Graph { return ringPerTopic(w) }})
	}
	for _, n := range s.Limits {
		all = append(all, spiderCase{name: "limit", spiderSetting: settings(n, overlay.Paper()), make: greedyMerge,
			varied: true})
	}
	for _, t := range s.Topics {
		add(fmt.Sprintf("follows20of%d", t), 40,
			with(s.Scaled, func(w *spiderSetting) { w.Topics, w.Least, w.Most = t, 20, 20 }))
	}
	for _, u := range unequal {
		add(u.name, 0, with(s.Scaled, func(w *spiderSetting) { w.Least, w.Most = u.least, u.most }))
	}
	for _, n := range s.Gossip {
		add("gossip", 0, with(n, func(w *spiderSetting) {
			w.config, w.member, w.gossip = overlay.Default(),
				testnet.Reader{}, true
		}))
	}
	for _, n := range s.Viewing {
		for _, percent := range s.Views {
			add(fmt.Sprintf("view%d", percent), 0, with(n, func(w *spiderSetting) { w.view = float64(percent) / 100 }))
		}
	}
	return all
}

// ourWays are the ways to fewer links (see overlay.Swaps): what ships, and with some topics left to two neighbours.
var ourWays = []spiderWay{{"ours", overlay.Default()}, {"frugal", frugal()}}

// sizes returns how many nodes the networks have in which one of our ways is tried. The other one is tried only as long
// as it is cheap.
func (w spiderWay) sizes(s sizes) []int {
	if w.name == "ours" {
		return s.Nodes
	}
	return s.Frugal
}

func frugal() overlay.Config {
	c := overlay.Default()
	c.Swaps.Risk = 0.0135
	return c
}

// zipf2Ways are the configurations that section 3.3 tries on interests that are much alike.
var zipf2Ways = []spiderWay{{"zipf2_30", covering(3, 0)}, {"zipf2_31", covering(3, 1)}, {"zipf2_adaptive", adaptive()}}

// unequal are the subscriptions of section 3.6.
var unequal = []struct {
	name        string
	least, most int
}{{"equal20", 20, 20}, {"unequal20", 10, 30}, {"equal40", 40, 40}, {"unequal40", 10, 70}}

// rival is an overlay of section 3.9.1: similar links to the nodes that share most interests, and random ones, by the
// protocol's own code.
type rival struct {
	name            string
	similar, random int
}

var rivals = []rival{
	{"similarity10", 10, 0}, {"similarity9_1", 9, 1}, {"similarity8_2", 8, 2}, {"similarity7_3", 7, 3},
	{"similarity20", 20, 0}, {"random10", 0, 10},
}

// at returns the rival among n nodes. To the protocol, all nodes follow one topic, and cover it as often as they should
// have links. What is left of it are two tasks that look for so many neighbours, and choose them by another function.
func (r rival) at(n int) spiderCase {
	s := settings(n, covering(r.similar, r.random))
	everybody := []engine.ID{testnet.TopicID(-1)}
	s.join = func(int32) []engine.ID { return everybody }
	s.choose = func(w *spiderWorld, n int32, env engine.Env) overlay.Candidates {
		return &alikeView{
			work: w.work, self: n, chance: env.Rand(), number: w.byID, barred: make(map[alikeBar]bool),
			peer: func(n int32) engine.Peer { return w.Peer(sim.Node(n)) },
		}
	}
	return spiderCase{name: r.name, spiderSetting: s}
}
