package node

import (
	"tidings"
	router "tidings/network"
	"tidings/network/corona"
	"tidings/network/engine"
	"tidings/network/pastry"
	"tidings/network/scribe"
	"tidings/network/volunteer"
	"tidings/node/push"
)

// pushHost is the node as package push sees it.
type pushHost struct{ host }

// Lock implements push.Host.
func (h pushHost) Lock(channel engine.ID) (unlock func()) { return h.coop.Lock(channel) }

// SetPushed implements push.Host.
func (h pushHost) SetPushed(channel engine.ID, pushed bool) { h.coop.SetPushed(channel, pushed) }

// WantFiles implements push.Host.
func (h pushHost) WantFiles(channel string, files []tidings.File) { h.files.Want(channel, files) }

// Overtaken implements push.Host.
func (h pushHost) Overtaken(topic engine.ID, last uint64) { h.publisher.Overtaken(topic, last) }

// Contested implements push.Host.
func (h pushHost) Contested(topic engine.ID) { h.publisher.Contested(topic) }

func (n *Node) newPushes() *push.Pushes {
	return push.New(push.Config{
		Store: n.store, Scheduler: n.watcher, Entrance: n.entrance, Feed: n.poller.Feed, Log: n.log, Interval: n.config.Interval,
		Lab: n.config.LabOrigins,
	}, pushHost{host{n}})
}

// startTrees makes the node's Scribe on a ring, and FeedTree, the volunteers and Corona's updates on that; it is called in
// the loop.
func (n *Node) startTrees(env engine.Env, ring *pastry.Node, stack *engine.Stack, updates *corona.Node, turns *volunteer.Node) *scribe.Node {
	trees := n.pushes.Start(env, ring, n.archive)
	tree := scribe.New(env, ring, speakers{trees, turns, updates.TreeMember()}, scribe.Default())
	updates.Use(router.Scribe, tree)
	trees.Use(tree)
	turns.Use(tree)
	n.publisher.Start(trees)
	tree.OnRootAcked(n.publisher.RootAcked)
	n.archive.TakeFrom(tree)
	ring.Handle(engine.Scribe, tree)
	ring.Handle(engine.FeedTree, trees.Routed())
	stack.Add(engine.Scribe, tree)
	stack.Add(engine.FeedTree, trees)
	return tree
}
