package main

import (
	"context"
	"crypto/ed25519"
	"fmt"
	"time"

	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/network/live"
	"tidings/network/pastry"
	"tidings/network/routers/scribe"
)

// ring is live nodes of Tidings on one ring, with one thing on top.
type ring struct {
	nodes []*ringNode
	life  context.Context
	end   context.CancelFunc
}

type ringNode struct {
	number int
	host   *live.Host
	env    engine.Env
	pastry *pastry.Node
	tree   *scribe.Node
	feeds  *feedtree.Node // nil if there are none
	ended  chan error
}

// newRing starts nodes and has them join each other. top adds to a node what runs on the ring.
func newRing(ctx context.Context, w work, top func(n *ringNode, stack *engine.Stack)) (*ring, error) {
	r := &ring{}
	r.life, r.end = context.WithCancel(ctx)
	codec := engine.NewCodec(engine.TransportVocabulary, live.Vocabulary, pastry.Vocabulary,
		scribe.Vocabulary, feedtree.Vocabulary, plainVocabulary)
	for i := range w.nodes {
		if err := r.add(i, loopback[w.over], codec, top); err != nil {
			r.stop()
			return nil, fmt.Errorf("starting node %d: %w", i, err)
		}
	}
	if err := r.await(ctx, func(n *ringNode) bool { return n.pastry.Active() }); err != nil {
		r.stop()
		return nil, err
	}
	return r, nil
}

func (r *ring) add(number int, listen string, codec *engine.Codec, top func(n *ringNode, stack *engine.Stack)) error {
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		return err
	}
	c := live.Default()
	c.Key, c.Codec, c.Listen, c.MDNS = key, codec, []string{listen}, false
	n := &ringNode{number: number, ended: make(chan error, 1)}
	if n.host, err = live.New(c); err != nil {
		return err
	}
	start := func(env engine.Env) engine.Protocol {
		n.env, n.pastry = env, pastry.New(env, pastry.Default())
		stack := engine.NewStack(env)
		stack.Add(engine.Pastry, n.pastry)
		top(n, stack)
		if number == 0 {
			n.pastry.Create()
		}
		return stack
	}
	go func() { n.ended <- n.host.Run(r.life, start) }()
	select {
	case <-n.host.Ready():
	case err := <-n.ended:
		return err
	}
	r.nodes = append(r.nodes, n)
	if number == 0 {
		return nil
	}
	peer, err := n.host.Connect(r.life, r.nodes[0].host.Addresses()[0])
	if err != nil {
		return err
	}
	return n.host.Do(r.life, func() { n.pastry.Join(peer) })
}

// await waits until something holds of all nodes.
func (r *ring) await(ctx context.Context, holds func(n *ringNode) bool) error {
	for range 600 {
		all := true
		for _, n := range r.nodes {
			if err := n.host.Do(ctx, func() { all = all && holds(n) }); err != nil {
				return err
			}
		}
		if all {
			return pause(ctx, treesTake)
		}
		if err := pause(ctx, 100*time.Millisecond); err != nil {
			return err
		}
	}
	return fmt.Errorf("the nodes have not settled in a minute")
}

// treesTake is how long the ring and its trees get to settle.
const treesTake = 10 * time.Second

// inTree reports whether a node is in a topic's tree.
func inTree(n *ringNode, topic engine.ID) bool {
	p, in := n.tree.Place(scribe.Group{Topic: topic})
	return in && (p.Root || !p.Parent.IsZero())
}

func (r *ring) sent() (bytes uint64) {
	for _, n := range r.nodes {
		for _, t := range n.host.Traffic() {
			bytes += t.SentBytes
		}
	}
	return bytes
}

func (r *ring) stop() {
	r.end()
	for _, n := range r.nodes {
		<-n.ended
	}
}
