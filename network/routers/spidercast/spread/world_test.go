package spread_test

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"tidings/network"
	"tidings/network/engine"
	"tidings/network/routers/spidercast/spread"
	"tidings/network/sim"
	"tidings/network/sim/check"
)

var vocabulary = engine.Vocabulary{Protocol: engine.SpiderCast, Name: "spidercast", Messages: spread.Messages}

// note is the event of these worlds.
type note struct {
	Number uint64 `cbor:"1,keyasint"`
	Text   string `cbor:"2,keyasint" max:"65536"`
}

func (*note) Kind() engine.Kind { return engine.KindOf(engine.Experiment, 1) }

func (m *note) content() engine.ID { return engine.IDOf(binary.BigEndian.AppendUint64(nil, m.Number)) }

func (m *note) digest() uint64 {
	content := m.content()
	return binary.BigEndian.Uint64(content[:])
}

var notes = engine.Vocabulary{Protocol: engine.Experiment, Name: "app",
	Messages: []engine.MessageType{{Message: new(note), Class: engine.Update}}}

var codec = engine.NewCodec(vocabulary, notes)

// forged is the text of notes that are not admitted.
const forged = "forged"

// old is the text of notes that are genuine and too old.
const old = "old"

// strange is the text of notes that this node alone doubts.
const strange = "strange"

// member admits every note that is not forged, strange or old.
type member struct{}

func (member) Doubted(_ engine.ID, event engine.Message) (digest uint64, is bool) {
	m := event.(*note)
	return m.digest(), m.Text == strange
}

func (member) Admit(_ engine.ID, event engine.Message, _ engine.Peer) (digest uint64, bytes int, ok bool) {
	m, ok := event.(*note)
	if !ok || m.Text == forged || m.Text == strange {
		return 0, 0, false
	}
	return m.digest(), len(m.Text), m.Text != old
}

func (member) Deliver(engine.ID, engine.Message, engine.Peer) {}

var _ network.Member = member{}

// edge is a link of the overlay: a is less than b.
type edge struct{ a, b sim.Node }

func edgeOf(a, b sim.Node) edge { return edge{min(a, b), max(a, b)} }

// settings say what a world is like.
type settings struct {
	nodes, topics int
	follows       int // topics of a node
	degree        int // links of a node, on average, that are there from the beginning, before topics are connected
	config        spread.Config
	env           func(n sim.Node, env engine.Env) engine.Env // to make a liar of it
	honest        func(n sim.Node) bool                       // nil: all; topics are connected without the others
	// what those that are not honest run; nil: the same as others
	rogue *attack
}

// world is nodes on a static overlay, in which the subscribers of every topic are connected. Its links stay, whichever
// nodes crash, until the test ends them. It then notifies both ends about the same time, as an overlay does.
type world struct {
	*sim.World
	s         settings
	watch     *check.Watch
	envs      []engine.Env
	joined    [][]engine.ID // by node
	publishes [][]engine.ID // by node: what it has in common with neighbours without following it
	all       []edge        // that there were in the beginning
	edges     map[edge]bool // that are up
	notes     uint64
	traced    map[string]int // by the names of events
	suspects  map[sim.Node]map[sim.Node]bool
	lived     []bool
	hops      []int // of events when they came
	published map[uint64]time.Duration
	delays    []time.Duration // of deliveries at honest nodes
}

type host struct{ *spread.Spread }

func (host) PeerDown(engine.Peer) {}

func topicOf(i int) engine.ID { return engine.IDOf(fmt.Append(nil, "topic ", i)) }

func newWorld(c sim.Config, build func(sim.Config) *sim.World, s settings) *world {
	w := &world{published: map[uint64]time.Duration{}, s: s, edges: map[edge]bool{}, traced: map[string]int{},
		suspects: map[sim.Node]map[sim.Node]bool{}}
	w.World = build(c)
	w.watch = check.All(w.World, observe, &check.Once{}, &check.Genuine{}, &check.Wanted{}, &check.Complete{},
		&check.Noiseless{Grace: 2 * time.Second})
	w.Observe(w.observe)
	w.Tap(w.listen)
	for range s.nodes {
		w.grow()
	}
	chance := rand.New(rand.NewPCG(w.Seed(), 0x5c))
	for n := range sim.Node(s.nodes) {
		for _, i := range chance.Perm(s.topics)[:s.follows] {
			w.joined[n] = append(w.joined[n], topicOf(i))
		}
		w.Boot(n)
	}
	for range s.nodes * s.degree / 2 {
		a, b := sim.Node(chance.IntN(s.nodes)), sim.Node(chance.IntN(s.nodes))
		if a != b && len(w.shared(a, b)) > 0 {
			w.edges[edgeOf(a, b)] = true
		}
	}
	w.connect(chance)
	w.all = w.sortedEdges()
	w.Every(5*time.Second, func(at time.Duration) {
		for n := range sim.Node(w.Len()) {
			if w.Up(n) && (w.s.rogue == nil || w.isHonest(n)) {
				if err := w.node(n).Check(); err != nil {
					panic(fmt.Sprintf("seed %d, at %v, node %d: %v", w.Seed(), at, n, err))
				}
			}
		}
	})
	for _, e := range w.all {
		w.linkUp(e)
	}
	return w
}

func observe(event any, report func(check.Event)) {
	if e, ok := event.(spread.Delivered); ok {
		report(check.Delivered{Topic: e.Topic, Content: e.Event.(*note).content()})
	}
}

func (w *world) observe(at time.Duration, _ sim.Node, event any) {
	w.traced[fmt.Sprintf("%T", event)[len("spread."):]]++
	switch e := event.(type) {
	case spread.Came:
		w.hops = append(w.hops, int(e.Hops))
	case spread.Delivered:
		w.delays = append(w.delays, at-w.published[e.Digest])
	case spread.LimitHit:
		w.traced[e.What]++
	}
}

// listen reports every event that reaches a node to the oracle of noise.
func (w *world) listen(p sim.Delivery) {
	if m, ok := p.Message.(*spread.Event); ok && p.Fate == sim.Received &&
		(w.s.rogue == nil || w.isHonest(p.To) && w.isHonest(p.From)) {
		w.watch.Report(p.To, check.Carried{Topic: m.Topic})
	}
}

// grow adds a node, which is down.
func (w *world) grow() sim.Node {
	n := sim.Node(w.Len())
	w.joined, w.publishes, w.envs, w.lived = append(w.joined, nil), append(w.publishes, nil), append(w.envs, nil),
		append(w.lived, false)
	return w.Add(engine.IDOf(fmt.Append(nil, "node ", n)), func(env engine.Env, _ *sim.Disk) engine.Protocol {
		if w.s.env != nil {
			env = w.s.env(n, env)
		}
		w.envs[n] = env
		if w.s.rogue != nil && !w.isHonest(n) {
			return w.newRogue(n, env)
		}
		s := spread.New(env, w.s.config, member{})
		s.OnSuspect(func(p engine.Peer) { w.suspect(n, p) })
		if w.lived[n] {
			w.watch.Report(n, check.Forgot{})
		}
		w.lived[n] = true
		for _, topic := range w.joined[n] {
			w.watch.Report(n, check.Subscribed{Topic: topic})
			s.Join(topic)
		}
		return host{s}
	})
}

func (w *world) suspect(n sim.Node, p engine.Peer) {
	other, _ := w.NodeAt(p)
	if w.suspects[n] == nil {
		w.suspects[n] = map[sim.Node]bool{}
	}
	w.suspects[n][other] = true
}

// connect adds links until the honest subscribers of every topic are connected among themselves. Every other node is
// connected to one of them.
func (w *world) connect(chance *rand.Rand) {
	for i := range w.s.topics {
		for {
			groups := w.components(topicOf(i))
			if len(groups) < 2 {
				break
			}
			a, b := groups[0], groups[1]
			w.edges[edgeOf(a[chance.IntN(len(a))], b[chance.IntN(len(b))])] = true
		}
		honest := w.components(topicOf(i))[0]
		for n := range sim.Node(w.Len()) {
			if w.wants(n, topicOf(i)) && !w.isHonest(n) {
				w.edges[edgeOf(n, honest[chance.IntN(len(honest))])] = true
			}
		}
	}
}

// components returns the groups of honest subscribers that are connected.
func (w *world) components(topic engine.ID) (groups [][]sim.Node) {
	seen := map[sim.Node]bool{}
	for n := range sim.Node(w.Len()) {
		if w.wants(n, topic) && !seen[n] && w.isHonest(n) {
			group := slices.Sorted(func(yield func(sim.Node) bool) {
				for m := range w.distances(n, topic) {
					seen[m] = true
					if !yield(m) {
						return
					}
				}
			})
			groups = append(groups, group)
		}
	}
	return groups
}

// distances returns how many hops the honest subscribers of a topic are from one node, over links that are up.
func (w *world) distances(from sim.Node, topic engine.ID) map[sim.Node]int {
	at, queue := map[sim.Node]int{from: 0}, []sim.Node{from}
	near := map[sim.Node][]sim.Node{}
	for e := range w.edges {
		near[e.a], near[e.b] = append(near[e.a], e.b), append(near[e.b], e.a)
	}
	for ; len(queue) > 0; queue = queue[1:] {
		for _, m := range near[queue[0]] {
			if _, known := at[m]; !known && w.wants(m, topic) && w.isHonest(m) && w.Up(m) == w.Up(from) {
				at[m] = at[queue[0]] + 1
				queue = append(queue, m)
			}
		}
	}
	return at
}

func (w *world) isHonest(n sim.Node) bool { return w.s.honest == nil || w.s.honest(n) }

func (w *world) sortedEdges() []edge { return sortedEdges(w.edges) }

func sortedEdges[V any](edges map[edge]V) []edge {
	return slices.SortedFunc(func(yield func(edge) bool) {
		for e := range edges {
			if !yield(e) {
				return
			}
		}
	}, func(x, y edge) int { return cmp.Or(cmp.Compare(x.a, y.a), cmp.Compare(x.b, y.b)) })
}

func (w *world) node(n sim.Node) *spread.Spread { return w.Protocol(n).(host).Spread }

func (w *world) wants(n sim.Node, topic engine.ID) bool { return slices.Contains(w.joined[n], topic) }

// shared returns what a may send to b.
func (w *world) shared(a, b sim.Node) (shared []engine.ID) {
	for _, topic := range append(slices.Clone(w.joined[a]), w.publishes[a]...) {
		if w.wants(b, topic) && !slices.Contains(shared, topic) {
			shared = append(shared, topic)
		}
	}
	return shared
}

// do calls f of a node that is up, between its events.
func (w *world) do(n sim.Node, f func(s *spread.Spread)) {
	if w.Up(n) && (w.s.rogue == nil || w.isHonest(n)) {
		w.Do(n, func(engine.Protocol) { f(w.node(n)) })
	}
}

// linkUp notifies both ends of a link, one a little later.
func (w *world) linkUp(e edge) {
	w.edges[e] = true
	up := func(a, b sim.Node) func() {
		return func() {
			if w.edges[e] {
				w.do(a, func(s *spread.Spread) { s.LinkUp(w.Peer(b), w.shared(a, b)) })
			}
		}
	}
	up(e.a, e.b)()
	w.After(50*time.Millisecond, up(e.b, e.a))
}

func (w *world) linkDown(e edge) {
	delete(w.edges, e)
	w.do(e.a, func(s *spread.Spread) { s.LinkDown(w.Peer(e.b)) })
	w.do(e.b, func(s *spread.Spread) { s.LinkDown(w.Peer(e.a)) })
}

// changed reports to a node and its neighbours that it follows other topics, or publishes on others.
func (w *world) changed(n sim.Node) {
	for _, e := range w.sortedEdges() {
		for _, pair := range [][2]sim.Node{{e.a, e.b}, {e.b, e.a}} {
			if a, b := pair[0], pair[1]; a == n || b == n {
				w.do(a, func(s *spread.Spread) { s.LinkChanged(w.Peer(b), w.shared(a, b)) })
			}
		}
	}
}

func (w *world) join(n sim.Node, topic engine.ID) {
	if w.wants(n, topic) {
		return
	}
	w.joined[n] = append(w.joined[n], topic)
	w.watch.Report(n, check.Subscribed{Topic: topic})
	w.do(n, func(s *spread.Spread) { s.Join(topic) })
	w.changed(n)
}

func (w *world) leave(n sim.Node, topic engine.ID) {
	w.joined[n] = slices.DeleteFunc(w.joined[n], func(id engine.ID) bool { return id == topic })
	w.watch.Report(n, check.Unsubscribed{Topic: topic})
	w.do(n, func(s *spread.Spread) { s.Leave(topic) })
	w.After(time.Second, func() { w.changed(n) })
}

// crash ends a node. Its neighbours find out after detect; then it may come back, and has its links again.
func (w *world) crash(n sim.Node, detect, back time.Duration) {
	w.Crash(n)
	w.After(detect, func() {
		for _, e := range w.sortedEdges() {
			if e.a == n || e.b == n {
				w.linkDown(e)
			}
		}
	})
	w.After(max(back, detect+1), func() {
		w.Boot(n)
		for _, e := range w.all {
			if (e.a == n || e.b == n) && w.Up(e.a) && w.Up(e.b) {
				w.linkUp(e)
			}
		}
	})
}

// publish sends a new note from a node.
func (w *world) publish(n sim.Node, topic engine.ID) *note {
	w.notes++
	m := &note{Number: w.notes, Text: "news"}
	w.published[m.digest()] = w.Now()
	w.watch.Report(-1, check.Served{Topic: topic, Content: m.content()})
	w.watch.Report(n, check.Published{Topic: topic, Content: m.content()})
	w.do(n, func(s *spread.Spread) { s.Publish(topic, m) })
	return m
}

// publishSome has random honest subscribers publish on random topics of theirs, every so often.
func (w *world) publishSome(count int, every time.Duration) {
	for range count {
		for {
			n := sim.Node(w.Rand().IntN(w.s.nodes))
			if w.Up(n) && w.isHonest(n) && len(w.joined[n]) > 0 {
				w.publish(n, w.joined[n][w.Rand().IntN(len(w.joined[n]))])
				break
			}
		}
		w.Run(every)
	}
}

// sent returns how many messages were sent so far.
func (w *world) sent() (messages uint64) {
	for _, k := range w.Counters().Kinds {
		messages += k.Sent
	}
	return messages
}

// wire returns a world in which messages are under way for 20 to 80 ms and pass the codec.
func wire() sim.Config {
	c := sim.Default(codec)
	c.Wire, c.Latency = true, between{}
	return c
}

// between has every pair of nodes have a latency of its own.
type between struct{}

func (between) Between(_ *rand.Rand, from, to sim.Node) time.Duration {
	a, b := uint64(min(from, to)), uint64(max(from, to))
	return time.Duration(20+rand.New(rand.NewPCG(a, b)).IntN(60)) * time.Millisecond
}

func (between) Steady() bool { return true }
