package pastry

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/forward"
	"tidings/network/sim"
)

// note is the payload of the tests.
type note struct {
	N uint64 `cbor:"1,keyasint"`
}

func (*note) Kind() engine.Kind { return engine.KindOf(engine.Experiment, 1) }

var notes = engine.Vocabulary{Protocol: engine.Experiment, Name: "notes",
	Messages: []engine.MessageType{{Message: new(note), Class: engine.Update}}}

var codec = engine.NewCodec(Vocabulary, forward.Vocabulary, notes)

// ring is a world of Pastry nodes with an oracle that sees all of them.
type ring struct {
	t      tester
	world  *sim.World
	config Config
	chance *rand.Rand
	nodes  []sim.Node
	got    map[uint64][]delivery // by note
	sent   uint64
	events map[string]int

	private float64 // this share of the nodes is private, and all forward; 0: none forwards
}

// delivery is an arrival of a note.
type delivery struct {
	at   time.Duration
	node sim.Node
	life int // of the node: how often it had started
	hops int
}

// tester is what a ring wants of a test: of testing's, and of rapid's.
type tester interface {
	Logf(format string, args ...any)
	Errorf(format string, args ...any)
}

func newRing(t tester, seed uint64, change ...func(*sim.Config)) *ring {
	c := sim.Default(codec)
	c.Seed, c.Wire = seed, true
	for _, f := range change {
		f(&c)
	}
	r := &ring{t: t, world: sim.New(c), config: Default(), chance: rand.New(rand.NewPCG(seed, 7)),
		got: make(map[uint64][]delivery), events: make(map[string]int)}
	t.Logf("seed %d", seed)
	return r
}

// count has the ring count what is traced.
func (r *ring) count() {
	r.world.Observe(func(_ time.Duration, _ sim.Node, e any) {
		name := fmt.Sprintf("%T", e)
		if l, ok := e.(LimitHit); ok {
			name = l.What
		}
		r.events[name]++
	})
}

// app receives the notes that arrive at one node.
type app struct {
	r    *ring
	node sim.Node
	life int
}

func (a app) Forward(engine.ID, engine.Message, engine.Peer) bool { return true }
func (a app) Deliver(_ engine.ID, _ engine.Peer, m engine.Message, hops int) {
	n := m.(*note).N
	a.r.got[n] = append(a.r.got[n], delivery{a.r.world.Now(), a.node, a.life, hops})
}

// add makes a node with a random ID and starts it, to join by the seeds.
func (r *ring) add(seeds ...sim.Node) sim.Node { return r.addID(r.key(), seeds...) }

func (r *ring) addID(id engine.ID, seeds ...sim.Node) sim.Node {
	n := r.place(id, seeds...)
	r.world.Boot(n)
	return n
}

// place makes a node that is down. At its first start it joins by the seeds. Without any, and after that, it joins by
// two of the nodes that are active then. If there are none it is the first of a ring.
func (r *ring) place(id engine.ID, seeds ...sim.Node) sim.Node {
	number, life := sim.Node(r.world.Len()), 0
	n := r.world.Add(id, func(env engine.Env, _ *sim.Disk) engine.Protocol {
		var f *forward.Node
		if r.private > 0 {
			f = forward.New(env, r.world.Keys(number), codec, forward.Default())
			env = f
		}
		p := New(env, r.config)
		p.Handle(engine.Experiment, app{r, number, life})
		life++
		s := engine.NewStack(env)
		s.Add(engine.Pastry, p)
		through := seeds
		if len(seeds) == 0 && len(r.alive()) > 0 {
			through = []sim.Node{r.seed(), r.seed()}
		}
		seeds = nil
		if len(through) == 0 {
			p.Create()
		} else {
			p.Join(r.peers(through)...)
		}
		if f != nil {
			f.Serve(s)
			return stacked{f, p}
		}
		return stacked{s, p}
	})
	if r.private > 0 && r.chance.Float64() < r.private && len(r.nodes) > 0 {
		sim.HomesOf(r.world).Add(n)
	}
	r.nodes = append(r.nodes, n)
	return n
}

type stacked struct {
	engine.Protocol
	pastry *Node
}

func (r *ring) peers(nodes []sim.Node) (peers []engine.Peer) {
	for _, n := range nodes {
		peers = append(peers, r.world.Peer(n))
	}
	return peers
}

// grow adds nodes, each after a time and through a random one of those there.
func (r *ring) grow(n int, every time.Duration) {
	for range n {
		if len(r.nodes) == 0 {
			r.add()
		} else {
			r.add(r.seed())
		}
		r.world.Run(every)
	}
}

func (r *ring) pastry(n sim.Node) *Node { return r.world.Protocol(n).(stacked).pastry }

// alive returns the nodes that are up and active.
func (r *ring) alive() (alive []sim.Node) {
	for _, n := range r.nodes {
		if r.world.Up(n) && r.pastry(n).Active() {
			alive = append(alive, n)
		}
	}
	return alive
}

// someone returns a node that is up and active.
func (r *ring) someone() sim.Node {
	for {
		n := r.nodes[r.chance.IntN(len(r.nodes))]
		if r.world.Up(n) && r.pastry(n).Active() {
			return n
		}
	}
}

// seed returns a node to join by, a public one if there is any.
func (r *ring) seed() sim.Node {
	n := r.someone()
	for tries := 0; r.private > 0 && sim.HomesOf(r.world).Has(n) && tries < 100; tries++ {
		n = r.someone()
	}
	return n
}

func (r *ring) key() engine.ID { return engine.DrawID(r.chance) }

// sorted returns the peers of nodes by ID.
func (r *ring) sorted(nodes []sim.Node) []engine.Peer {
	peers := r.peers(nodes)
	slices.SortFunc(peers, func(a, b engine.Peer) int { return a.ID.Compare(b.ID) })
	return peers
}

// root returns which of the sorted peers is closest to key.
func root(key engine.ID, peers []engine.Peer) engine.Peer {
	i := sort.Search(len(peers), func(i int) bool { return peers[i].ID.Compare(key) >= 0 })
	closest := peers[i%len(peers)]
	for _, j := range []int{i - 1, i + 1} {
		if p := peers[(j%len(peers)+len(peers))%len(peers)]; engine.Closer(key, p.ID, closest.ID) {
			closest = p
		}
	}
	return closest
}

// wrongLeafSets returns how many of the nodes have a leaf set other than the oracle's.
func (r *ring) wrongLeafSets(nodes []sim.Node) (wrong int) {
	peers := r.sorted(nodes)
	where := make(map[engine.ID]int)
	for i, p := range peers {
		where[p.ID] = i
	}
	at := func(i int) engine.Peer { return peers[(i%len(peers)+len(peers))%len(peers)] }
	for _, n := range nodes {
		below, above := r.pastry(n).LeafSet()
		i := where[r.world.Peer(n).ID]
		sides := min(r.config.LeafSet/2, len(peers)-1)
		ok := len(below) == sides && len(above) == sides
		for j := 0; ok && j < sides; j++ {
			ok = below[j] == at(i-1-j) && above[j] == at(i+1+j)
		}
		if !ok {
			wrong++
		}
	}
	return wrong
}

// lookups routes notes from random nodes to random keys. When all have had time, it returns how many were not delivered
// exactly once at the closest node, and the hops of the others.
func (r *ring) lookups(count int, nodes []sim.Node) (wrong int, hops []int) {
	peers := r.sorted(nodes)
	type want struct {
		note uint64
		root engine.ID
	}
	var wants []want
	for range count {
		key := r.key()
		wants = append(wants, want{r.route(nodes[r.chance.IntN(len(nodes))], key), root(key, peers).ID})
		r.world.Run(time.Millisecond)
	}
	r.world.Run(30 * time.Second)
	for _, w := range wants {
		got := r.got[w.note]
		delete(r.got, w.note)
		if len(got) != 1 || r.world.Peer(got[0].node).ID != w.root {
			wrong++
			continue
		}
		hops = append(hops, got[0].hops)
	}
	return wrong, hops
}

// route has a node send a note and returns the note's number.
func (r *ring) route(from sim.Node, key engine.ID) uint64 {
	r.sent++
	r.pastry(from).Route(key, &note{r.sent})
	return r.sent
}

// traffic returns how many messages and bytes were sent so far.
func (r *ring) traffic() (messages, bytes uint64) {
	for _, c := range r.world.Counters().Kinds {
		messages += c.Sent
		bytes += c.Bytes
	}
	return messages, bytes
}

// short returns the first with -short, else the second.
func short(quick, full int) int {
	if testing.Short() {
		return quick
	}
	return full
}

func mean(hops []int) float64 {
	sum := 0
	for _, h := range hops {
		sum += h
	}
	return float64(sum) / float64(len(hops))
}
