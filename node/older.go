package node

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"tidings"
	"tidings/network/archive"
	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/source/changeset"
	"tidings/store"
)

const (
	// olderAtOnce is how many items of a channel are looked up at a time.
	olderAtOnce = 16
	// olderGap is after how many numbers in a row that nobody has the search ends: what was published before the
	// network had an archive, or outgrew its room, is not there.
	olderGap = 256
	// olderAhead is by how much a signed time may be ahead of this node's clock.
	olderAhead = 10 * time.Minute
	// olderProbes bounds how far beyond what is known a publisher's last number is looked for.
	olderProbes = 1 << 32
)

// Older tells what was published of a channel before, the newest first: from the network's archive if its
// publisher pushes it, else from the archive documents that its feed names (RFC 5005). missing counts published
// items that nobody has. An error of tell ends it and is returned. Errors: tidings.ErrInvalid with a reason in
// plain words if there is no archive of the channel.
func (n *Node) Older(ctx context.Context, url string, q tidings.ArchiveQuery, tell func(tidings.Archived) error) (missing int, err error) {
	known := n.store.WithdrawnItems // of those, nothing is told that was published before
	if q.Lacking {
		known = n.store.ReadableItems
	}
	here, err := known(ctx, url)
	if err != nil {
		return 0, err
	}
	if n.archive == nil {
		return 0, n.olderDocuments(ctx, url, q, here, tell)
	}
	pin, err := n.store.PinOf(ctx, url)
	switch {
	case errors.Is(err, tidings.ErrNotFound):
		return 0, n.olderDocuments(ctx, url, q, here, tell)
	case err != nil:
		return 0, err
	case pin.Distrusted || !pin.Revoked.IsZero():
		return 0, invalid("the key by which %s is published is not trusted, so nothing that it has signed is read", quoted(url))
	}
	o := &older{archiving: n.archive, pin: pin, topics: []engine.ID{pin.Topic}, query: q, here: here, tell: tell}
	topics, err := n.store.PushedTopics(ctx, url)
	if err != nil {
		return 0, err
	}
	for _, topic := range topics {
		if topic != pin.Topic {
			o.topics = append(o.topics, topic)
		}
	}
	err = o.read(ctx)
	return o.missing, err
}

// older reads a channel's published items backwards.
type older struct {
	*archiving
	pin    store.Pin
	topics []engine.ID // under which there may be items; the latest first
	query  tidings.ArchiveQuery
	here   []tidings.KnownItem // are not told
	tell   func(tidings.Archived) error

	missing int // up to the last item that was told
	gap     int // after that
}

func (o *older) read(ctx context.Context) error {
	var last uint64
	if o.query.Before > 0 {
		last = o.query.Before - 1
	} else {
		var err error
		if last, err = o.last(ctx); err != nil {
			return err
		}
	}
	for high := last; high > 0 && o.gap < olderGap; {
		low := high - min(high, olderAtOnce) + 1
		items, err := o.between(ctx, low, high)
		if err != nil {
			return err
		}
		for number := high; number >= low; number-- {
			item := items[number-low]
			if item == nil {
				o.gap++
				continue
			}
			if time.UnixMilli(item.Time).Before(o.query.Since) {
				return nil
			}
			if err := o.show(item); err != nil {
				return err
			}
		}
		if o.query.Lacking {
			if err := o.tell(tidings.Archived{Number: low}); err != nil {
				return err
			}
		}
		high = low - 1
	}
	return nil
}

// show tells an item, unless a publisher has signed what nobody can read.
func (o *older) show(item *feedtree.Item) error {
	o.missing += o.gap
	o.gap = 0
	entry, err := changeset.Decode(item.Entry, o.node.poller.Feed)
	if err != nil {
		return nil
	}
	f, err := entry.Entries(o.here, o.node.poller.Feed)
	if err != nil {
		return nil
	}
	a := tidings.Archived{Number: item.Number, Time: time.UnixMilli(item.Time).UTC(), SignedBy: item.Key.Fingerprint().String(), Items: lacking(f.Items)}
	if len(a.Items) == 0 {
		return nil
	}
	return o.tell(a)
}

// lacking returns those of some items that are not here, as they are told of an archive.
func lacking(found []tidings.FoundItem) (items []tidings.Item) {
	for i := range found {
		if found[i].Change == tidings.New && !found[i].News.Embargoed(time.Now()) {
			item := found[i].Item
			item.Change = ""
			items = append(items, item)
		}
	}
	return items
}

// last returns the number of the last item: as the publisher has said in time, else as the archive shows it.
func (o *older) last(ctx context.Context) (last uint64, err error) {
	healthy := false
	o.inLoop(ctx, func() {
		if s, followed := o.node.pushes.trees.Status(o.pin.Topic); followed {
			last, healthy = s.Last, s.Healthy()
		}
	})
	last = max(last, o.pin.Have)
	for step, back := uint64(1), false; !healthy && ctx.Err() == nil; {
		there := o.find(ctx, o.pin.Topic, last+step) != nil
		if there {
			last += step
		}
		back = back || !there || step >= olderProbes
		switch {
		case !back:
			step *= 2
		case step == 1:
			return last, nil
		default:
			step /= 2
		}
	}
	return last, ctx.Err()
}

// between returns the items with numbers from one to another, nil where nobody has one: those that are here, and
// the others from the archive.
func (o *older) between(ctx context.Context, low, high uint64) (items []*feedtree.Item, err error) {
	items = make([]*feedtree.Item, high-low+1)
	for _, topic := range o.topics {
		here, err := o.node.pushes.lend(ctx, topic, low, high, len(items))
		if err != nil {
			return nil, err
		}
		for _, item := range here {
			if o.genuine(topic, item) {
				items[item.Number-low] = item
			}
		}
	}
	var finds sync.WaitGroup
	for i := range items {
		if items[i] != nil {
			continue
		}
		finds.Go(func() {
			for _, topic := range o.topics {
				if items[i] == nil {
					items[i] = o.find(ctx, topic, low+uint64(i))
				}
			}
		})
	}
	finds.Wait()
	if at := slices.IndexFunc(items, func(i *feedtree.Item) bool { return i != nil }); at >= 0 {
		o.preferTopicOf(items[at])
	}
	return items, ctx.Err()
}

// preferTopicOf has the topic of an item tried first from now on: those before it are likely to be there.
func (o *older) preferTopicOf(item *feedtree.Item) {
	topic := feedtree.TopicOf(engine.ID(tidings.IDOf(o.pin.Channel)), item.Key.Fingerprint())
	if at := slices.Index(o.topics, topic); at > 0 {
		o.topics[0], o.topics[at] = o.topics[at], o.topics[0]
	}
}

// find looks an item up, and returns nil if nobody has a genuine one.
func (o *older) find(ctx context.Context, topic engine.ID, number uint64) *feedtree.Item {
	type answer struct {
		bytes []byte
		err   error
	}
	for ctx.Err() == nil {
		answers, asked := make(chan answer, 1), false
		o.inLoop(ctx, func() {
			asked = true
			o.archive.Find(archive.Name{Topic: topic, Number: number}, func(bytes []byte, err error) { answers <- answer{bytes, err} })
		})
		if !asked { // the network has stopped
			return nil
		}
		select {
		case <-ctx.Done():
		case a := <-answers:
			item := new(feedtree.Item)
			switch {
			case errors.Is(a.err, archive.ErrBusy):
				waitFor(ctx, time.Second)
			case a.err != nil || item.UnmarshalBinary(a.bytes) != nil || !o.genuine(topic, item):
				return nil
			default:
				return item
			}
		}
	}
	return nil
}

// genuine tells whether an item is one of a topic's. Of the topic of the trusted key it has to be that key's; the
// others are those of keys that led to it.
func (o *older) genuine(topic engine.ID, item *feedtree.Item) bool {
	if topic == o.pin.Topic && item.Key.Fingerprint() != o.pin.Fingerprint {
		return false
	}
	return item.Verify(topic, time.Now(), olderAhead) == nil
}

func waitFor(ctx context.Context, wait time.Duration) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
