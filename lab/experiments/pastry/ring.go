package pastry

import (
	"tidings/lab"
	"tidings/lab/experiments/testnet"
	"tidings/network/engine"
	"tidings/network/pastry"
	"tidings/network/sim"
	"tidings/network/sim/check"
)

// ring is a world of Pastry nodes that look keys up.
type ring struct {
	*testnet.Ring
	left int // how often a node went

	lookups *check.Lookups
	sought  uint64 // lookups so far
	hops    []int  // how many first deliveries took so many
}

// member is one node: Pastry, and what it delivers lookups to.
type member struct {
	*pastry.Node
	ring *ring
	node sim.Node
}

// inRing returns a part of a run that measures a ring of its own.
func inRing(measure func(r *ring)) func(*lab.Run) {
	return func(part *lab.Run) {
		c := sim.Default(engine.NewCodec(pastry.Vocabulary, lookupVocabulary))
		c.Latency = testnet.Spread
		r := &ring{Ring: testnet.NewRing(part, c, 1)}
		r.Start = func(n sim.Node, env engine.Env) engine.Protocol {
			m := &member{pastry.New(env, r.Config), r, n}
			m.Handle(engine.Experiment, m)
			r.Enter(n, m.Node)
			return m
		}
		r.expectLookups()
		measure(r)
		part.Ran(r.World)
	}
}

func (r *ring) at(n sim.Node) *pastry.Node { return r.Protocol(n).(*member).Node }

// gone takes note of a node that has gone.
func (r *ring) gone(n sim.Node) {
	r.Gone(n)
	r.left++
}

// grow boots nodes and waits until they have settled.
func (r *ring) grow(nodes []sim.Node) { r.GrowBy(nodes, 2*r.Config.KeepAlive, 0.6) }

// wrongLeafSets returns how many live nodes have a leaf set other than the ring's order says.
func (r *ring) wrongLeafSets() int {
	c := check.Ring{Half: r.Config.LeafSet / 2, Leaves: func(n sim.Node) []engine.Peer {
		below, above := r.at(n).LeafSet()
		return append(below, above...)
	}}
	return c.Wrong(r.World)
}

// sent returns how many messages were sent so far, those of lookups left out.
func (r *ring) sent() (n float64) {
	carriers := map[engine.Kind]bool{new(pastry.Routed).Kind(): true, new(pastry.Ack).Kind(): true}
	for kind, c := range r.Counters().Kinds {
		if !carriers[kind] {
			n += float64(c.Sent)
		}
	}
	return n
}
