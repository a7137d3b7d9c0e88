// Package push follows publishers that push new items down trees, signed with their keys.
//
// It stands between FeedTree and the store. FeedTree lives in the network's loop and must not wait; the store makes it
// wait.
//
// The first document that names a publisher's key, over a connection safe from tampering, pins it. From then on that
// key alone can name another. If a document names another key which the pinned one has not signed, an alarm is raised,
// and the channel is polled as before.
//
// A person can trust a third party's key that no document names (thirdparty.go). Such a channel is polled as before,
// whatever the third party does, and the origin's version holds. A key that the document names later replaces it.
//
// While a publisher keeps its promises (tidings.PushGood), the node ends its subscription at Corona and polls the feed
// rarely. What such a poll finds and a push should have brought counts against the publisher. When the publisher is
// overdue, or too much was missed, the node subscribes again.
//
// A pushed item is a change like any other, partial and signed. It has the same identity as in the conventional feed,
// so that a poll that finds it there recognizes it. If a node is pushed an item that it must keep for the archive, it
// uses the item from the tree, and fetches nothing.
//
// A peer that passes on unsigned items is refused (live.Host.Refuse) after the third time. If it gives an archived item
// with a forged signature, it is refused at once.
//
//   - [Pushes] is the whole. A channel is pinned to the key that its feed named first over a protected connection
//     (announced.go). People decide about another (trust.go).
//   - What comes down a tree is kept in the order in which it comes (keep.go).
//   - FeedTree's reports decide how a channel is pushed (listener.go). So does whether polls find what should have been
//     pushed (found.go). While that is good, package channels leaves a channel to its publisher.
package push

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"tidings"
	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/network/pastry"
	"tidings/node/channels"
	"tidings/source"
	"tidings/source/feed"
	"tidings/source/fetch"
	"tidings/store/content"
	"tidings/store/db"
	"tidings/store/published"
	"tidings/store/pushed"
)

// Config is what Pushes work with.
type Config struct {
	Content   *content.Store
	Pushed    *pushed.Store
	Published *published.Store
	Settings  *db.DB
	Scheduler *source.Scheduler
	Entrance  *channels.Entrance
	Feed      feed.Config // bounds of what publishers send
	Log       *slog.Logger
	Interval  time.Duration // between two polls of a node without others
	Lab       bool          // keys are believed over unprotected connections
}

// Host is what Pushes need of their node.
type Host interface {
	// InLoop runs f where the protocols live, and returns when it has; after the network has stopped it runs nothing.
	InLoop(ctx context.Context, f func())
	// Work has a worker run a job. It does not wait for it.
	Work(job func(context.Context))
	// Lock keeps others from changing a channel's content, until unlock is called.
	Lock(channel engine.ID) (unlock func())
	// SetPushed notes whether a channel can be left to its publisher. For one that the host does not know, nothing is
	// noted until Reviewed. It does not wait, and calls no method of Pushes, which holds its lock.
	SetPushed(channel engine.ID, pushed bool)
	// WantFiles has files fetched that items of a channel carry.
	WantFiles(channel string, files []tidings.File)
	// Fetch asks an origin for a document for people here.
	Fetch(ctx context.Context, r fetch.Request) (*fetch.Response, error)
	// Refuse cuts off a peer that has been proven to lie.
	Refuse(liar engine.Peer, why string)
	// Overtaken says that the network knows of a later number of a publisher of this node.
	Overtaken(topic engine.ID, last uint64)
	// Arrived says that another node has an item of a publisher of this node.
	Arrived(topic engine.ID, number uint64, node engine.ID)
	// Contested says that another node publishes with the key of a publisher of this node.
	Contested(topic engine.ID)
}

// Pushes are the publishers that are followed here. They are safe for concurrent use, unless a method says otherwise.
type Pushes struct {
	config Config
	host   Host

	// Set before the loop starts, and used in it alone.
	trees *feedtree.Node
	ring  *pastry.Node

	nodes atomic.Int64 // of the network, at the latest word of a publisher

	mu       sync.Mutex
	channels map[engine.ID]*pinned // by the channel's ID
	topics   map[engine.ID]*pinned
	follows  map[engine.ID]engine.ID // by the channel's ID: the topic on which FeedTree follows it
	// topics whose publisher has signed two items for one number, until that is stored or forgiven
	doubling map[engine.ID]bool

	keeper      keeper
	unprotected unprotected
}

// New returns pushes that follow no publisher.
func New(c Config, host Host) *Pushes {
	p := &Pushes{
		config: c, host: host, channels: make(map[engine.ID]*pinned), topics: make(map[engine.ID]*pinned),
		follows:  make(map[engine.ID]engine.ID),
		doubling: make(map[engine.ID]bool),
	}
	p.keeper = keeper{
		pushes: p, now: time.Now, later: func(after time.Duration, f func()) { time.AfterFunc(after, f) },
		arrivals: make(map[engine.ID][]*feedtree.Item),
	}
	p.unprotected = unprotected{settings: c.Settings, urls: make(map[engine.ID]string)}
	return p
}

// Start makes the node's FeedTree on a ring; it is called in the loop. The tree that carries it is for the caller to
// make and to give to it.
func (p *Pushes) Start(env engine.Env, ring *pastry.Node, archive feedtree.Archive) *feedtree.Node {
	p.ring = ring
	p.trees = feedtree.New(env, ring, library{&p.keeper}, archive, feedtree.Default())
	p.trees.Listen(listener{p})
	return p.trees
}

// Recall loads the keys that channels are trusted with. It is called once, before anything else.
func (p *Pushes) Recall(ctx context.Context) error {
	if err := p.unprotected.recall(ctx); err != nil {
		return err
	}
	pins, err := p.config.Pushed.Pins(ctx)
	if err != nil {
		return err
	}
	for _, pin := range pins {
		doubled, err := p.isDoubled(ctx, pin.Topic)
		if err != nil {
			return err
		}
		p.mu.Lock()
		p.add(pin, doubled)
		p.mu.Unlock()
	}
	return nil
}

// Begin has FeedTree follow what is pinned, once it runs.
func (p *Pushes) Begin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for id := range p.channels {
		p.enqueue(id)
	}
}

// Follows returns the topic on which FeedTree follows a channel's publisher; false: it follows none.
func (p *Pushes) Follows(channel engine.ID) (topic engine.ID, follows bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	topic, follows = p.follows[channel]
	return topic, follows
}

// Nodes returns how many nodes the network has, about.
func (p *Pushes) Nodes(ctx context.Context) (nodes int) {
	p.host.InLoop(ctx, func() { nodes = p.ring.Nodes() })
	return nodes
}

// Status returns how FeedTree follows a topic; false: it does not. It is called in the loop.
func (p *Pushes) Status(topic engine.ID) (feedtree.Status, bool) { return p.trees.Status(topic) }
