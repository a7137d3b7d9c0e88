package main

import (
	"context"
	"crypto/ed25519"
	"time"

	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/network/routers/scribe"
)

// shelf is a library in memory that forgets what it has stored.
type shelf struct {
	node *ringNode
	got  func(node int, event []byte)
}

// Keep notes that an item has come.
func (s shelf) Keep(topic engine.ID, item *feedtree.Item) {
	s.got(s.node.number, item.Entry)
	s.node.env.After(0, func() { s.node.feeds.Kept(topic, item.Number, true) })
}

// Lend has nothing.
func (s shelf) Lend(_ engine.ID, _, _ uint64, _ int, found func([]*feedtree.Item)) {
	s.node.env.After(0, func() { found(nil) })
}

// startFeedTree starts nodes that follow one publisher, with items that are signed and verified by every node.
func startFeedTree(ctx context.Context, w work, got func(node int, event []byte)) (running, error) {
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		return running{}, err
	}
	channel, pin := engine.IDOf([]byte("news")), feedtree.KeyOf(key).Fingerprint()
	topic := feedtree.TopicOf(channel, pin)
	r, err := newRing(ctx, w, func(n *ringNode, stack *engine.Stack) {
		n.feeds = feedtree.New(n.env, n.pastry, shelf{n, got}, nil, feedtree.Default())
		n.tree = scribe.New(n.env, n.pastry, n.feeds, scribe.Default())
		n.feeds.Use(n.tree)
		n.pastry.Handle(engine.Scribe, n.tree)
		n.pastry.Handle(engine.FeedTree, n.feeds.Routed())
		stack.Add(engine.Scribe, n.tree)
		stack.Add(engine.FeedTree, n.feeds)
	})
	if err != nil {
		return running{}, err
	}
	for i, n := range r.nodes {
		var failed error
		if err = n.host.Do(ctx, func() {
			if i == 0 {
				failed = n.feeds.Author(feedtree.Authoring{Topic: topic})
			} else {
				failed = n.feeds.Follow(feedtree.Following{Topic: topic, Channel: channel, Pin: pin})
			}
		}); err == nil {
			err = failed
		}
		if err != nil {
			break
		}
	}
	if err == nil {
		err = r.await(ctx, func(n *ringNode) bool { return inTree(n, topic) })
	}
	if err == nil {
		err = pause(ctx, feedtree.Default().Check)
	}
	if err != nil {
		r.stop()
		return running{}, err
	}
	number := uint64(0)
	publish := func(event []byte) (err error) {
		number++
		item := &feedtree.Item{Number: number, Time: time.Now().UnixMilli(), Entry: event}
		item.Sign(topic, key)
		if failed := r.nodes[0].host.Do(ctx, func() { err = r.nodes[0].feeds.Publish(topic, item) }); failed != nil {
			return failed
		}
		return err
	}
	return running{publish, r.sent, r.stop}, nil
}
