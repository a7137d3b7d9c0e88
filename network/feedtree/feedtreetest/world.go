package feedtreetest

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"tidings/network"
	"tidings/network/agreed"
	"tidings/network/astrolabe"
	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/network/pastry"
	"tidings/network/routers/newswire"
	"tidings/network/routers/rappel"
	"tidings/network/routers/rappel/roots"
	"tidings/network/routers/routertest"
	"tidings/network/routers/scribe"
	"tidings/network/routers/spidercast"
	"tidings/network/sim"
	"tidings/network/vivaldi"
)

// Settings say what a world is like. Start from Default.
type Settings struct {
	Nodes    int
	Pastry   pastry.Config
	Scribe   scribe.Config
	FeedTree feedtree.Config

	// Router carries what is published; Direct is Scribe, as in package agreed.
	Router network.RouterName

	// Archive: there is one, and publishers give it what they publish.
	Archive bool

	// Env, if not nil, is put around a node's Env: to make a liar of it.
	Env func(n sim.Node, env engine.Env) engine.Env
}

// Default returns the settings of an ordinary network with so many nodes.
func Default(nodes int) Settings {
	return Settings{Nodes: nodes, Pastry: pastry.Default(), Scribe: scribe.Default(), FeedTree: feedtree.Default(),
		Archive: true}
}

// Codec knows all that is said in these worlds.
var Codec = engine.NewCodec(pastry.Vocabulary, scribe.Vocabulary, feedtree.Vocabulary, vivaldi.Vocabulary,
	rappel.Vocabulary, roots.Vocabulary,
	spidercast.Vocabulary, astrolabe.Vocabulary, newswire.Vocabulary)

// SimConfig returns what a world that nothing befalls is made with: every message passes through the
// codec.
func SimConfig() sim.Config {
	c := sim.Default(Codec)
	c.Wire = true
	return c
}

// World is a simulated network.
type World struct {
	*routertest.Nodes[*Node]
	Vault *Vault

	settings   Settings
	publishers []*Publisher
	follows    map[sim.Node][]*Publisher
}

// Node is one incarnation of a node.
type Node struct {
	Env     engine.Env
	Disk    *sim.Disk
	Pastry  *pastry.Node
	Scribe  *scribe.Node // nil: another router carries what is published
	Router  *agreed.Router
	Feed    *feedtree.Node
	Library *Library
}

// New puts nodes into a world that has none, lets them form a ring, and returns when it is right.
func New(w *sim.World, s Settings) *World {
	world := &World{settings: s, follows: make(map[sim.Node][]*Publisher),
		Vault: &Vault{items: make(map[box]*feedtree.Item)}}
	w.Inject(world.observe)
	world.Nodes = routertest.NewNodes(w, routertest.Setup[*Node]{
		Nodes: s.Nodes, Ring: &s.Pastry, Env: s.Env, Build: world.build, Started: world.started,
	})
	return world
}

func (w *World) observe(_ time.Duration, n sim.Node, event any) {
	if e, ok := event.(feedtree.Overtaken); ok {
		for _, p := range w.publishers {
			if p.At == n && p.topic() == e.Topic {
				p.overtaken(e.Last)
			}
		}
	}
}

func (w *World) build(h *routertest.Host[*Node]) *Node {
	n := &Node{Env: h.Env, Disk: h.Disk, Pastry: h.Pastry, Library: NewLibrary(h.Env, h.Disk)}
	var archive feedtree.Archive
	if w.settings.Archive {
		archive = access{h.Env, w.Vault}
	}
	n.Feed = feedtree.New(h.Env, h.Pastry, n.Library, archive, w.settings.FeedTree)
	n.Library.Use(n.Feed)
	w.route(h, n)
	n.Feed.Use(n.Router)
	h.Pastry.Handle(engine.FeedTree, n.Feed.Routed())
	h.Add(engine.FeedTree, n.Feed)
	return n
}

// started has a node follow and publish what it did before.
func (w *World) started(h *routertest.Host[*Node]) {
	for _, p := range w.follows[h.Number] {
		w.follow(h.Node, p)
	}
	for _, p := range w.publishers {
		if p.At == h.Number {
			p.author(h.Node)
		}
	}
}

// Any draws a node that is up and has no publisher.
func (w *World) Any() sim.Node {
	for {
		if n := w.Nodes.Any(); !slices.ContainsFunc(w.publishers, func(p *Publisher) bool { return p.At == n }) {
			return n
		}
	}
}

// Follow has a node follow a publisher, now and whenever it starts again. The node must be up.
func (w *World) Follow(n sim.Node, p *Publisher) {
	w.follows[n] = append(w.follows[n], p)
	w.Do(n, func(engine.Protocol) { w.follow(w.Node(n), p) })
}

func (w *World) follow(n *Node, p *Publisher) {
	have, later := n.Library.Have(p.Topics...)
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

// Complete returns what followers lack of a publisher's items, from one number up to another, and what nodes did that
// they must not.
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

// Place returns where a node stands in a topic's tree.
func (w *World) Place(n sim.Node, topic engine.ID) (scribe.Place, bool) {
	return w.Node(n).Scribe.Place(scribe.Group{Topic: topic, Key: topic})
}
