package compare

import (
	"slices"
	"time"

	"tidings/lab"
	"tidings/lab/cpu"
	"tidings/lab/experiments/testnet"
	"tidings/network"
	"tidings/network/astrolabe"
	"tidings/network/astrolabe/settled"
	"tidings/network/engine"
	"tidings/network/sim"
)

// world is a network that runs one system, with all that the workload has happen to it.
type world struct {
	*testnet.Ring
	*workload
	system   *contestant
	sites    testnet.Sites
	meter    *meter
	observer *observer
	codec    *engine.Codec
	routers  []network.Router   // by node, of its latest incarnation
	stacks   []*engine.Stack    // likewise
	upSince  []time.Duration    // by node, of its latest incarnation
	friends  []*testnet.Friends // by node: what Rappel remembers
	entries  []sim.Node         // by topic
	zones    *settled.Network   // at the beginning; nil: the system has no zones
	zoned    []*astrolabe.Node  // by node; empty: the system has no zones
	times    times

	misbehave bool // nodes do whose conduct is such
}

// established is for how long a node is up before events enter at it, and before events are due to it: the ring knows
// it by then, and it has its places in trees.
const established = 2 * time.Minute

// newWorld returns a world with all nodes down.
func newWorld(run *lab.Run, system *contestant, work *workload, times times, sites testnet.Sites) *world {
	codec := engine.NewCodec(append(system.vocabularies, testnet.NoteVocabulary)...)
	c := sim.Default(codec)
	c.Latency, c.Connections = sites.Latency, true // nodes notice, as live ones do, when a connection dies
	w := &world{
		Ring: testnet.NewRing(run, c, 0xc2), workload: work, system: system, sites: sites, times: times,
		codec: codec, routers: make([]network.Router, work.nodes), stacks: make([]*engine.Stack, work.nodes),
		upSince: make([]time.Duration, work.nodes),
		entries: make([]sim.Node, work.topics),
	}
	w.Start = w.start
	for _, id := range work.ids {
		w.AddNode(id)
		w.friends = append(w.friends, new(testnet.Friends))
	}
	for t := range w.entries {
		w.entries[t] = w.closest(t, func(sim.Node) bool { return true })
	}
	if system.zones {
		w.zoned = make([]*astrolabe.Node, work.nodes)
		w.zones = w.atRest(c.Epoch)
	}
	w.meter, w.observer = newMeter(w), newObserver(w, run.Seed(), times.observed)
	return w
}

// start makes an incarnation of a node, which joins its topics.
func (w *world) start(n sim.Node, env engine.Env) engine.Protocol {
	w.upSince[n] = w.Now()
	if as := w.conducts[n]; as != honest {
		env = misbehaving{env, w, n, as}
	}
	host := &host{world: w, node: n, Env: env, Stack: engine.NewStack(env)}
	w.routers[n], w.stacks[n] = w.system.build(host), host.Stack
	if !host.entered {
		w.Entered(n, nil)
	}
	for _, t := range w.interests.Follows[n] {
		w.routers[n].Join(w.topicIDs[t])
	}
	return host.Stack
}

// Root returns the entry of a topic: a directory that is never wrong.
func (w *world) Root(topic engine.ID) engine.Peer { return w.Peer(w.entries[w.number[topic]]) }

// run has everything happen.
func (w *world) run(quiet bool) {
	times := w.times
	w.Ring.Run.Stage(w.system.name, 1)
	w.boot()
	w.pass(times.settle)
	w.play(warm, times.warm)
	w.pass(times.warm)
	if quiet {
		w.meter.count(true)
		before := cpu.Thread()
		w.play(calm, times.calm)
		w.meter.processor = cpu.Thread() - before
		w.meter.count(false)
		w.look()
		w.letJoin()
	} else {
		w.meter.count(true)
		w.befall()
		w.play(trouble, times.trouble)
		w.SetFaults(sim.Faults{})
		w.meter.count(false)
		w.pass(awayMost + established) // all that return have
		w.play(after, times.after)
	}
	w.Ring.Run.Until(w.World, latest, time.Second, func() bool { return w.meter.outstanding() == 0 })
	w.pass(late)
	w.Ring.Run.Ran(w.World)
}

// Until when what has not come is lost, and for how long events may come twice after all have come.
const (
	latest = 5 * time.Minute
	late   = 30 * time.Second
)

// boot starts all nodes: at once if the system begins at rest, else as a ring grows.
func (w *world) boot() {
	if w.zones != nil {
		w.BootAll(0)
		w.pass(time.Second)
		return
	}
	w.Grow(w.nodes, func(n int) { w.Boot(sim.Node(n)) }, time.Second, 0)
}

// pass lets time pass.
func (w *world) pass(d time.Duration) {
	const pieces = 20
	for range pieces {
		w.Ring.Run.Pass(w.World, d/pieces)
	}
}

// play publishes the events of a part, which lasts so long.
func (w *world) play(p part, length time.Duration) {
	for _, e := range w.events {
		if e.part == p {
			w.After(e.at, func() { w.publish(e) })
		}
	}
	w.pass(length)
}

// publish publishes an event at the topic's entry.
func (w *world) publish(e event) *tracked {
	t := w.meter.published(e)
	note := &testnet.Note{Number: uint64(t.number), Text: make([]byte, e.bytes)}
	w.Do(t.entry, func(engine.Protocol) { w.routers[t.entry].Publish(w.topicIDs[e.topic], note) })
	return t
}

// befall begins the trouble.
func (w *world) befall() {
	w.SetFaults(sim.Faults{Loss: w.loss})
	w.misbehave = true
	var down []sim.Node
	for _, m := range w.moves {
		if m.at == 0 {
			down = append(down, m.node)
			w.end(m.node)
		} else {
			w.After(m.at, func() { w.move(m) })
		}
	}
	w.replaceEntries(down...)
}

func (w *world) move(m move) {
	if !m.up {
		w.end(m.node)
		w.replaceEntries(m.node)
		return
	}
	w.Boot(m.node)
	w.After(established, func() {
		for t := range w.entries {
			if w.Up(m.node) && engine.Closer(w.topicIDs[t], w.ids[m.node], w.ids[w.entries[t]]) {
				w.enterAt(t, m.node)
			}
		}
	})
}

// end crashes a node.
func (w *world) end(n sim.Node) {
	w.Crash(n)
	w.Gone(n)
}

// replaceEntries replaces nodes that are down as entries by the closest that are established.
func (w *world) replaceEntries(down ...sim.Node) {
	for t, n := range w.entries {
		if slices.Contains(down, n) {
			w.enterAt(t, w.closest(t, func(n sim.Node) bool { return w.Up(n) && w.Now()-w.upSince[n] >= established }))
		}
	}
}

// noticed is how long nodes need until they know another entry.
const noticed = time.Second

// enterAt makes a node the entry of a topic. Nodes learn of it a little later.
func (w *world) enterAt(topic int, n sim.Node) {
	w.meter.entryChanges(int32(topic), w.entries[topic])
	w.entries[topic] = n
	w.After(noticed, func() {
		for n := range sim.Node(w.nodes) {
			if r, is := w.routers[n].(rooted); is && w.Up(n) {
				w.Do(n, func(engine.Protocol) { r.RootChanged(w.topicIDs[topic]) })
			}
		}
	})
}

// rooted is a router that asks the directory for roots.
type rooted interface{ RootChanged(topic engine.ID) }

// When a node joins a topic, events of it follow at intervals until one comes, at most for some time.
const (
	joinStep   = 500 * time.Millisecond
	joinWithin = 2 * time.Minute
)

// letJoin has nodes join further topics, one a second.
func (w *world) letJoin() {
	for i, j := range w.joins {
		w.After(time.Duration(i)*time.Second, func() {
			seen := w.meter.joins(j)
			w.Do(j.node, func(engine.Protocol) { w.routers[j.node].Join(w.topicIDs[j.topic]) })
			w.probe(j, seen, w.Now()+joinWithin)
		})
	}
	if len(w.joins) > 0 {
		w.Ring.Run.Until(w.World, joinWithin+time.Duration(len(w.joins))*time.Second, time.Second,
			func() bool { return w.meter.joined() })
	}
}

// probe publishes events of a topic until one has come to the node that joins it.
func (w *world) probe(j join, seen *joined, until time.Duration) {
	if seen.after > 0 || w.Now() > until {
		return
	}
	w.publish(event{part: joining, topic: j.topic, bytes: leastBytes})
	w.After(joinStep, func() { w.probe(j, seen, until) })
}

// look measures what nodes hold, and what an observer knows, while all is well.
func (w *world) look() {
	for n, zones := range w.zoned {
		w.observer.readZones(sim.Node(n), zones)
	}
	w.meter.state, w.meter.found = w.state(), w.observer.judge()
	w.observer = nil
}
