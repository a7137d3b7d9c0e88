package queries

import (
	"context"
	"errors"
	"fmt"

	"tidings"
	"tidings/source/changeset"
	"tidings/source/feed"
	"tidings/source/news"
)

// Any reports whether a query is followed here. It may be called from anywhere and does not wait.
func (q *Queries) Any() bool { return q.any.Load() }

// Arrived takes an event of the network. It does not wait.
func (q *Queries) Arrived(e Event) {
	if q.Any() {
		q.events.add(e)
	}
}

// take matches an event. Of a channel that the store has, it waits for what the store gets: so nothing is matched with queries that
// people here would not be shown.
func (q *Queries) take(ctx context.Context, e *Event) error {
	if lost := q.events.dropped(); lost > 0 {
		q.log.Warn("more came for queries than could be matched in time; the oldest was given up", "events", lost)
	}
	held, err := q.holds(ctx, e.Channel)
	if err != nil || held {
		return err
	}
	from := origin{url: e.Channel, by: e.FoundBy, at: e.Found, changed: e.Changed, signed: e.Signed}
	versionOf := e.Channel
	var items []tidings.Item
	if e.Signed == "" {
		from.title, items, err = Items(e.Payload, e.Hash, q.feed)
	} else {
		from.sender = e.FoundBy
		var item tidings.Item
		from.title, item, err = sentItem(e.Payload, q.feed)
		items, versionOf = []tidings.Item{item}, inQuery(from, item).ID // items that are sent one after the other come in any order
	}
	if err != nil {
		return err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.match(ctx, from, items, q.versions.overtaken(versionOf, e.Version))
}

// sentItem reads the one item that is in a changeset which its sender has signed, and the title of the document that it was in.
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
	w, err := q.store.Watch(ctx, channel)
	if errors.Is(err, tidings.ErrNotFollowed) {
		return false, nil
	}
	return err == nil && w.Privacy == tidings.Public && w.Version > 0, err
}

// Items reads the items that are whole in a changeset of a feed: those that its sender holds to be new or changed. They prove themselves as
// far as they can without what the sender has: each says what its mark is of, and all marks together are of the content with the hash. Texts
// are sanitised. A page has no items.
func Items(payload []byte, hash [32]byte, c feed.Config) (title string, items []tidings.Item, err error) {
	p, err := changeset.Decode(payload, c)
	if err != nil || p.Kind != tidings.KindFeed {
		return "", nil, err
	}
	if feed.Hash(p.Marks()) != hash {
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

// Topics returns the topics of the items that are whole in a changeset of a feed, at most most: of each item the first in the order of news.Topics, then of
// each the second, and so on, so that those are left out which few queries need.
func Topics(channel string, payload []byte, most int, c feed.Config) ([]string, error) {
	p, err := changeset.Decode(payload, c)
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

// merge returns the first of all lists, then the second of all, and so on, each text once and at most most of them.
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
