package push

import (
	"context"
	"fmt"

	"tidings/network/engine"
	"tidings/network/feedtree"
)

// library is what FeedTree sees of what is kept here.
type library struct{ *keeper }

// Lend finds items that this node has published, or was pushed; it is called in the loop.
func (p library) Lend(topic engine.ID, from, to uint64, most int, found func([]*feedtree.Item)) {
	p.pushes.host.Work(func(ctx context.Context) {
		items, err := p.pushes.Lend(ctx, topic, from, to, most)
		if err != nil && ctx.Err() == nil {
			p.pushes.config.Log.Error("published items were not lent", "topic", topic, "error", err)
		}
		p.pushes.host.InLoop(ctx, func() { found(items) })
	})
}

// lent is the most bytes of items that are read to be lent at a time.
const lent = 1 << 20

// Lend returns items that this node has published, or was pushed, in the order of their numbers: the first from one number up
// to another (0: the latest), at most so many.
func (p *Pushes) Lend(ctx context.Context, topic engine.ID, from, to uint64, most int) (items []*feedtree.Item, err error) {
	if to == 0 {
		to = 1<<64 - 1
	}
	own, err := p.config.Store.Published.Items(ctx, topic, from, to, most)
	if err != nil {
		return nil, err
	}
	var signed [][]byte
	for _, item := range own {
		signed = append(signed, item.Signed)
	}
	if len(own) == 0 {
		pushed, err := p.config.Store.Pushed.Items(ctx, topic, from, to, most, lent)
		if err != nil {
			return nil, err
		}
		for _, item := range pushed {
			signed = append(signed, item.Signed)
		}
	}
	for _, b := range signed {
		item := new(feedtree.Item)
		if err := item.UnmarshalBinary(b); err != nil {
			return nil, fmt.Errorf("an item of topic %s: %w", topic, err)
		}
		items = append(items, item)
	}
	return items, nil
}

var _ feedtree.Library = library{}
