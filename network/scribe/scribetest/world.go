package scribetest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"tidings/network/engine"
	"tidings/network/pastry"
	"tidings/network/scribe"
	"tidings/network/sim"
	"tidings/network/sim/check"
)

// Settings say what a world is like. Start from Default.
type Settings struct {
	Nodes  int
	Pastry pastry.Config
	Scribe scribe.Config

	// Checkers watch besides check.Once.
	Checkers []check.Checker

	// Env, if not nil, is put around a node's Env: to make a liar of it.
	Env func(n sim.Node, env engine.Env) engine.Env
}

// Default returns the settings of an ordinary network with so many nodes.
func Default(nodes int) Settings {
	return Settings{Nodes: nodes, Pastry: pastry.Default(), Scribe: scribe.Default()}
}

// World is a simulated network.
type World struct {
	*sim.World
	Watch *check.Watch

	settings Settings
	chance   *rand.Rand
	joined   [][]engine.ID // by node: the topics that it joins whenever it starts
	notes    uint64
}

// Node is one incarnation of a node.
type Node struct {
	*engine.Stack
	Pastry *pastry.Node
	Scribe *scribe.Node
}

// New puts nodes into a world that has none, lets them form a ring, and returns when it is right.
func New(w *sim.World, s Settings) *World {
	world := &World{World: w, settings: s, chance: rand.New(rand.NewPCG(w.Seed(), 0x5c))}
	world.Watch = check.All(w, hear, append([]check.Checker{&check.Once{}}, s.Checkers...)...)
	for range s.Nodes {
		world.Boot(world.Grow(world.ID()))
		w.Run(50 * time.Millisecond)
	}
	world.Settle()
	return world
}

func hear(event any, tell func(check.Event)) {
	switch e := event.(type) {
	case scribe.Delivered:
		tell(check.Delivered{Topic: e.Group.Topic, Content: e.Event.(*Note).Content()})
	case scribe.Came:
		tell(check.Carried{Topic: e.Group.Topic})
	}
}

// ID draws an ID.
func (w *World) ID() (id engine.ID) {
	for i := range id {
		id[i] = byte(w.chance.Uint32())
	}
	return id
}

// Grow adds a node, which is down.
func (w *World) Grow(id engine.ID) sim.Node {
	number := sim.Node(w.Len())
	w.joined = append(w.joined, nil)
	return w.Add(id, func(env engine.Env, _ *sim.Disk) engine.Protocol { return w.start(number, env) })
}

func (w *World) start(number sim.Node, env engine.Env) *Node {
	if w.settings.Env != nil {
		env = w.settings.Env(number, env)
	}
	n := &Node{Stack: engine.NewStack(env), Pastry: pastry.New(env, w.settings.Pastry)}
	n.Scribe = scribe.New(env, n.Pastry, member{}, w.settings.Scribe)
	n.Pastry.Handle(engine.Scribe, n.Scribe)
	n.Add(engine.Pastry, n.Pastry)
	n.Add(engine.Scribe, n.Scribe)
	if active := w.Active(); len(active) == 0 {
		n.Pastry.Create()
	} else {
		n.Pastry.Join(w.Peer(active[w.chance.IntN(len(active))]), w.Peer(active[0]))
	}
	for _, topic := range w.joined[number] {
		n.Scribe.Join(topic)
	}
	return n
}

// Node returns the incarnation of a node that is up.
func (w *World) Node(n sim.Node) *Node { return w.Protocol(n).(*Node) }

// Live returns the nodes that are up, in order.
func (w *World) Live() (live []sim.Node) {
	for n := range sim.Node(w.Len()) {
		if w.Up(n) {
			live = append(live, n)
		}
	}
	return live
}

// Active returns the nodes that are part of the ring, in order.
func (w *World) Active() []sim.Node {
	return slices.DeleteFunc(w.Live(), func(n sim.Node) bool { return !w.Node(n).Pastry.Active() })
}

// Any draws a node that is up.
func (w *World) Any() sim.Node {
	live := w.Live()
	return live[w.chance.IntN(len(live))]
}

// settling is how long a ring may take to become right.
const settling = 15 * time.Minute

// Settle runs the world until all nodes that are up form one right ring. It panics if that takes
// too long.
func (w *World) Settle() {
	ring := &check.Ring{Half: w.settings.Pastry.LeafSet / 2, Leaves: func(n sim.Node) []engine.Peer {
		below, above := w.Node(n).Pastry.LeafSet()
		return append(below, above...)
	}}
	for end := w.Now() + settling; len(w.Active()) < len(w.Live()) || ring.Wrong(w.World) > 0; w.Run(time.Second) {
		if w.Now() > end {
			panic(fmt.Sprintf("scribetest: seed %d: no right ring after %v", w.Seed(), settling))
		}
	}
}

// Topic returns the i-th topic.
func Topic(i int) engine.ID { return engine.IDOf(fmt.Append(nil, "topic ", i)) }

// Join has a node join a topic, now and whenever it starts again. The node must be up.
func (w *World) Join(n sim.Node, topic engine.ID) {
	w.joined[n] = append(w.joined[n], topic)
	w.Watch.Tell(n, check.Subscribed{Topic: topic})
	w.Do(n, func(engine.Protocol) { w.Node(n).Scribe.Join(topic) })
}

// Leave ends what Join began. The node must be up.
func (w *World) Leave(n sim.Node, topic engine.ID) {
	w.joined[n] = slices.DeleteFunc(w.joined[n], func(id engine.ID) bool { return id == topic })
	w.Watch.Tell(n, check.Unsubscribed{Topic: topic})
	w.Do(n, func(engine.Protocol) { w.Node(n).Scribe.Leave(topic) })
}

// Wants tells whether a node has joined a topic.
func (w *World) Wants(n sim.Node, topic engine.ID) bool { return slices.Contains(w.joined[n], topic) }

// Publish has a node publish a note of so many bytes, and returns the note's number.
func (w *World) Publish(n sim.Node, topic engine.ID, bytes int) uint64 {
	w.notes++
	m := &Note{Number: w.notes, Text: string(make([]byte, bytes))}
	w.Watch.Tell(n, check.Published{Topic: topic, Content: m.Content()})
	w.Do(n, func(engine.Protocol) { w.Node(n).Scribe.Publish(topic, m) })
	return m.Number
}

// Root returns the live node that is closest to a topic.
func (w *World) Root(topic engine.ID) sim.Node {
	live := w.Live()
	root := live[0]
	for _, n := range live {
		if engine.Closer(topic, w.Peer(n).ID, w.Peer(root).ID) {
			root = n
		}
	}
	return root
}
