package node

import (
	"context"
	"sync"
	"sync/atomic"

	router "tidings/network"
	"tidings/network/corona"
	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/network/pastry"
	"tidings/network/scribe"
	"tidings/network/volunteer"
)

// pushes has publishers of followed channels push what is new. It stands between FeedTree, which lives in the host's loop
// and must not wait, and the store, which makes it wait; its work is done by workers.
//
// The first document that names a publisher's key, over a connection that nobody can have tampered with, pins it. From
// then on that key alone can name another. A document that names one which the pinned key has not signed raises an alarm,
// and the channel is polled as before.
//
// While a publisher keeps its promises (tidings.PushGood), the node takes back its subscription at Corona and polls the feed
// rarely. What such a poll finds and a push should have brought counts against the publisher. When the publisher is overdue,
// or too much was missed, the node subscribes again.
//
// A pushed item is a change like any other, partial and signed. It has the identity that it has in the conventional feed,
// so that a poll that meets it there knows it again. A node that is pushed an item and is to keep it for the archive takes
// it from the tree, and fetches nothing.
//
// A peer that passes on what nobody has signed is refused (live.Host.Refuse) after the third time; at once, if it gives an
// archived item with a forged signature.
type pushes struct {
	node *Node

	// Set before the loop starts, and used in it alone.
	trees *feedtree.Node
	ring  *pastry.Node

	nodes atomic.Int64 // of the network, when a publisher was heard of last

	mu       sync.Mutex
	channels map[engine.ID]*pinned // by the channel's ID
	topics   map[engine.ID]*pinned
	follows  map[engine.ID]engine.ID        // by the channel's ID: the topic on which FeedTree follows it
	arrivals map[engine.ID][]*feedtree.Item // by topic, as they came; the first are being kept
	// unprotected are channels that announce pushes and are not believed, by ID: their URLs.
	unprotected map[engine.ID]string
}

func newPushes(n *Node) *pushes {
	return &pushes{
		node: n, channels: make(map[engine.ID]*pinned), topics: make(map[engine.ID]*pinned),
		follows: make(map[engine.ID]engine.ID), arrivals: make(map[engine.ID][]*feedtree.Item), unprotected: make(map[engine.ID]string),
	}
}

// start makes the node's Scribe, which it returns, and FeedTree and the volunteers on it, on a ring; it is called in the
// host's loop.
func (p *pushes) start(env engine.Env, ring *pastry.Node, stack *engine.Stack, updates *corona.Node, turns *volunteer.Node) *scribe.Node {
	p.ring = ring
	p.trees = feedtree.New(env, ring, p, p.node.archive, feedtree.Default())
	tree := scribe.New(env, ring, speakers{p.trees, turns, updates.TreeMember()}, scribe.Default())
	updates.Use(router.Scribe, tree)
	p.trees.Use(tree)
	p.trees.Listen(p)
	p.node.publisher.Start(p.trees)
	tree.OnRootAcked(p.node.publisher.RootAcked)
	turns.Use(tree)
	p.node.archive.TakeFrom(tree)
	ring.Handle(engine.Scribe, tree)
	ring.Handle(engine.FeedTree, p.trees.Routed())
	stack.Add(engine.Scribe, tree)
	stack.Add(engine.FeedTree, p.trees)
	return tree
}

// Overtaken implements feedtree.Listener.
func (p *pushes) Overtaken(topic engine.ID, last uint64) { p.node.publisher.Overtaken(topic, last) }

// inLoop runs f where FeedTree lives. After the network has stopped nothing runs.
func (p *pushes) inLoop(ctx context.Context, f func()) { p.node.coop.InLoop(ctx, f) }

var (
	_ feedtree.Library  = (*pushes)(nil)
	_ feedtree.Listener = (*pushes)(nil)
)
