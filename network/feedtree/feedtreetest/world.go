package feedtreetest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/network/pastry"
	"tidings/network/scribe"
	"tidings/network/sim"
	"tidings/network/sim/check"
)

// Settings say what a world is like. Start from Default.
type Settings struct {
	Nodes    int
	Pastry   pastry.Config
	Scribe   scribe.Config
	FeedTree feedtree.Config

	// Archive: there is one, and publishers give it what they publish.
	Archive bool

	// Env, if not nil, is put around a node's Env: to make a liar of it.
	Env func(n sim.Node, env engine.Env) engine.Env
}

// Default returns the settings of an ordinary network with so many nodes.
func Default(nodes int) Settings {
	return Settings{Nodes: nodes, Pastry: pastry.Default(), Scribe: scribe.Default(), FeedTree: feedtree.Default(), Archive: true}
}

// Codec knows all that is said in these worlds.
var Codec = engine.NewCodec(pastry.Vocabulary, scribe.Vocabulary, feedtree.Vocabulary)

// SimConfig returns what a world that nothing befalls is made with: every message passes through the
// codec.
func SimConfig() sim.Config {
	c := sim.Default(Codec)
	c.Wire = true
	return c
}

// World is a simulated network.
type World struct {
	*sim.World
	Vault *Vault

	settings   Settings
	chance     *rand.Rand
	publishers []*Publisher
	follows    [][]*Publisher // by node
}

// Node is one incarnation of a node.
type Node struct {
	*engine.Stack
	Env     engine.Env
	Disk    *sim.Disk
	Pastry  *pastry.Node
	Scribe  *scribe.Node
	Feed    *feedtree.Node
	Library *Library
}

// New puts nodes into a world that has none, lets them form a ring, and returns when it is right.
func New(w *sim.World, s Settings) *World {
	world := &World{
		World: w, settings: s, chance: rand.New(rand.NewPCG(w.Seed(), 0xfe)),
		Vault: &Vault{items: make(map[box]*feedtree.Item)},
	}
	w.Inject(world.hear)
	for range s.Nodes {
		world.Boot(world.Grow(world.ID()))
		w.Run(50 * time.Millisecond)
	}
	world.Settle()
	return world
}

func (w *World) hear(_ time.Duration, n sim.Node, event any) {
	if e, ok := event.(feedtree.Overtaken); ok {
		for _, p := range w.publishers {
			if p.At == n && p.topic() == e.Topic {
				p.overtaken(e.Last)
			}
		}
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
	w.follows = append(w.follows, nil)
	return w.Add(id, func(env engine.Env, disk *sim.Disk) engine.Protocol { return w.start(number, env, disk) })
}

func (w *World) start(number sim.Node, env engine.Env, disk *sim.Disk) *Node {
	if w.settings.Env != nil {
		env = w.settings.Env(number, env)
	}
	n := &Node{
		Stack: engine.NewStack(env), Env: env, Disk: disk,
		Pastry: pastry.New(env, w.settings.Pastry), Library: newLibrary(env, disk),
	}
	var archive feedtree.Archive
	if w.settings.Archive {
		archive = door{env, w.Vault}
	}
	n.Feed = feedtree.New(env, n.Pastry, n.Library, archive, w.settings.FeedTree)
	n.Library.node = n.Feed
	n.Scribe = scribe.New(env, n.Pastry, n.Feed, w.settings.Scribe)
	n.Feed.Use(n.Scribe)
	n.Pastry.Handle(engine.Scribe, n.Scribe)
	n.Pastry.Handle(engine.FeedTree, n.Feed.Routed())
	n.Add(engine.Pastry, n.Pastry)
	n.Add(engine.Scribe, n.Scribe)
	n.Add(engine.FeedTree, n.Feed)
	if active := w.Active(); len(active) == 0 {
		n.Pastry.Create()
	} else {
		n.Pastry.Join(w.Peer(active[w.chance.IntN(len(active))]), w.Peer(active[0]))
	}
	for _, p := range w.follows[number] {
		w.follow(n, p)
	}
	for _, p := range w.publishers {
		if p.At == number {
			p.author(n)
		}
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

// Any draws a node that is up and at which nobody publishes.
func (w *World) Any() sim.Node {
	live := slices.DeleteFunc(w.Live(), func(n sim.Node) bool {
		return slices.ContainsFunc(w.publishers, func(p *Publisher) bool { return p.At == n })
	})
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
			panic(fmt.Sprintf("feedtreetest: seed %d: no right ring after %v", w.Seed(), settling))
		}
	}
}

// Follow has a node follow a publisher, now and whenever it starts again. The node must be up.
func (w *World) Follow(n sim.Node, p *Publisher) {
	w.follows[n] = append(w.follows[n], p)
	w.Do(n, func(engine.Protocol) { w.follow(w.Node(n), p) })
}

func (w *World) follow(n *Node, p *Publisher) {
	have, later := n.Library.have(p.Topics)
	must(n.Feed.Follow(feedtree.Following{
		Topic: p.Topic(), Channel: p.Channel, Pin: p.Pin(), Have: have, Later: later, Silence: p.Silence,
	}))
}

// Unfollow ends what Follow began. The node must be up.
func (w *World) Unfollow(n sim.Node, p *Publisher) {
	w.follows[n] = slices.DeleteFunc(w.follows[n], func(q *Publisher) bool { return q == p })
	w.Do(n, func(engine.Protocol) { w.Node(n).Feed.Unfollow(p.Topic()) })
}

// Followers returns the nodes that are up and follow a publisher.
func (w *World) Followers(p *Publisher) []sim.Node {
	return slices.DeleteFunc(w.Live(), func(n sim.Node) bool { return !slices.Contains(w.follows[n], p) })
}

// Complete returns what followers lack of the items of a publisher, from one number up to another, and what
// nodes did that they must not.
func (w *World) Complete(p *Publisher, from, to uint64) error {
	var wrong []error
	for _, n := range w.Followers(p) {
		if err := p.Complete(n, from, to); err != nil {
			wrong = append(wrong, err)
		}
	}
	return errors.Join(append(wrong, w.Unruly())...)
}

// Unruly returns what nodes did that they must not.
func (w *World) Unruly() error {
	var wrong []error
	for _, n := range w.Live() {
		for _, text := range w.Node(n).Library.unruly {
			wrong = append(wrong, fmt.Errorf("node %d: %s", n, text))
		}
	}
	return errors.Join(wrong...)
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

// Place returns where a node stands in a topic's tree.
func (w *World) Place(n sim.Node, topic engine.ID) (scribe.Place, bool) {
	return w.Node(n).Scribe.Place(scribe.Group{Topic: topic, Key: topic})
}
