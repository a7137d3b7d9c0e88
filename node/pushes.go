package node

import (
	"context"
	"fmt"

	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/network/pastry"
	"tidings/network/scribe"
)

// pushes stands between FeedTree, which lives in the host's loop and must not wait, and the store, which
// makes it wait. Its work is done by the workers of sharing.
type pushes struct {
	node *Node

	// Set before the loop starts, and used in it alone.
	trees *feedtree.Node
}

// start makes the node's Scribe and FeedTree on a ring; it is called in the host's loop.
func (p *pushes) start(env engine.Env, ring *pastry.Node, stack *engine.Stack) {
	p.trees = feedtree.New(env, ring, p, nil, feedtree.Default())
	tree := scribe.New(env, ring, p.trees, scribe.Default())
	p.trees.Use(tree)
	ring.Handle(engine.Scribe, tree)
	ring.Handle(engine.FeedTree, p.trees.Routed())
	stack.Add(engine.Scribe, tree)
	stack.Add(engine.FeedTree, p.trees)
}

// Keep answers that an item is not wanted: nothing is followed by pushes so far.
func (p *pushes) Keep(topic engine.ID, item *feedtree.Item) {
	p.node.sharing.work(func(ctx context.Context) {
		p.inLoop(ctx, func() { p.trees.Kept(topic, item.Number, false) })
	})
}

// Lend finds items that this node has published.
func (p *pushes) Lend(topic engine.ID, from, to uint64, most int, found func([]*feedtree.Item)) {
	p.node.sharing.work(func(ctx context.Context) {
		items, err := p.lend(ctx, topic, from, to, most)
		if err != nil && ctx.Err() == nil {
			p.node.log.Error("published items were not lent", "topic", topic, "error", err)
		}
		p.inLoop(ctx, func() { found(items) })
	})
}

func (p *pushes) lend(ctx context.Context, topic engine.ID, from, to uint64, most int) ([]*feedtree.Item, error) {
	if to == 0 {
		to = 1<<64 - 1
	}
	kept, err := p.node.store.Published(ctx, topic, from, to, most)
	if err != nil {
		return nil, err
	}
	items := make([]*feedtree.Item, len(kept))
	for i := range kept {
		items[i] = new(feedtree.Item)
		if err := items[i].UnmarshalBinary(kept[i].Item); err != nil {
			return nil, fmt.Errorf("item %d: %w", kept[i].Number, err)
		}
	}
	return items, nil
}

// inLoop runs f where FeedTree lives. After the network has stopped nothing runs.
func (p *pushes) inLoop(ctx context.Context, f func()) { p.node.sharing.inLoop(ctx, f) }

var _ feedtree.Library = (*pushes)(nil)
