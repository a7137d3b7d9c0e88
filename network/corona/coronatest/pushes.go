package coronatest

import (
	"slices"
	"time"

	"tidings/network"
	"tidings/network/agreed"
	"tidings/network/corona"
	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/network/feedtree/feedtreetest"
	"tidings/network/routers/rappel"
	"tidings/network/routers/rappel/roots"
	"tidings/network/sim"
	"tidings/network/sim/check"
)

// Pushed is a pushed feed, as its followers know it.
type Pushed struct {
	Channel engine.ID
	Pin     feedtree.Fingerprint
	Silence time.Duration // the longest silence that its publisher promises
}

// Topic returns the topic on which its items are carried.
func (p Pushed) Topic() engine.ID { return feedtree.TopicOf(p.Channel, p.Pin) }

// NameOfItem returns the checkers' name of an item.
func NameOfItem(i *feedtree.Item) engine.ID {
	data, err := i.MarshalBinary()
	if err != nil {
		panic(err) // it is short enough to be kept
	}
	return engine.IDOf(data)
}

// Follow makes a node follow a publisher, now and whenever it starts again. The node must be up.
func (w *World) Follow(n sim.Node, p Pushed) {
	if !w.Follows(n, p.Topic()) {
		w.follows[n] = append(w.follows[n], p)
		w.Watch.Report(n, check.Subscribed{Topic: p.Topic()})
		w.Do(n, func(engine.Protocol) { w.Node(n).follow(p) })
	}
}

// Unfollow ends what Follow began. The node must be up.
func (w *World) Unfollow(n sim.Node, topic engine.ID) {
	if w.Follows(n, topic) {
		w.follows[n] = slices.DeleteFunc(w.follows[n], func(p Pushed) bool { return p.Topic() == topic })
		w.Watch.Report(n, check.Unsubscribed{Topic: topic})
		w.Do(n, func(engine.Protocol) { w.Node(n).Feed.Unfollow(topic) })
	}
}

// Follows reports whether a node follows a publisher.
func (w *World) Follows(n sim.Node, topic engine.ID) bool {
	return slices.ContainsFunc(w.follows[n], func(p Pushed) bool { return p.Topic() == topic })
}

// startPushes adds FeedTree to a node, before its routers.
func (w *World) startPushes(number sim.Node, env engine.Env, n *Node) {
	n.Items = feedtreetest.NewLibrary(env, n.Disk)
	n.Items.Wants = func(topic engine.ID) bool { return w.Follows(number, topic) }
	n.Items.Given = func(topic engine.ID, i *feedtree.Item) {
		w.Watch.Report(number, check.Delivered{Topic: topic, Version: i.Number, Content: NameOfItem(i)})
	}
	n.Feed = feedtree.New(env, n.Pastry, n.Items, nil, feedtree.Default())
	n.Feed.VerifyBy(w.verify)
	n.Items.Use(n.Feed)
	n.carried = agreed.New(env, w.settings.Corona.Router)
	n.Feed.Use(n.carried)
	n.Pastry.Handle(engine.FeedTree, n.Feed.Routed())
	n.Add(engine.FeedTree, n.Feed)
}

// verify verifies each signature once for all nodes.
func (w *World) verify(k feedtree.Key, words, signature []byte) bool {
	name := string(slices.Concat(k[:], words, signature))
	signed, known := w.signed[name]
	if !known {
		signed = k.Signed(words, signature)
		w.signed[name] = signed
	}
	return signed
}

// follow makes FeedTree follow a publisher. As in package node/push, a node that has some of its items looks further
// back for missed ones than a new node.
func (n *Node) follow(p Pushed) {
	if _, follows := n.Feed.Status(p.Topic()); follows {
		return
	}
	f := feedtree.Following{Topic: p.Topic(), Channel: p.Channel, Pin: p.Pin, Silence: p.Silence}
	if f.Have, f.Later = n.Items.Have(p.Topic()); f.Have > 0 {
		f.Window = feedtree.MaxWindow
	}
	if err := n.Feed.Follow(f); err != nil {
		panic(err)
	}
}

// arrived returns the function to call for nodes that have this one's published items; nil: no interest.
func (n *Node) arrived() func(topic engine.ID, event engine.Message, at engine.Peer) {
	if n.Feed == nil {
		return nil
	}
	return n.Feed.Arrived
}

// rooted makes Rappel with roots of topics that are no channels.
func (n *Node) rooted(env engine.Env, seams rappel.Seams) {
	finder := roots.New(env, n.Pastry, n.Corona)
	seams.Directory, seams.OnTaken = finder, n.arrived()
	n.Rappel = rappel.New(env, rappel.Default(), seams)
	finder.OnRoot(n.Rappel.RootChanged)
	n.Pastry.Handle(engine.Roots, finder)
	n.Add(engine.Roots, finder)
	n.carried.Use(network.Rappel, roots.Router{Node: n.Rappel, Finder: finder})
}

// member returns the member of a node's router: that of polled channels, and FeedTree if there is one.
func (n *Node) member(updates updates) network.Member {
	if n.Feed == nil {
		return updates
	}
	return agreed.Members{Recoverer: updates, Others: n.Feed,
		Kinds: map[engine.Kind]network.Member{new(corona.Update).Kind(): updates}}
}

// updates is the member of polled channels.
type updates interface {
	network.Member
	network.Recoverer
}
