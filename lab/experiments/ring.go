package experiments

import (
	"math/rand/v2"
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

	lookups *check.Lookups
	sought  uint64 // lookups so far
	hops    []int  // how many first deliveries took so many
}

// lookup is the payload of the lookups.
type lookup struct {
	Number uint64 `cbor:"1,keyasint"`
}

func (*lookup) Kind() engine.Kind { return engine.KindOf(engine.Experiment, 3) }

var lookupVocabulary = engine.Vocabulary{
	Protocol: engine.Experiment, Name: "experiment",
	Messages: []engine.MessageType{{Message: new(lookup), Class: engine.Update}},
}

// newRing returns a world without nodes.
func newRing(run *lab.Run, latency sim.Latency) *ring {
	c := sim.Default(engine.NewCodec(pastry.Vocabulary, lookupVocabulary))
	c.Seed, c.Latency = run.Seed(), latency
	r := &ring{run: run, world: sim.New(c), config: pastry.Default(), chance: rand.New(rand.NewPCG(run.Seed(), 1))}
	r.expectLookups()
	return r
}

// maxLookup is how long a lookup may take to count as right.
const maxLookup = time.Minute

// expectLookups begins to judge lookups anew.
func (r *ring) expectLookups() {
	r.lookups = check.NewLookups(r.world)
	r.lookups.Within, r.lookups.AtLeast, r.lookups.MayRepeat = maxLookup, 0.5, true
	r.lookups.Member = func(n sim.Node) bool { return r.at(n).Active() }
	r.hops = nil
}

// member is one node: Pastry, and what it delivers lookups to.
type member struct {
	*pastry.Node
	ring *ring
	node sim.Node
}

func (r *ring) at(n sim.Node) *pastry.Node { return r.world.Protocol(n).(*member).Node }

// Forward lets every lookup go on.
func (m *member) Forward(engine.ID, engine.Message, engine.Peer) bool { return true }

// Deliver ends a lookup.
func (m *member) Deliver(key engine.ID, _ engine.Peer, payload engine.Message, hops int) {
	r := m.ring
	before := r.lookups.Figures().Duplicate
	r.lookups.Observe(r.world.Now(), m.node, check.Found{Key: key, Number: payload.(*lookup).Number})
	if r.lookups.Figures().Duplicate > before {
		return
	}
	for len(r.hops) <= hops {
		r.hops = append(r.hops, 0)
	}
	r.hops[hops]++
}

// add starts a node that joins through one of those there.
func (r *ring) add() {
	node := sim.Node(r.world.Len())
	n := r.world.Add(r.key(), func(env engine.Env, _ *sim.Disk) engine.Protocol {
		m := &member{pastry.New(env, r.config), r, node}
		m.Handle(engine.Experiment, m)
		if len(r.live) == 0 {
			m.Create()
		} else {
			m.Join(r.world.Peer(r.someone()))
		}
		return m
	})
	r.world.Boot(n)
	r.live = append(r.live, n)
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

// grow adds nodes until there are n, and waits until they have settled.
func (r *ring) grow(n int) error {
	r.run.Stage("joining", 0.4)
	for len(r.live) < n {
		for range max(1, int(float64(len(r.live))*growth)) {
			if len(r.live) < n {
				r.add()
			}
		}
		if err := r.run.Pass(r.world, 100*time.Millisecond); err != nil {
			return err
		}
		r.run.Part(len(r.live), n)
	}
	r.run.Stage("settling", 0.2)
	return r.run.Advance(r.world, 2*r.config.KeepAlive)
}

// lookUp has a node that is part of the ring look a random key up.
func (r *ring) lookUp() {
	key, from := r.key(), r.someone()
	r.sought++
	r.lookups.Observe(r.world.Now(), from, check.Sought{Key: key, Number: r.sought})
	r.at(from).Route(key, &lookup{r.sought})
}

// lookUpDuring makes count lookups, evenly over a time, as the present stage.
func (r *ring) lookUpDuring(count int, d time.Duration) error {
	began := r.world.Now()
	for i := range count {
		r.lookUp()
		until := began + time.Duration(float64(d)*float64(i+1)/float64(count))
		if err := r.run.Pass(r.world, until-r.world.Now()); err != nil {
			return err
		}
		r.run.Part(i+1, count)
	}
	return nil
}

// judged waits until the last lookups are due and returns how all went.
func (r *ring) judged() (check.Figures, error) {
	for range maxLookup / time.Second {
		if err := r.run.Pass(r.world, time.Second); err != nil {
			return check.Figures{}, err
		}
	}
	r.lookups.Finish(r.world)
	return r.lookups.Figures(), nil
}

// wrongLeafSets returns how many live nodes have a leaf set other than the ring's order says.
func (r *ring) wrongLeafSets() int {
	c := check.Ring{Half: r.config.LeafSet / 2, Leaves: func(n sim.Node) []engine.Peer {
		below, above := r.at(n).LeafSet()
		return append(below, above...)
	}}
	return c.Wrong(r.world)
}

// crash ends a live node at once; i is its place in live.
func (r *ring) crash(i int) {
	r.world.Crash(r.live[i])
	last := len(r.live) - 1
	r.live[i] = r.live[last]
	r.live = r.live[:last]
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
