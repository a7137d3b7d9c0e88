package queries

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"tidings"
	"tidings/source/feed"
	"tidings/source/news"
	"tidings/source/query"
)

// origin is where items come from.
type origin struct {
	url, title  string    // of the channel
	sender      string    // ID of the node that sent them to the channel's zone; empty: it is a feed
	by          string    // ID of the node that found them; empty: unknown, or their publisher has pushed them
	at, changed time.Time // when they were found, and when the origin changed
	confirmed   []string  // IDs of the nodes that have confirmed it
	signed      string    // fingerprint of the key of the publisher, or sender, that signed them; empty: none
	thirdParty  bool      // that key is a third party's
}

// source returns where an item comes from as people read it. For an item that was sent to a zone, it names the sender.
func (o origin) source() *tidings.Source {
	if o.sender != "" {
		return &tidings.Source{URL: o.url, Title: "node " + o.sender}
	}
	return &tidings.Source{URL: o.url, Title: o.title}
}

// match records the items that queries select in their channels. A reader that was shown an item is shown its
// corrections too, and its withdrawal, whether the query selects them or not. With late, newer items of the channel
// have been recorded: of an item that is there already nothing is changed. The caller holds q.mu.
func (q *Queries) match(ctx context.Context, from origin, items []tidings.Item, late bool) error {
	selected := make([]candidates, len(q.set.queries))
	for _, item := range items {
		if item.IsNotice() {
			continue
		}
		ready := itemOf(from.url, from.title, item)
		for i, f := range q.set.queries {
			selects, err := f.selects(ctx, from, ready)
			switch {
			case err != nil:
				return err
			case selects:
				selected[i].add(inQuery(from, item), true)
			case f.query != nil && isRevision(item):
				selected[i].add(inQuery(from, item), false)
			}
		}
	}
	for i, c := range selected {
		if len(c.items) == 0 {
			continue
		}
		err := q.record(ctx, q.set.queries[i].channel, from, c, late)
		if err != nil && !errors.Is(err, tidings.ErrNotFollowed) { // it was unsubscribed meanwhile
			return err
		}
	}
	return nil
}

// candidates are items for the channel of a query.
type candidates struct {
	items []tidings.Item
	fresh map[string]bool // those that may be new there, by ID; of the others only what is there already is changed
}

func (c *candidates) add(item tidings.Item, fresh bool) {
	c.items = append(c.items, item)
	if fresh {
		if c.fresh == nil {
			c.fresh = make(map[string]bool)
		}
		c.fresh[item.ID] = true
	}
}

// isRevision reports whether an item may be another version of one that was shown before.
func isRevision(item tidings.Item) bool {
	n := item.News
	return item.Change == tidings.Changed || n != nil && (n.Withdrawn() || n.Version > 1 || n.Signal != "")
}

// itemOf makes an item ready to be matched.
func itemOf(url, title string, item tidings.Item) *query.Item {
	return query.NewItem(news.Of(url, title, item), feed.PlainText(cmp.Or(item.Content, item.Summary)))
}

// inQuery returns an item as it stands in the channel of a query, or of a zone. A canonical URL has no blanks, and
// neither has a node's ID. So no two items of different channels, or of different senders, get the same ID.
func inQuery(from origin, item tidings.Item) tidings.Item {
	name := from.url
	if from.sender != "" {
		name += " " + from.sender
	}
	item.ID = name + " " + item.ID
	item.Source = from.source()
	item.Change = ""
	return item
}

// staleTries is how often items are compared anew because others have been recorded meanwhile.
const staleTries = 5

// record stores items in the channel of a query: those that are new there, or say something else than before.
func (q *Queries) record(ctx context.Context, channel string, from origin, c candidates, late bool) error {
	for try := 1; ; try++ {
		doc := feed.Gather(c.items)
		known, upTo, err := q.content.KnownLike(ctx, channel, doc.Marks())
		if err != nil {
			return err
		}
		found := slices.DeleteFunc(feed.Match(known, doc), func(i tidings.FoundItem) bool {
			return i.Change == "" || late && i.Change != tidings.New || i.Change == tidings.New && !c.fresh[i.ID]
		})
		if len(found) == 0 {
			return nil
		}
		err = q.host.Record(ctx, channel, &tidings.Change{
			Kind: tidings.KindFeed, Items: found, KnownUpTo: upTo, Partial: true,
			Found: from.at, FoundBy: from.by, ConfirmedBy: from.confirmed, SignedBy: from.signed,
			ThirdParty: from.thirdParty, OriginChanged: from.changed,
		})
		if !errors.Is(err, tidings.ErrStale) || try == staleTries {
			return err
		}
	}
}
