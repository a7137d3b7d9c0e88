package spidercast

import (
	"math/rand/v2"
	"slices"
	"time"

	"tidings/lab"
	"tidings/lab/experiments/testnet"
	"tidings/network"
	"tidings/network/engine"
	"tidings/network/routers/spidercast"
	"tidings/network/routers/spidercast/graph"
	"tidings/network/routers/spidercast/ideal"
	"tidings/network/routers/spidercast/overlay"
	"tidings/network/sim"
)

// spiderSetting says what a world of SpiderCast's overlays is like.
type spiderSetting struct {
	Nodes       int
	Topics      int
	Least, Most int // topics that a node follows
	popularity  graph.Popularity
	config      overlay.Config

	// view is which share of the others each node knows, ideally (section 3.7).
	view float64
	// choose, if not nil, makes candidates of another kind.
	choose func(w *spiderWorld, n int32, env engine.Env) overlay.Candidates
	// member, if not nil, makes the nodes whole ones, with a dissemination that serves it.
	member network.Member
	loss   float64 // share of the messages

	// gossip has them find each other by gossip, each from three contacts, instead of an ideal membership.
	gossip bool

	// sites, if not nil, says how long messages are under way, and nodes that find each other by gossip know their
	// coordinates. Otherwise all messages are under way equally long (section 3.2).
	sites *testnet.Sites
	near  bool // nodes prefer near neighbours (spidercast.Config.Near)

	// join, if not nil, says what a node joins instead of its topics.
	join func(n int32) []engine.ID
}

// spiderWorld is a world of nodes that keep their overlay, and do nothing else unless they have a member.
type spiderWorld struct {
	*sim.World
	spiderSetting
	run    *lab.Run
	oneWay func(from, to int32) time.Duration // how long messages are under way
	work   *graph.Interests
	table  *ideal.Table
	ids    []engine.ID // of topics
	byID   map[engine.ID]int32
	change uint64          // how often links have come or gone, as either end sees it
	booted []time.Duration // by node: when it was started last
}

// noLinks is the dissemination where there is none.
type noLinks struct{}

func (noLinks) LinkUp(engine.Peer, []engine.ID)      {}
func (noLinks) LinkChanged(engine.Peer, []engine.ID) {}
func (noLinks) LinkDown(engine.Peer)                 {}

// newSpiderWorld returns a world with all nodes down. Worlds of one seed with like workloads have the same interests.
func newSpiderWorld(run *lab.Run, s spiderSetting) *spiderWorld {
	c := sim.Default(engine.NewCodec(spidercast.Vocabulary, testnet.NoteVocabulary))
	c.Seed, c.Faults.Loss = run.Seed(), s.loss
	if s.sites != nil {
		c.Latency = s.sites
	}
	w := &spiderWorld{
		oneWay: func(from, to int32) time.Duration { return c.Latency.Between(nil, sim.Node(from), sim.Node(to)) },
		World:  sim.New(c), spiderSetting: s, run: run, table: ideal.NewTable(), byID: make(map[engine.ID]int32),
		work: graph.DrawInterests(rand.New(rand.NewPCG(run.Seed(), 0x5c)), s.Nodes, s.Topics, s.Least, s.Most,
			s.popularity),
	}
	for t := range s.Topics {
		w.ids = append(w.ids, testnet.TopicID(t))
	}
	for n := range int32(s.Nodes) {
		w.add(n)
	}
	w.booted = make([]time.Duration, s.Nodes)
	w.Observe(func(_ time.Duration, _ sim.Node, event any) {
		switch event.(type) {
		case overlay.Connected, overlay.Parted:
			w.change++
		}
	})
	return w
}

// add adds a node, which joins what it follows whenever it boots.
func (w *spiderWorld) add(n int32) {
	id := engine.DrawID(w.Rand())
	w.byID[id] = n
	w.Add(id, func(env engine.Env, _ *sim.Disk) engine.Protocol {
		node := w.start(n, env)
		for _, topic := range w.joined(n) {
			node.Join(topic)
		}
		return node
	})
}

// spiderContacts is how many others a node knows at first that finds others by gossip.
const spiderContacts = 3

// spiderNode is what the experiment asks of a node: a whole one, or its overlay alone.
type spiderNode interface {
	engine.Protocol
	Join(topic engine.ID)
	Neighbors() []overlay.NeighborView
}

func (w *spiderWorld) start(n int32, env engine.Env) spiderNode {
	if w.member == nil {
		return overlay.New(env, w.config, w.candidates(n, env), noLinks{})
	}
	c := spidercast.Default()
	c.Overlay, c.Near = w.config, w.near
	seams := spidercast.Seams{Member: w.member}
	if w.gossip {
		for range spiderContacts {
			seams.Contacts = append(seams.Contacts, w.Peer(sim.Node(w.Rand().IntN(w.Nodes))))
		}
		if w.sites != nil {
			seams.Coordinates = testnet.Fixed(w.sites.Coordinate(sim.Node(n)))
		}
	} else {
		seams.Candidates = w.candidates(n, env)
	}
	return spidercast.New(env, c, seams)
}

// candidates returns what a node may choose from.
func (w *spiderWorld) candidates(n int32, env engine.Env) overlay.Candidates {
	if w.choose != nil {
		return w.choose(w, n, env)
	}
	return w.table.View(w.Peer(sim.Node(n)).ID, w.view, env.Rand())
}

func (w *spiderWorld) joined(n int32) (topics []engine.ID) {
	if w.join != nil {
		return w.join(n)
	}
	for _, t := range w.work.Follows[n] {
		topics = append(topics, w.ids[t])
	}
	return topics
}

// draw returns new topics for a node that returns with other interests.
func (w *spiderWorld) draw(chance *rand.Rand) []int32 {
	return w.popularity.Draw(chance, w.Topics, w.Least+chance.IntN(w.Most-w.Least+1))
}

// boot starts a node, of which others know from now on.
func (w *spiderWorld) boot(n int32) {
	w.table.Set(w.Peer(sim.Node(n)), w.joined(n))
	w.booted[n] = w.Now()
	w.Boot(sim.Node(n))
}

func (w *spiderWorld) end(n int32, inOrder bool) {
	if inOrder {
		w.Shutdown(sim.Node(n))
	} else {
		w.Crash(sim.Node(n))
	}
	w.table.Set(w.Peer(sim.Node(n)), nil)
}

// at returns a node; nil: it is down.
func (w *spiderWorld) at(n int32) spiderNode {
	node, _ := w.Protocol(sim.Node(n)).(spiderNode)
	return node
}

// When an overlay is measured: no link has come or gone for spiderQuiet, or spiderLongest has passed.
const (
	spiderQuiet   = 20 * time.Second
	spiderLongest = 5 * time.Minute
)

// build starts all nodes at once, as in section 3, and waits until the overlay is at rest.
func (w *spiderWorld) build() {
	for n := range int32(w.Nodes) {
		w.boot(n)
	}
	w.settle(spiderLongest)
}

func (w *spiderWorld) settle(longest time.Duration) {
	until := w.Now() + longest
	for last, quiet := w.change, time.Duration(0); quiet < spiderQuiet && w.Now() < until; quiet += time.Second {
		w.run.Pass(w.World, time.Second)
		if w.change != last {
			last, quiet = w.change, -time.Second
		}
		w.run.Part(int(w.Now()/time.Second), int(until/time.Second))
	}
}

// graph returns the overlay of the nodes that have been up for some time. A link counts if both ends have it.
func (w *spiderWorld) graph(up time.Duration) *graph.Graph {
	out := make([]bool, w.Nodes)
	lists := make([][]int32, w.Nodes)
	for n := range lists {
		o := w.at(int32(n))
		if out[n] = o == nil || w.booted[n] > w.Now()-up; out[n] {
			continue
		}
		for _, v := range o.Neighbors() {
			lists[n] = append(lists[n], w.byID[v.Peer.ID])
		}
	}
	all := graph.New(w.work)
	for n, list := range lists {
		for _, other := range list {
			if slices.Contains(lists[other], int32(n)) {
				all.Links[n] = append(all.Links[n], other)
			}
		}
	}
	return all.Without(out)
}
