package routertest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"tidings/network/engine"
	"tidings/network/forward/forwardtest"
	"tidings/network/pastry"
	"tidings/network/sim"
	"tidings/network/sim/check"
	"tidings/network/vivaldi"
)

// Setup says what nodes are like.
type Setup[N any] struct {
	// Nodes is how many there are from the beginning.
	Nodes int

	// Ring is what Pastry runs with; nil: there is no ring.
	Ring *pastry.Config

	// Build puts the protocols of a node that starts on its host's stack, above the ring's.
	Build func(h *Host[N]) N

	// Started, if not nil, is called as soon as a node has been built and has begun to join the ring.
	Started func(h *Host[N])

	// Env, if not nil, is put around a node's Env: to make a liar of it.
	Env func(n sim.Node, env engine.Env) engine.Env

	// Homes, if not nil, makes seven of ten nodes private, and all forward. It is the codec of the world, which is made
	// with forwardtest.Configure.
	Homes *engine.Codec
}

// Nodes is a simulated network of nodes that run the same protocols.
type Nodes[N any] struct {
	*sim.World
	setup  Setup[N]
	chance *rand.Rand
}

// Host is one incarnation of a node, with what protocols may ask of its surroundings.
type Host[N any] struct {
	*forwardtest.Stack
	Env    engine.Env
	Number sim.Node
	Disk   *sim.Disk
	Pastry *pastry.Node // nil: there is no ring
	Node   N

	nodes *Nodes[N]
}

// NewNodes puts nodes into a world that has none, and returns when they form a right ring, if they are to.
func NewNodes[N any](w *sim.World, s Setup[N]) *Nodes[N] {
	nodes := newNodes(w, s)
	nodes.begin()
	return nodes
}

func newNodes[N any](w *sim.World, s Setup[N]) *Nodes[N] {
	return &Nodes[N]{World: w, setup: s, chance: rand.New(rand.NewPCG(w.Seed(), 0xfe))}
}

func (w *Nodes[N]) begin() {
	for range w.setup.Nodes {
		w.Boot(w.Grow(w.ID()))
		w.Run(50 * time.Millisecond)
	}
	w.Settle()
}

// ID draws an ID.
func (w *Nodes[N]) ID() engine.ID { return engine.DrawID(w.chance) }

// Grow adds a node, which is down.
func (w *Nodes[N]) Grow(id engine.ID) sim.Node {
	number := sim.Node(w.Len())
	return w.Add(id, func(env engine.Env, disk *sim.Disk) engine.Protocol { return w.start(number, env, disk) })
}

func (w *Nodes[N]) start(number sim.Node, env engine.Env, disk *sim.Disk) *Host[N] {
	if w.setup.Env != nil {
		env = w.setup.Env(number, env)
	}
	stack := forwardtest.Plain(env)
	if w.setup.Homes != nil {
		env, stack = forwardtest.NewStack(w.World, number, env, w.setup.Homes)
	}
	h := &Host[N]{Stack: stack, Env: env, Number: number, Disk: disk, nodes: w}
	if w.setup.Ring != nil {
		h.Pastry = pastry.New(env, *w.setup.Ring)
		h.Add(engine.Pastry, h.Pastry)
	}
	h.Node = w.setup.Build(h)
	active := w.Active()
	if w.setup.Homes != nil {
		active = slices.DeleteFunc(active, forwardtest.Private)
	}
	if h.Pastry != nil && len(active) > 0 {
		h.Pastry.Join(w.Peer(active[w.chance.IntN(len(active))]), w.Peer(active[0]))
	} else if h.Pastry != nil {
		h.Pastry.Create()
	}
	if w.setup.Started != nil {
		w.setup.Started(h)
	}
	return h
}

// Host returns the incarnation of a node that is up.
func (w *Nodes[N]) Host(n sim.Node) *Host[N] { return w.Protocol(n).(*Host[N]) }

// Node returns what was built for a node that is up.
func (w *Nodes[N]) Node(n sim.Node) N { return w.Host(n).Node }

// Live returns the nodes that are up, in order.
func (w *Nodes[N]) Live() (live []sim.Node) {
	for n := range sim.Node(w.Len()) {
		if w.Up(n) {
			live = append(live, n)
		}
	}
	return live
}

// Active returns the nodes that are part of the ring, in order; without a ring, those that are up.
func (w *Nodes[N]) Active() []sim.Node {
	return slices.DeleteFunc(w.Live(), func(n sim.Node) bool { p := w.Host(n).Pastry; return p != nil && !p.Active() })
}

// Any draws a node that is up.
func (w *Nodes[N]) Any() sim.Node {
	live := w.Live()
	return live[w.chance.IntN(len(live))]
}

// Root returns the live node that is closest to a topic.
func (w *Nodes[N]) Root(topic engine.ID) sim.Node {
	live := w.Live()
	root := live[0]
	for _, n := range live {
		if engine.Closer(topic, w.Peer(n).ID, w.Peer(root).ID) {
			root = n
		}
	}
	return root
}

// settling is how long a ring may need to become right.
const settling = 15 * time.Minute

// Settle runs the world until all nodes that are up form one right ring, if there is one. It panics if that lasts too
// long.
func (w *Nodes[N]) Settle() {
	if w.setup.Ring == nil {
		return
	}
	ring := &check.Ring{Half: w.setup.Ring.LeafSet / 2, Leaves: func(n sim.Node) []engine.Peer {
		below, above := w.Host(n).Pastry.LeafSet()
		return append(below, above...)
	}}
	for end := w.Now() + settling; len(w.Active()) < len(w.Live()) || ring.Wrong(w.World) > 0; w.Run(time.Second) {
		if w.Now() > end {
			panic(fmt.Sprintf("routertest: seed %d: no right ring after %v", w.Seed(), settling))
		}
	}
}

// Keys signs with the node's key.
func (h *Host[N]) Keys() engine.Keys { return h.nodes.Keys(h.Number) }

// Root returns the live node that is closest to a topic: a directory that errs never, and knows at once.
func (h *Host[N]) Root(topic engine.ID) engine.Peer { return h.nodes.Peer(h.nodes.Root(topic)) }

// Contacts draws up to k other nodes that are up, each once: those with which a node without a ring begins.
func (h *Host[N]) Contacts(k int) (contacts []engine.Peer) {
	live := slices.DeleteFunc(h.nodes.Live(), func(n sim.Node) bool { return n == h.Number })
	for range min(k, len(live)) {
		i := h.nodes.chance.IntN(len(live))
		contacts = append(contacts, h.nodes.Peer(live[i]))
		live = slices.Delete(live, i, i+1)
	}
	return contacts
}

// Coordinate returns the node's place in worlds with the Space of their seed as latency.
func (h *Host[N]) Coordinate() vivaldi.Coordinate { return Space(h.nodes.Seed()).Coordinate(h.Number) }

// Frozen is true: places are for ever.
func (h *Host[N]) Frozen() bool { return true }
