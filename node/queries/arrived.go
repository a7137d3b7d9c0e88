package queries

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"tidings"
	"tidings/network/astrolabe/zone"
	"tidings/network/corona"
	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/source/changeset"
	"tidings/source/feed"
	"tidings/source/news"
)

// Wants reports whether queries may select from an event. Run evaluates the whole query, as reading an event is slow.
// It does not wait.
func (q *Queries) Wants(event engine.Message) bool {
	switch e := event.(type) {
	case *corona.Update:
		return len(e.Payload) > 0 && q.any.Load()
	case *feedtree.Item: // sent to a zone
		return q.any.Load()
	case *feedtree.Named:
		_, item := e.Event.(*feedtree.Item)
		return item && e.URL != "" && q.any.Load()
	}
	return false
}

// Brought has queries select from an update of a channel. Its finder is as stated. It does not wait.
func (q *Queries) Brought(u *corona.Update, stated tidings.Change) {
	q.arrived(Event{
		Channel: u.URL, Version: u.Version, Hash: u.Hash, Payload: u.Payload,
		FoundBy: stated.FoundBy, ConfirmedBy: stated.ConfirmedBy, Found: stated.Found, Changed: stated.OriginChanged,
	})
}

// BroughtPush makes queries select an item that was pushed. The URL of its channel is as its publisher's node reports
// it, and belongs to the item's topic. It does not wait.
func (q *Queries) BroughtPush(url string, item *feedtree.Item) {
	q.arrived(Event{
		Channel: url, Version: item.Number, Payload: item.Content(), Found: time.UnixMilli(item.Time),
		Signed: item.Key.Fingerprint().String(),
		Pushed: true,
	})
}

// BroughtToZone has queries, and zones that are followed, select an item that a node has sent to a zone. It does not
// wait.
func (q *Queries) BroughtToZone(to zone.Path, sender engine.ID, item *feedtree.Item) {
	q.arrived(Event{
		Channel: tidings.ZoneURL(string(to)), Version: uint64(item.Time), Payload: item.Entry,
		FoundBy: sender.String(), Found: time.UnixMilli(item.Time), Signed: item.Key.Fingerprint().String(),
	})
}

// arrived receives an event of the network. It does not wait.
func (q *Queries) arrived(e Event) {
	if q.any.Load() {
		q.events.add(e)
	}
}

// accept matches an event. If the store has its channel, the event waits until the store has it too. So nothing is
// matched with queries that people here would not be shown.
func (q *Queries) accept(ctx context.Context, e *Event) error {
	if lost := q.events.dropped(); lost > 0 {
		q.log.Warn("more came for queries than could be matched in time; the oldest was given up", "events", lost)
	}
	held, err := q.holds(ctx, e.Channel)
	if err != nil || held {
		return err
	}
	from := origin{url: e.Channel, by: e.FoundBy, confirmed: e.ConfirmedBy, at: e.Found, changed: e.Changed,
		signed: e.Signed}
	versionOf := e.Channel
	var items []tidings.Item
	if e.Signed == "" {
		from.title, items, err = itemsOf(e.Payload, e.Hash, q.feed)
	} else {
		from.sender = e.FoundBy
		var item tidings.Item
		from.title, item, err = sentItem(e.Payload, q.feed)
		// items that are sent one after the other come in any order
		items, versionOf = []tidings.Item{item}, inQuery(from, item).ID
	}
	if err != nil {
		return err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if e.Pushed {
		if wanted, err := q.wants(ctx, from, items); err != nil || !wanted || !q.keys.named(ctx, e, q.events.add) {
			return err
		}
	}
	return q.match(ctx, from, items, q.versions.overtaken(versionOf, e.Version))
}

// wants reports whether a query selects one of the items, or has selected an earlier version. The caller holds q.mu.
func (q *Queries) wants(ctx context.Context, from origin, items []tidings.Item) (wanted bool, err error) {
	for _, item := range items {
		ready := itemOf(from.url, from.title, item)
		for _, f := range q.set.queries {
			if wanted, err = f.selects(ctx, from, ready); err == nil && !wanted && f.query != nil && isRevision(item) {
				wanted, err = q.has(ctx, f.channel, inQuery(from, item))
			}
			if wanted || err != nil {
				return wanted, err
			}
		}
	}
	return false, nil
}

// has reports whether a version of an item is in the channel of a query.
func (q *Queries) has(ctx context.Context, channel string, item tidings.Item) (bool, error) {
	doc := feed.Gather([]tidings.Item{item})
	known, _, err := q.content.KnownLike(ctx, channel, doc.Marks())
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(feed.Match(known, doc), func(i tidings.FoundItem) bool {
		return i.Change != tidings.New
	}), nil
}

// sentItem reads the one item in a changeset which its sender has signed, and the title of the document that it was in.
func sentItem(payload []byte, c feed.Config) (title string, item tidings.Item, err error) {
	p, err := changeset.Decode(payload, c)
	if err != nil {
		return "", item, err
	}
	f, err := p.Entries(nil, c)
	if err != nil {
		return "", item, err
	}
	if len(f.Items) != 1 {
		return "", item, fmt.Errorf("%d items, not one: %w", len(f.Items), changeset.ErrUnfit)
	}
	return feed.PlainLine(p.Title, c.MaxTitle), f.Items[0].Item, nil
}

// holds reports whether the store gets the updates of a public channel.
func (q *Queries) holds(ctx context.Context, channel string) (bool, error) {
	w, err := q.content.Watch(ctx, channel)
	if errors.Is(err, tidings.ErrNotFollowed) {
		return false, nil
	}
	return err == nil && w.Privacy == tidings.Public && w.Version > 0, err
}

// itemsOf reads the items that are whole in a changeset of a feed: those that its sender considers new or changed. They
// prove themselves as far as possible without the sender's data. Each matches its mark, and all marks together match
// the content with the hash. Texts are sanitised. A page has no items.
func itemsOf(payload []byte, hash [32]byte, c feed.Config) (title string, items []tidings.Item, err error) {
	p, err := changeset.Decode(payload, c)
	if err != nil || p.Kind != tidings.KindFeed {
		return "", nil, err
	}
	if tidings.ContentHash(p.Marks()) != hash {
		return "", nil, fmt.Errorf("a changeset of a feed: %w", changeset.ErrUnfit)
	}
	var whole []feed.Carried
	for i := range p.Items {
		if p.Items[i].Whole {
			whole = append(whole, p.Items[i])
		}
	}
	found, err := feed.MatchCarried(nil, whole, true, c)
	if err != nil {
		return "", nil, fmt.Errorf("a changeset of a feed: %w", err)
	}
	for i := range found {
		items = append(items, found[i].Item)
	}
	return feed.PlainLine(p.Title, c.MaxTitle), items, nil
}

// Topics returns the topics of the items that are whole in a changeset of a feed, at most most. It returns of each item
// the first in the order of news.Topics, then of each the second, and so on. So it leaves out the topics that the
// fewest queries need.
func (q *Queries) Topics(channel string, payload []byte, most int) ([]string, error) {
	p, err := changeset.Decode(payload, q.feed)
	if err != nil {
		return nil, err
	}
	var lists [][]string
	for i := range p.Items {
		if p.Items[i].Whole {
			lists = append(lists, news.Topics(news.Of(channel, p.Title, p.Items[i].Item)))
		}
	}
	return merge(lists, most), nil
}

// merge returns the first of all lists, then the second of all, and so on. Each text comes once, and at most most of
// them.
func merge(lists [][]string, most int) (merged []string) {
	have := make(map[string]bool)
	for rank := 0; ; rank++ {
		more := false
		for _, list := range lists {
			if rank >= len(list) {
				continue
			}
			more = true
			if topic := list[rank]; !have[topic] && len(merged) < most {
				have[topic] = true
				merged = append(merged, topic)
			}
		}
		if !more || len(merged) == most {
			return merged
		}
	}
}
