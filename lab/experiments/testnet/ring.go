// Package testnet has parts for the networks of several experiments: rings that grow, sites and their latencies,
// subscriptions, and the events that are sent.
package testnet

import (
	"math/rand/v2"
	"slices"
	"time"

	"tidings/lab"
	"tidings/network/engine"
	"tidings/network/pastry"
	"tidings/network/sim"
)

// Ring is a simulated world of nodes that form a ring of Pastry.
type Ring struct {
	*sim.World
	Run    *lab.Run
	Config pastry.Config
	Chance *rand.Rand

	// Start makes an incarnation of a node, which is to call Enter.
	Start func(n sim.Node, env engine.Env) engine.Protocol

	Live       []sim.Node // that are up, in no order that means anything
	Left       []int      // by node: how often it has gone
	Departures int        // of all nodes

	// Hasty says that nodes join through any that are up, be these part of the ring yet or not.
	Hasty bool

	ring []*pastry.Node // by node: of its latest incarnation
}

// NewRing returns a world without nodes. Salt separates its random numbers from those of other worlds with the run's
// seed.
func NewRing(run *lab.Run, c sim.Config, salt uint64) *Ring {
	c.Seed = run.Seed()
	return &Ring{World: sim.New(c), Run: run, Config: pastry.Default(), Chance: rand.New(rand.NewPCG(run.Seed(), salt))}
}

// Spread is the default time that messages are under way.
var Spread = sim.Uniform{Min: 10 * time.Millisecond, Max: 120 * time.Millisecond}

// AddNodes makes nodes that are down.
func (r *Ring) AddNodes(count int) []sim.Node {
	nodes := make([]sim.Node, count)
	for i := range nodes {
		nodes[i] = r.AddNode(engine.DrawID(r.Chance))
	}
	return nodes
}

// AddNode makes a node with that ID, which is down.
func (r *Ring) AddNode(id engine.ID) sim.Node {
	n := sim.Node(r.Len())
	r.Left, r.ring = append(r.Left, 0), append(r.ring, nil)
	return r.Add(id, func(env engine.Env, _ *sim.Disk) engine.Protocol { return r.Start(n, env) })
}

// Enter makes a node that starts join the ring through two nodes of it, one after the other if the first does not
// answer. The first of all makes a ring of its own.
func (r *Ring) Enter(n sim.Node, node *pastry.Node) {
	if len(r.Live) == 0 {
		node.Create()
	} else {
		node.Join(r.Peer(r.Someone()), r.Peer(r.Someone()))
	}
	r.Entered(n, node)
}

// Entered notes that a node is up.
func (r *Ring) Entered(n sim.Node, node *pastry.Node) { r.ring[n], r.Live = node, append(r.Live, n) }

// Someone draws a live node that is part of the ring.
func (r *Ring) Someone() sim.Node {
	for {
		if n := r.Live[r.Chance.IntN(len(r.Live))]; r.Hasty || r.ring[n].Active() {
			return n
		}
	}
}

// Gone notes that a node has gone.
func (r *Ring) Gone(n sim.Node) {
	i, last := slices.Index(r.Live, n), len(r.Live)-1
	r.Live[i] = r.Live[last]
	r.Live = r.Live[:last]
	r.Left[n]++
	r.Departures++
}

// CrashSome has some nodes crash at once, drawn by chance.
func (r *Ring) CrashSome(count int) {
	for range count {
		n := r.Live[r.Chance.IntN(len(r.Live))]
		r.Crash(n)
		r.Gone(n)
	}
}

// growth is the share by which a ring grows in a tenth of a second: tenfold in 23 seconds.
const growth = 0.01

// Grow boots nodes, each by its number, and gives them time to settle: a share of the run.
func (r *Ring) Grow(count int, boot func(i int), settle time.Duration, share float64) {
	r.Run.Stage("joining", share*2/3)
	for booted := 0; booted < count; {
		for range max(1, int(float64(booted)*growth)) {
			if booted < count {
				boot(booted)
				booted++
			}
		}
		r.Run.Pass(r.World, 100*time.Millisecond)
		r.Run.Part(booted, count)
	}
	r.Run.Stage("settling", share/3)
	r.Run.Advance(r.World, settle)
}

// GrowBy boots nodes that AddNodes has made.
func (r *Ring) GrowBy(nodes []sim.Node, settle time.Duration, share float64) {
	r.Grow(len(nodes), func(i int) { r.Boot(nodes[i]) }, settle, share)
}
