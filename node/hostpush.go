package node

import (
	"tidings"
	router "tidings/network"
	"tidings/network/agreed"
	"tidings/network/corona"
	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/network/pastry"
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

// Arrived implements push.Host.
func (h pushHost) Arrived(topic engine.ID, number uint64, node engine.ID) {
	h.publisher.Arrived(topic, number, node)
}

// Contested implements push.Host.
func (h pushHost) Contested(topic engine.ID) { h.publisher.Contested(topic) }

func (n *Node) newPushes() *push.Pushes {
	return push.New(push.Config{
		Content: n.store.Content, Pushed: n.store.Pushed, Published: n.store.Published, Settings: n.store.DB,
		Scheduler: n.watcher, Entrance: n.entrance, Feed: n.poller.Feed, Log: n.log, Interval: n.config.Interval,
		Lab: n.config.LabOrigins,
	}, pushHost{host{n}})
}

// startSpeakers makes the node's FeedTree on a ring, and the member that routers deal with. What FeedTree and
// volunteers send is carried by the router on which the network agrees. It is called in the loop.
func (n *Node) startSpeakers(
	env engine.Env, ring *pastry.Node, stack *engine.Stack, updates *corona.Node, turns *volunteer.Node,
) (trees *feedtree.Node, member agreed.Members) {
	trees = n.pushes.Start(env, ring, n.archive)
	n.carried = agreed.New(env, n.coop.Params().Router)
	trees.Use(n.carried)
	turns.Use(n.carried)
	n.publisher.Start(trees)
	n.archive.Use(trees)
	ring.Handle(engine.FeedTree, trees.Routed())
	stack.Add(engine.FeedTree, trees)
	polled := updates.TreeMember()
	return trees, agreed.Members{Recoverer: polled, Others: trees, Kinds: map[engine.Kind]router.Member{
		new(corona.Update).Kind(): polled, new(volunteer.PollReport).Kind(): turns,
	}}
}
