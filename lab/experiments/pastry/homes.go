package pastry

import (
	"slices"
	"time"

	"tidings/lab"
	"tidings/lab/experiments/testnet"
	"tidings/lab/stats"
	"tidings/network/engine"
	"tidings/network/forward"
	"tidings/network/pastry"
	"tidings/network/sim"
)

// Of the nodes of a ring of homes seven of ten are private, and one of twenty relays connections. It does so for as
// many others at a time as a live one.
const (
	privateShare = 0.7
	relayShare   = 0.05
	circuits     = 16
)

// reachable says which nodes of a ring can be connected to.
type reachable uint8

const (
	allPublic reachable = iota
	private             // seven of ten nodes are
	relayed             // and each has a place at a relay
)

// homes is a ring in which all nodes forward.
type homes struct {
	*ring
	of      reachable
	private []bool     // by node
	relays  []sim.Node // that are up

	carried int // hops of lookups on the wire: two for one that is forwarded
}

var homesCodec = engine.NewCodec(forward.Vocabulary, pastry.Vocabulary, lookupVocabulary)

// inHomes returns a part of a run that measures a ring of homes.
func inHomes(of reachable, measure func(r *homes)) func(*lab.Run) {
	return func(part *lab.Run) {
		c := sim.Default(homesCodec)
		c.Latency = testnet.Spread
		c.Connections, c.Idle = true, 24*time.Hour // as long as both nodes: a live one has room for some hundreds
		r := &homes{ring: newRing(part, c), of: of}
		r.Start = r.start
		r.Tap(r.see)
		measure(r)
		part.Ran(r.World)
	}
}

// start makes a node, and has it join by one that can be connected to.
func (r *homes) start(n sim.Node, env engine.Env) engine.Protocol {
	f := forward.New(env, r.Keys(n), homesCodec, forward.Default())
	m := &member{Node: pastry.New(f, r.Config), ring: r.ring, node: n, front: f}
	m.Handle(engine.Experiment, m)
	f.Serve(m.Node)
	for range int(n) + 1 - len(r.private) {
		r.private = append(r.private, r.of != allPublic && len(r.private) > 0 && r.Chance.Float64() < privateShare)
	}
	switch homes := sim.HomesOf(r.World); {
	case r.private[n] && !homes.Has(n):
		homes.Add(n)
		if r.of == relayed && len(r.relays) > 0 {
			homes.Relay(n, r.relays[r.Chance.IntN(len(r.relays))], circuits)
		}
	case !r.private[n] && r.Chance.Float64() < relayShare/(1-privateShare):
		r.relays = append(r.relays, n)
	}
	seeds := slices.DeleteFunc(slices.Clone(r.Live), func(n sim.Node) bool { return r.private[n] || !r.at(n).Active() })
	if len(seeds) == 0 {
		m.Create()
	} else {
		m.Join(r.Peer(seeds[r.Chance.IntN(len(seeds))]), r.Peer(seeds[r.Chance.IntN(len(seeds))]))
	}
	r.Entered(n, m.Node)
	return m
}

// see counts on how many connections a lookup goes.
func (r *homes) see(d sim.Delivery) {
	if d.Fate != sim.Received {
		return
	}
	m := d.Message
	if by, is := m.(*forward.Message); is {
		m, _ = homesCodec.Decode(by.Payload) // an empty one carries nothing
	}
	if routed, is := m.(*pastry.Routed); is && routed.Payload.Kind() == new(lookup).Kind() {
		r.carried++
	}
}

// atHomes is what was measured of a ring of homes in which nothing fails.
type atHomes struct {
	joined      float64 // seconds, of 95 of 100 nodes
	wrongLeaves int
	wrong       int     // lookups
	hops        float64 // of a lookup, by its nodes
	carried     float64 // of a lookup, on the wire
	bytes       float64 // of a lookup, with all that it causes
	idle        float64 // bytes of a node a second, at rest
}

func (r *homes) rest(n, lookups int) (m atHomes) {
	var joins []float64
	r.Observe(func(_ time.Duration, _ sim.Node, event any) {
		if e, is := event.(pastry.Joined); is {
			joins = append(joins, e.Took.Seconds())
		}
	})
	r.grow(r.AddNodes(n))
	m.joined = stats.QuantileOf(joins, 0.95)
	r.Run.Stage("at rest", 0.1)
	before := r.bytes()
	const resting = 10 * time.Minute
	r.Run.Advance(r.World, resting)
	m.idle = (r.bytes() - before) / resting.Seconds() / float64(n)
	m.wrongLeaves = r.wrongLeafSets()
	r.Run.Stage("looking up", 0.3)
	before = r.bytes()
	began := r.Now()
	r.lookUpDuring(lookups, 5*time.Minute)
	m.wrong = r.wrong()
	m.bytes = (r.bytes() - before - m.idle*float64(n)*(r.Now()-began).Seconds()) / float64(lookups)
	m.hops, m.carried = meanOf(r.hops), float64(r.carried)/float64(lookups)
	return m
}

// bytes returns how many bytes were sent so far.
func (r *homes) bytes() (n float64) {
	for _, c := range r.Counters().Kinds {
		n += float64(c.Bytes)
	}
	return n
}
