package history

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
	"tidings/store/pushed"
	"tidings/view"
)

const (
	// findAtOnce is how many items of a channel are looked up at a time.
	findAtOnce = 16
	// maxGap is after how many numbers in a row that no node has the search ends. Items from before the network had an
	// archive, or beyond its room, are not there.
	maxGap = 256
	// maxAhead is by how much a signed time may be ahead of this node's clock.
	maxAhead = 10 * time.Minute
	// maxStep bounds how far beyond what is known a publisher's last number is looked for.
	maxStep = 1 << 32
	// silentTries is how many times an item without any answer is looked up, silentPause apart.
	silentTries = 3
	silentPause = 2 * time.Second
)

// errSilent says that there may be more than was found. What was found has been passed on.
var errSilent = tidings.WithHint(errors.New("nodes that keep older items do not answer"), "try again in a minute")

// withdrawn stands for an item that its publisher has withdrawn.
var withdrawn = new(feedtree.Item)

// pushedChannel reads the published items of a channel that is pushed.
type pushedChannel struct {
	question
	pin    pushed.Pin
	topics []engine.ID // under which there may be items; the latest first
	// look looks an item up in the archive: Archive.find.
	look func(ctx context.Context, name archive.Name) (bytes []byte, err error)

	missing int  // up to the last item that was passed on, and no node has
	gap     int  // not found after that
	absent  int  // of these, no node has
	unsure  bool // for a part of the missing ones no node has answered
}

func (p *pushedChannel) read(ctx context.Context) error {
	var last uint64
	if p.query.Before > 0 {
		last = p.query.Before - 1
	} else {
		var err error
		if last, err = p.last(ctx); err != nil {
			return err
		}
	}
	for high := last; high > 0 && p.gap < maxGap; {
		low := high - min(high, findAtOnce) + 1
		items, unheard, err := p.between(ctx, low, high)
		if err != nil {
			return err
		}
		for number := high; number >= low; number-- {
			item := items[number-low]
			if item == nil {
				if p.gap++; unheard[number-low] {
					p.unsure = true
				} else {
					p.absent++
				}
				continue
			}
			if item == withdrawn {
				continue
			}
			if time.UnixMilli(item.Time).Before(p.query.Since) {
				return p.complete()
			}
			if err := p.show(item); err != nil {
				return err
			}
		}
		if !slices.Contains(unheard, false) {
			return errSilent // each of the others would need as long
		}
		if p.query.Lacking {
			if err := p.tell(view.Archived{Number: low}); err != nil {
				return err
			}
		}
		high = low - 1
	}
	return p.complete()
}

// complete returns errSilent if there may be more than was found, up to here.
func (p *pushedChannel) complete() error {
	if p.unsure {
		return errSilent
	}
	return nil
}

// show passes an item on, unless its publisher has signed an unreadable one.
func (p *pushedChannel) show(item *feedtree.Item) error {
	p.missing += p.absent
	p.gap, p.absent = 0, 0
	entry, err := changeset.Decode(item.Content(), p.reader.config.Feed)
	if err != nil {
		return nil
	}
	f, err := entry.Entries(p.here, p.reader.config.Feed)
	if err != nil {
		return nil
	}
	a := view.Archived{Number: item.Number, Time: time.UnixMilli(item.Time).UTC(),
		SignedBy: item.Key.Fingerprint().String(), Items: lacking(f.Items)}
	if len(a.Items) == 0 {
		return nil
	}
	return p.tell(a)
}

// last returns the number of the last item, as the archive shows it beyond what is known. A node that is catching up
// uses its latest item, once its publisher has spoken in time. If it has, silence says nothing of later items.
func (p *pushedChannel) last(ctx context.Context) (last uint64, err error) {
	sure := false
	p.reader.host.InLoop(ctx, func() { last, sure = p.reader.host.LastNumber(p.pin.Topic) })
	last = max(last, p.pin.Have)
	tries := silentTries
	if sure {
		tries = 1
	}
	for step, back := uint64(1), false; ctx.Err() == nil; {
		item, answered := p.find(ctx, p.pin.Topic, last+step, tries)
		there := item != nil
		p.unsure = p.unsure || !answered && !sure
		if there {
			last += step
		}
		back = back || !there || step >= maxStep
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

// between returns the items with numbers from one to another, nil for those not found. They are those that are here,
// and the others from the archive. unheard says for which of the missing ones no node has answered.
func (p *pushedChannel) between(ctx context.Context, low,
	high uint64) (items []*feedtree.Item, unheard []bool, err error) {
	items = make([]*feedtree.Item, high-low+1)
	for _, topic := range p.topics {
		here, err := p.reader.host.ItemsHere(ctx, topic, low, high, len(items))
		if err != nil {
			return nil, nil, err
		}
		for _, item := range here {
			if !p.genuine(topic, item) {
				continue
			}
			if item.Number <= high {
				items[item.Number-low] = item
			}
			for _, number := range item.Withdraws() {
				if low <= number && number <= high {
					items[number-low] = withdrawn
				}
			}
		}
	}
	var finds sync.WaitGroup
	unheard = make([]bool, len(items))
	for i := range items {
		if items[i] != nil {
			continue
		}
		finds.Go(func() {
			for _, topic := range p.topics {
				if items[i] == nil {
					item, answered := p.find(ctx, topic, low+uint64(i), silentTries)
					items[i], unheard[i] = item, item == nil && (unheard[i] || !answered)
				}
			}
		})
	}
	finds.Wait()
	if at := slices.IndexFunc(items, func(i *feedtree.Item) bool { return i != nil && i != withdrawn }); at >= 0 {
		p.preferTopicOf(items[at])
	}
	return items, unheard, ctx.Err()
}

// preferTopicOf has the topic of an item tried first from now on: those before it are likely to be there.
func (p *pushedChannel) preferTopicOf(item *feedtree.Item) {
	topic := feedtree.TopicOf(engine.ID(tidings.IDOf(p.pin.Channel)), item.Key.Fingerprint())
	if at := slices.Index(p.topics, topic); at > 0 {
		p.topics[0], p.topics[at] = p.topics[at], p.topics[0]
	}
}

// find looks an item up, up to tries times without an answer. It returns nil if it does not find a genuine one.
// answered then reports that no node has one.
func (p *pushedChannel) find(ctx context.Context, topic engine.ID, number uint64,
	tries int) (item *feedtree.Item, answered bool) {
	name := archive.Name{Topic: topic, Number: number}
	for ctx.Err() == nil {
		bytes, err := p.look(ctx, name)
		item := new(feedtree.Item)
		switch {
		case errors.Is(err, archive.ErrBusy):
			waitFor(ctx, time.Second)
		case errors.Is(err, archive.ErrSilent) && tries > 1:
			tries--
			waitFor(ctx, silentPause)
		case errors.Is(err, archive.ErrSilent), errors.Is(err, errStopped):
			return nil, false
		case err == nil && archive.IsVoid(bytes):
			return withdrawn, true
		case err != nil || item.UnmarshalBinary(bytes) != nil || !p.genuine(topic, item):
			return nil, true
		default:
			return item, true
		}
	}
	return nil, false
}

// genuine reports whether an item is one of a topic's. An item on the topic of the trusted key must be that key's. The
// other topics are those of keys that led to it.
func (p *pushedChannel) genuine(topic engine.ID, item *feedtree.Item) bool {
	if topic == p.pin.Topic && item.Key.Fingerprint() != p.pin.Fingerprint {
		return false
	}
	return item.Verify(topic, time.Now(), maxAhead) == nil
}
