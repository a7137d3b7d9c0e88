package experiments

import (
	"math/rand/v2"
	"slices"
	"time"

	"tidings/lab"
	"tidings/network/engine"
	"tidings/network/pastry"
	"tidings/network/sim"
	"tidings/network/sim/check"
)

// ring is a world of Pastry nodes that look keys up.
type ring struct {
	run    *lab.Run
	world  *sim.World
	config pastry.Config
	chance *rand.Rand
	live   []sim.Node // that are up, in no order that means anything
	left   int        // how often a node went

	lookups *check.Lookups
	sought  uint64 // lookups so far
	hops    []int  // how many first deliveries took so many
}

// newRing returns a world without nodes. Messages take from 10 to 120 ms.
func newRing(run *lab.Run) *ring {
	c := sim.Default(engine.NewCodec(pastry.Vocabulary, lookupVocabulary))
	c.Seed, c.Latency = run.Seed(), sim.Uniform{Min: 10 * time.Millisecond, Max: 120 * time.Millisecond}
	r := &ring{run: run, world: sim.New(c), config: pastry.Default(), chance: rand.New(rand.NewPCG(run.Seed(), 1))}
	r.expectLookups()
	return r
}

// member is one node: Pastry, and what it delivers lookups to.
type member struct {
	*pastry.Node
	ring *ring
	node sim.Node
}

func (r *ring) at(n sim.Node) *pastry.Node { return r.world.Protocol(n).(*member).Node }

// place makes nodes that are down. Whenever one boots it joins through two of those there, one
// after the other should the first not answer; the first of all makes a ring of its own.
func (r *ring) place(n int) []sim.Node {
	nodes := make([]sim.Node, n)
	for i := range nodes {
		node := sim.Node(r.world.Len())
		nodes[i] = r.world.Add(r.key(), func(env engine.Env, _ *sim.Disk) engine.Protocol {
			m := &member{pastry.New(env, r.config), r, node}
			m.Handle(engine.Experiment, m)
			if len(r.live) == 0 {
				m.Create()
			} else {
				m.Join(r.world.Peer(r.someone()), r.world.Peer(r.someone()))
			}
			r.live = append(r.live, node)
			return m
		})
	}
	return nodes
}

// gone takes note of a node that has gone.
func (r *ring) gone(n sim.Node) {
	i, last := slices.Index(r.live, n), len(r.live)-1
	r.live[i] = r.live[last]
	r.live = r.live[:last]
	r.left++
}

func (r *ring) key() (id engine.ID) {
	for i := range id {
		id[i] = byte(r.chance.Uint32())
	}
	return id
}

// someone returns a live node that is part of the ring.
func (r *ring) someone() sim.Node {
	for {
		if n := r.live[r.chance.IntN(len(r.live))]; r.at(n).Active() {
			return n
		}
	}
}

// growth is the share by which a ring grows in a tenth of a second: tenfold in 23 seconds.
const growth = 0.01

// grow boots nodes and waits until they have settled.
func (r *ring) grow(nodes []sim.Node) error {
	r.run.Stage("joining", 0.4)
	for booted := 0; booted < len(nodes); {
		for range max(1, int(float64(booted)*growth)) {
			if booted < len(nodes) {
				r.world.Boot(nodes[booted])
				booted++
			}
		}
		if err := r.run.Pass(r.world, 100*time.Millisecond); err != nil {
			return err
		}
		r.run.Part(booted, len(nodes))
	}
	r.run.Stage("settling", 0.2)
	return r.run.Advance(r.world, 2*r.config.KeepAlive)
}

// wrongLeafSets returns how many live nodes have a leaf set other than the ring's order says.
func (r *ring) wrongLeafSets() int {
	c := check.Ring{Half: r.config.LeafSet / 2, Leaves: func(n sim.Node) []engine.Peer {
		below, above := r.at(n).LeafSet()
		return append(below, above...)
	}}
	return c.Wrong(r.world)
}

// ran takes note of the world's end, unless it came early.
func (r *ring) ran(err error) error {
	if err == nil {
		r.run.Ran(r.world)
	}
	return err
}

// sent returns how many messages were sent so far, those of lookups left out.
func (r *ring) sent() (n float64) {
	carriers := map[engine.Kind]bool{new(pastry.Routed).Kind(): true, new(pastry.Ack).Kind(): true}
	for kind, c := range r.world.Counters().Kinds {
		if !carriers[kind] {
			n += float64(c.Sent)
		}
	}
	return n
}
