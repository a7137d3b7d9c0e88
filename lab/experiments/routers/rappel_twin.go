package routers

import (
	"time"

	"tidings/lab"
	"tidings/lab/experiments/testnet"
	"tidings/network/engine"
	"tidings/network/live"
	"tidings/network/pastry"
	"tidings/network/routers/rappel"
	"tidings/network/sim"
	"tidings/network/vivaldi"
)

// rappelTwin is the simulated world that repeats the actions of live nodes. Nodes with the same IDs at the same places
// come and go, join and leave trees, and publish at the same times. The root of a tree is the node that was the root
// there.
type rappelTwin struct {
	*sim.World
	log   *rappelLog
	nodes []*twinNode // as they are now
	root  map[engine.ID]int
	base  int // the node by which others join the ring
}

// twinNode is a node of the simulated world: the protocols of a live one by which updates travel.
type twinNode struct {
	*engine.Stack
	ring   *pastry.Node
	rappel *rappel.Node
}

// known are the peers against which a node's coordinate is measured.
type known struct{ ring *pastry.Node }

// Peers returns the known nodes of the ring.
func (k known) Peers() []engine.Peer { return k.ring.Known() }

// runTwin lets a simulated world do what live nodes with these IDs did, and returns what came of it.
func runTwin(
	run *lab.Run, seed uint64, latency sim.Latency, ids []engine.ID, deeds []deed, length time.Duration,
) []deed {
	c := sim.Default(engine.NewCodec(pastry.Vocabulary, vivaldi.Vocabulary, rappel.Vocabulary, testnet.NoteVocabulary))
	c.Seed, c.Latency, c.Connections = seed, latency, true
	c.Detect = live.DefaultLimits().DeadAfter
	w := &rappelTwin{World: sim.New(c), log: &rappelLog{}, nodes: make([]*twinNode, len(ids)),
		root: make(map[engine.ID]int)}
	for i, id := range ids {
		w.add(i, id)
	}
	w.Observe(func(at time.Duration, n sim.Node, event any) { w.log.observe(at, int(n), event) })
	for _, d := range deeds {
		if _, is := w.root[d.topic]; d.what == roots && !is {
			w.root[d.topic] = d.node // before it knows: by the ring
		}
		w.At(d.at, func() { w.repeat(d) })
	}
	for w.Now() < length {
		run.Pass(w.World, min(time.Second, length-w.Now()))
	}
	run.Ran(w.World)
	return w.log.deeds()
}

func (w *rappelTwin) add(i int, id engine.ID) {
	memory := &testnet.Friends{}
	w.Add(id, func(env engine.Env, _ *sim.Disk) engine.Protocol {
		n := &twinNode{Stack: engine.NewStack(env), ring: pastry.New(env, pastry.Default())}
		coordinates := vivaldi.New(env, vivaldi.Default(), known{n.ring})
		n.rappel = rappel.New(env, rappel.Default(), rappel.Seams{
			Member: testnet.Reader{}, Directory: w, Coordinates: coordinates, Keys: w.Keys(sim.Node(i)), Memory: memory,
		})
		n.Add(engine.Pastry, n.ring)
		n.Add(engine.Vivaldi, coordinates)
		n.Add(engine.Rappel, n.rappel)
		w.nodes[i] = n
		return n
	})
}

// Root returns the latest root of a topic's tree.
func (w *rappelTwin) Root(topic engine.ID) (p engine.Peer) {
	if n, is := w.root[topic]; is {
		p = w.Peer(sim.Node(n))
	}
	return p
}

func (w *rappelTwin) repeat(d deed) {
	n := sim.Node(d.node)
	at := func(f func(n *twinNode)) { w.Do(n, func(engine.Protocol) { f(w.nodes[n]) }) }
	switch d.what {
	case boots:
		w.log.add(d)
		w.Boot(n)
		at(func(node *twinNode) {
			if d.node == w.base {
				node.ring.Create()
			} else {
				node.ring.Join(w.Peer(sim.Node(w.base)))
			}
		})
	case dies:
		w.log.add(d)
		w.Crash(n)
	case stops:
		w.log.add(d)
		w.Shutdown(n)
	case joins:
		w.log.add(d)
		at(func(node *twinNode) { node.rappel.Join(d.topic) })
	case leaves:
		w.log.add(d)
		at(func(node *twinNode) { node.rappel.Leave(d.topic) })
	case roots:
		if w.root[d.topic] == d.node {
			return
		}
		w.root[d.topic] = d.node
		for i, node := range w.nodes {
			w.Do(sim.Node(i), func(engine.Protocol) { node.rappel.RootChanged(d.topic) })
		}
	case publishes:
		at(func(node *twinNode) { node.rappel.Publish(d.topic, testnet.NewNote(int(d.version))) })
	}
}
