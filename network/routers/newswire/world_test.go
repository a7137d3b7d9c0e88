package newswire_test

import (
	"fmt"
	"testing"
	"time"

	"tidings/network/astrolabe"
	"tidings/network/astrolabe/attr"
	"tidings/network/astrolabe/settled"
	"tidings/network/astrolabe/zone"
	"tidings/network/engine"
	"tidings/network/routers/newswire"
	"tidings/network/routers/routertest"
	"tidings/network/sim"
)

var codec = engine.NewCodec(astrolabe.Vocabulary, newswire.Vocabulary, routertest.Vocabulary)

// plan describes a network that begins at rest.
type plan struct {
	nodes, members int // in all, and in each zone
	full           int // zones in a zone at most; 0: as many as there are
	config         newswire.Config
	zones          astrolabe.Config
	follows        func(n int) []engine.ID // nil: all follow topic 0
	own            func(n int) attr.Row    // attributes of members, besides their filters
	lie            func(n int, env engine.Env) engine.Env
	seams          func(n int, s *newswire.Seams)
	zoned          func(n int, id engine.ID, s *astrolabe.Seams)
	world          func(*sim.Config)
	zone           func(n int) zone.Path                             // nil: as nodes and members say
	log            func(env engine.Env, disk *sim.Disk) newswire.Log // nil: there are none
}

// testNet is such a network.
type testNet struct {
	*sim.World
	plan  plan
	paths []zone.Path
	rest  *settled.Network
	got   map[uint64]map[sim.Node][]time.Duration // by the note's number: the nodes that got it, and when
	last  uint64                                  // note's number
}

// testNode is one node.
type testNode struct {
	*engine.Stack
	zones *astrolabe.Node
	wire  *newswire.Node
}

func newPlan(nodes, members int) plan {
	return plan{nodes: nodes, members: members, config: newswire.Default(), zones: astrolabe.Default()}
}

// sub returns a topic of the tests.
func sub(i int) engine.ID { return routertest.Topic(i) }

func newTown(p plan) *testNet {
	c := sim.Default(codec)
	if p.world != nil {
		p.world(&c)
	}
	if p.follows == nil {
		p.follows = func(int) []engine.ID { return []engine.ID{sub(0)} }
	}
	if p.full == 0 {
		p.full = p.zones.Full
	}
	w := &testNet{World: sim.New(c), plan: p, paths: settled.Zones(p.nodes, p.members, p.full),
		got: make(map[uint64]map[sim.Node][]time.Duration)}
	members := make([]settled.Member, p.nodes)
	for i := range p.nodes {
		n := w.Add(engine.IDOf(fmt.Append(nil, "house ", i)),
			func(env engine.Env, disk *sim.Disk) engine.Protocol { return w.start(i, env, disk) })
		if p.zone != nil {
			w.paths[i] = p.zone(i)
		}
		own := newswire.Attributes(p.config.Shape.Filter(p.follows(i)))
		if p.own != nil {
			own = append(own, p.own(i)...)
		}
		members[i] = settled.Member{Peer: w.Peer(n), Keys: w.Keys(n), Zone: w.paths[i], Own: attr.Of(own...)}
	}
	w.rest = settled.New(p.zones, members, c.Epoch)
	w.BootAll(0)
	return w
}

func (w *testNet) start(i int, env engine.Env, disk *sim.Disk) engine.Protocol {
	n := sim.Node(i)
	if w.plan.lie != nil {
		env = w.plan.lie(i, env)
	}
	h := &testNode{Stack: engine.NewStack(env)}
	zoned := astrolabe.Seams{Keys: w.Keys(n), Settled: w.rest.Of(i)}
	if w.plan.zoned != nil {
		w.plan.zoned(i, w.Peer(n).ID, &zoned)
	}
	h.zones = astrolabe.New(env, w.plan.zones, zoned)
	h.Add(engine.Astrolabe, h.zones)
	seams := newswire.Seams{Member: reader{w, n}, Keys: w.Keys(n)}
	if w.plan.log != nil {
		seams.Log = w.plan.log(env, disk)
	}
	if w.plan.seams != nil {
		w.plan.seams(i, &seams)
	}
	h.wire = newswire.New(env, w.plan.config, seams, h.zones)
	h.zones.Watch(h.wire)
	h.Add(engine.NewsWire, h.wire)
	for _, topic := range w.plan.follows(i) {
		h.wire.Join(topic)
	}
	return h
}

// reader receives a node's notes. It admits those with the right topic and a text that does not begin with false.
type reader struct {
	testNet *testNet
	node    sim.Node
}

func (r reader) Admit(topic engine.ID, event engine.Message, _ engine.Peer) (digest uint64, bytes int, ok bool) {
	m, ok := event.(*routertest.Note)
	if !ok || m.Topic != topic || m.Text == "false" {
		return 0, 0, false
	}
	return m.Number, len(m.Text), true
}

func (r reader) Deliver(_ engine.ID, event engine.Message, _ engine.Peer) {
	number := event.(*routertest.Note).Number
	if r.testNet.got[number] == nil {
		r.testNet.got[number] = make(map[sim.Node][]time.Duration)
	}
	r.testNet.got[number][r.node] = append(r.testNet.got[number][r.node], r.testNet.Now())
}

func (w *testNet) testNode(n sim.Node) *testNode {
	h, _ := w.Protocol(n).(*testNode)
	return h
}

// publish has a node publish a note on a topic for a zone, and returns its number.
func (w *testNet) publish(t testing.TB, from sim.Node, to zone.Path, topic int, predicate string) uint64 {
	t.Helper()
	w.last++
	number := w.last
	var err error
	w.Do(from, func(engine.Protocol) {
		err = w.testNode(from).wire.Send(to, sub(topic), []engine.ID{sub(topic)}, predicate, note(number, topic))
	})
	if err != nil {
		t.Fatal(err)
	}
	return number
}

func note(number uint64, topic int) *routertest.Note {
	return &routertest.Note{Topic: sub(topic), Number: number}
}

// expect fails unless exactly those nodes got a note that are due it and up, each once.
func (w *testNet) expect(t testing.TB, number uint64, due func(n sim.Node) bool) {
	t.Helper()
	missing, extra, twice := 0, 0, 0
	for n := range sim.Node(w.Len()) {
		switch count := len(w.got[number][n]); {
		case count > 1:
			twice++
		case count == 1 && !due(n):
			extra++
		case count == 0 && due(n) && w.Up(n):
			missing++
		}
	}
	if missing+extra+twice > 0 {
		t.Errorf("note %d: %d have not got it, %d should not have, %d got it twice", number, missing, extra, twice)
	}
}

// in returns a function that reports whether a node is in a zone.
func (w *testNet) in(z zone.Path) func(sim.Node) bool {
	return func(n sim.Node) bool { return z.Contains(w.paths[n]) }
}

func everybody(sim.Node) bool { return true }
func nobody(sim.Node) bool    { return false }

// representatives returns the representatives of a zone.
func (w *testNet) representatives(z zone.Path) (nodes []sim.Node) {
	r, _ := w.rest.Table(z.Parent()).Get(z.Label())
	for _, p := range astrolabe.Representatives(r) {
		n, _ := w.NodeAt(p)
		nodes = append(nodes, n)
	}
	return nodes
}

// idle fails if a node still is at work on an item.
func (w *testNet) idle(t testing.TB) {
	t.Helper()
	for n := range sim.Node(w.Len()) {
		if w.Up(n) && newswire.Working(w.testNode(n).wire) > 0 {
			t.Errorf("node %d is still at work on %d items", n, newswire.Working(w.testNode(n).wire))
			return
		}
	}
}
