package push

import (
	"context"
	"fmt"
	"slices"

	"tidings"
	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/source/changeset"
	"tidings/source/feed"
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

// Lend returns items that this node has published, or was pushed, in the order of their numbers. They are the first
// from one number up to another (0: the latest), at most most. Of a news item that its publisher has killed it returns
// the kill, once, in the place of the first of the versions before it. It returns none of these. All pushed items that
// this node gives to others come from here.
func (p *Pushes) Lend(ctx context.Context, topic engine.ID, from, to uint64,
	most int) (items []*feedtree.Item, err error) {
	if to == 0 {
		to = 1<<64 - 1
	}
	own, err := p.config.Published.Items(ctx, topic, from, to, most)
	if err != nil {
		return nil, err
	}
	for _, item := range own {
		if items, err = withItem(items, topic, item.Signed); err != nil {
			return nil, err
		}
	}
	if len(own) > 0 {
		return items, nil
	}
	pushed, err := p.config.Pushed.Items(ctx, topic, from, to, most, lent)
	if err != nil || len(pushed) == 0 {
		return nil, err
	}
	for _, item := range pushed {
		if items, err = withItem(items, topic, item.Signed); err != nil {
			return nil, err
		}
	}
	return p.withoutKilled(ctx, pushed[0].URL, items)
}

// withItem appends an item as it is stored, unless it is there.
func withItem(items []*feedtree.Item, topic engine.ID, stored []byte) ([]*feedtree.Item, error) {
	item := new(feedtree.Item)
	if err := item.UnmarshalBinary(stored); err != nil {
		return nil, fmt.Errorf("an item of topic %s: %w", topic, err)
	}
	if slices.ContainsFunc(items, func(i *feedtree.Item) bool { return i.Number == item.Number }) {
		return items, nil
	}
	return append(items, item), nil
}

// withoutKilled leaves out the versions of a channel's news items that are known here to be withdrawn otherwise than by
// a withdrawing item. A poll may have found the withdrawal, or another key may have signed it.
func (p *Pushes) withoutKilled(ctx context.Context, channel string, items []*feedtree.Item) ([]*feedtree.Item, error) {
	var killed []tidings.KnownItem
	asked := false
	for i := 0; i < len(items); i++ {
		entry, err := changeset.Decode(items[i].Content(), p.config.Feed)
		if err != nil || !slices.ContainsFunc(entry.Items, func(c feed.Carried) bool {
			return c.News != nil && !c.News.Withdrawn()
		}) {
			continue
		}
		if !asked {
			if killed, err = p.config.Content.WithdrawnItems(ctx, channel); err != nil {
				return nil, err
			}
			asked = true
		}
		f, err := entry.Entries(killed, p.config.Feed)
		if err == nil && slices.ContainsFunc(f.Items, func(i tidings.FoundItem) bool {
			return i.Change != tidings.New
		}) {
			items = slices.Delete(items, i, i+1)
			i--
		}
	}
	return items, nil
}

var _ feedtree.Library = library{}
