package push

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"tidings"
	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/source/changeset"
	"tidings/store"
	"tidings/store/pushed"
)

const (
	// staleTries is how often an item is compared anew because polls have found others meanwhile.
	staleTries = 5
	// keepAgain is after how long a store is asked again that could not keep an item.
	keepAgain = 10 * time.Second
	// keepSize is about the most bytes of entries that are kept together.
	keepSize = 1 << 20
	// backlog is how long before it was trusted a publisher's items are still shown. A new reader gets what the feed
	// lists, and nothing older.
	backlog = time.Hour
)

// keeper keeps what comes down the trees.
type keeper struct {
	pushes *Pushes
	now    func() time.Time
	later  func(time.Duration, func())

	waiting  sync.Mutex                     // guards arrivals; what is pinned is guarded by Pushes.mu
	arrivals map[engine.ID][]*feedtree.Item // by topic, as they came; the first are being kept
}

// Keep has an item kept that a publisher has pushed; it is called in the loop. Those of a topic are kept in
// the order in which they come; FeedTree bounds how many wait.
func (k *keeper) Keep(topic engine.ID, item *feedtree.Item) {
	k.waiting.Lock()
	defer k.waiting.Unlock()
	if k.arrivals[topic] = append(k.arrivals[topic], item); len(k.arrivals[topic]) == 1 {
		k.pushes.host.Work(func(ctx context.Context) { k.keepAll(ctx, topic) })
	}
}

// keepAll keeps what has come of a topic, until there is nothing more. What waits together is kept together.
func (k *keeper) keepAll(ctx context.Context, topic engine.ID) {
	for more := true; more && ctx.Err() == nil; {
		kept := k.keep(ctx, topic, k.arrived(topic))
		if kept == 0 {
			k.later(keepAgain, func() { k.pushes.host.Work(func(ctx context.Context) { k.keepAll(ctx, topic) }) })
			return
		}
		k.waiting.Lock()
		if more = len(k.arrivals[topic]) > kept; more {
			k.arrivals[topic] = k.arrivals[topic][kept:]
		} else {
			delete(k.arrivals, topic)
		}
		k.waiting.Unlock()
	}
}

// arrived returns the first of what waits of a topic, at least one.
func (k *keeper) arrived(topic engine.ID) []*feedtree.Item {
	k.waiting.Lock()
	defer k.waiting.Unlock()
	waiting := k.arrivals[topic]
	some, size := 1, len(waiting[0].Entry)
	for some < len(waiting) && size < keepSize {
		size += len(waiting[some].Entry)
		some++
	}
	return waiting[:some:some]
}

// keep keeps items, and reports the outcome to FeedTree. It returns of how many of the first that is settled; if of
// none, they are to be tried again.
func (k *keeper) keep(ctx context.Context, topic engine.ID, items []*feedtree.Item) (settled int) {
	kept, err := k.storeItems(ctx, topic, items)
	settled = kept
	switch {
	case err == nil, errors.Is(err, errWaiting):
	case errors.Is(err, tidings.ErrNotFollowed) || errors.Is(err, tidings.ErrNotFound):
		settled = len(items)
	case ctx.Err() == nil:
		k.pushes.config.Log.Error("a pushed item was not stored; it is tried again", "topic", topic, "number",
			items[kept].Number, "error", err)
	}
	if settled > 0 {
		k.pushes.host.InLoop(ctx, func() {
			for i, item := range items[:settled] {
				if c := k.pushes.of(topic); i >= kept || c == nil || !c.revisions.waits(item) {
					k.pushes.trees.Kept(topic, item.Number, i < kept)
				}
			}
		})
	}
	return settled
}

// errWaiting says that so many revisions wait already that another has no room.
var errWaiting = errors.New("too many revisions wait")

// storeItems stores items with what they say to readers. It returns how many of the first are stored, or wait.
func (k *keeper) storeItems(ctx context.Context, topic engine.ID, items []*feedtree.Item) (stored int, err error) {
	c := k.pushes.of(topic)
	if c == nil {
		return 0, tidings.ErrNotFollowed
	}
	defer k.pushes.host.Lock(c.id)()
	if c = k.pushes.of(topic); c == nil { // another key was trusted meanwhile, with numbers of its own
		return 0, tidings.ErrNotFollowed
	}
	for try := 1; stored < len(items); {
		taken, wait, err := k.storeSome(ctx, c, topic, items[stored:])
		if err == nil && wait {
			stored++
			continue
		}
		if errors.Is(err, tidings.ErrStale) && try < staleTries {
			try++
			continue
		}
		if err != nil {
			return stored, err
		}
		k.took(c, items[stored:stored+len(taken)], taken)
		stored += len(taken)
	}
	return stored, nil
}

// storeSome stores as many of the first items as do not depend on one another, and do not have to wait. If the first
// has to, wait is true, and it does.
func (k *keeper) storeSome(ctx context.Context, c *pinned, topic engine.ID,
	items []*feedtree.Item) (taken []store.Applied, wait bool, err error) {
	given := make([]store.Arrival, 0, len(items))
	for _, item := range items {
		f, err := k.changeOf(ctx, c, topic, item)
		if err != nil {
			return nil, false, err
		}
		if f != nil {
			if row, _ := c.revisions.full(f, k.now()); row != 0 {
				if len(given) > 0 {
					break
				}
				if wait, err = k.wait(ctx, c, topic, item, f); err == nil && !wait {
					err = errWaiting
				}
				return nil, wait, err
			}
		}
		a, err := arrivalOf(c, topic, item, f)
		if err != nil {
			return nil, false, err
		}
		given = append(given, a)
	}
	taken, err = k.pushes.config.Entrance.Apply(ctx, given...)
	for i := range taken {
		if f := given[i].(store.Push).Change; f != nil {
			k.pushes.host.WantFiles(c.Channel, f.Files)
			c.revisions.count(f, k.now())
		}
	}
	return taken, false, err
}

// arrivalOf returns an item as the store has it, with what it says to readers.
func arrivalOf(c *pinned, topic engine.ID, item *feedtree.Item, f *tidings.Change) (store.Arrival, error) {
	signed, err := item.MarshalBinary()
	return store.Push{Item: pushed.Item{URL: c.Channel, Topic: topic, Number: item.Number, Signed: signed,
		Withdraws: item.Withdraws()}, Change: f}, err
}

// took notes what was stored.
func (k *keeper) took(c *pinned, items []*feedtree.Item, taken []store.Applied) {
	k.pushes.mu.Lock()
	defer k.pushes.mu.Unlock()
	c.Heard = time.Now()
	for i, t := range taken {
		c.Have, c.newest = t.Have, max(c.newest, items[i].Number)
		if t.Update != nil {
			c.Pushed += int64(len(t.Update.Items))
		}
		if t.Late {
			c.Missed = max(0, c.Missed-1)
		}
	}
}

// changeOf reads an item. It returns nil if the item says nothing to readers, or if they do not rely on its signer:
// then polls report what there is. A publisher can sign an unreadable item.
func (k *keeper) changeOf(ctx context.Context, c *pinned, topic engine.ID,
	item *feedtree.Item) (*tidings.Change, error) {
	k.pushes.mu.Lock()
	overtaken, doubled := item.Number < c.newest, c.state == tidings.PushDoubled
	k.pushes.mu.Unlock()
	at := time.UnixMilli(item.Time).UTC()
	if doubled || at.Before(c.Pinned.Add(-backlog)) {
		return nil, nil
	}
	entry, err := changeset.Decode(item.Content(), k.pushes.config.Feed)
	if err != nil {
		k.unreadable(c, item, err)
		return nil, nil
	}
	if c.ThirdParty {
		if entry = provenPart(entry); len(entry.Items) == 0 {
			return nil, nil
		}
	}
	known, upTo, err := k.pushes.config.Content.KnownLike(ctx, c.Channel, entry.Marks())
	if err != nil {
		return nil, err
	}
	f, err := entry.Entries(known, k.pushes.config.Feed)
	if err != nil {
		k.unreadable(c, item, err)
		return nil, nil
	}
	if overtaken && !c.ThirdParty {
		if overtaken, err = k.isRevised(ctx, topic, item, entry); err != nil {
			return nil, err
		}
	}
	if overtaken || c.ThirdParty {
		// Of a third party: what a poll has found stays. Else: an entry that is here may be what the publisher made of
		// it later: that stays.
		f.Items = slices.DeleteFunc(f.Items, func(i tidings.FoundItem) bool { return i.Change != tidings.New })
		if len(f.Items) == 0 {
			return nil, nil
		}
	}
	f.KnownUpTo = upTo
	f.Found, f.SignedBy, f.ThirdParty = at, item.Key.Fingerprint().String(), c.ThirdParty
	if now := time.Now(); f.Found.After(now) {
		f.Found = now.UTC()
	}
	return f, nil
}

func (k *keeper) unreadable(c *pinned, item *feedtree.Item, err error) {
	k.pushes.config.Log.Warn("a publisher has signed what cannot be read", "channel", c.Channel, "number", item.Number,
		"error", err)
}
