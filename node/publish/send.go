package publish

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/store/published"
	"tidings/view"
)

const (
	// flightPatience is how long an item may be on its way before it is sent again.
	flightPatience = 30 * time.Second
	// firstPatience is how long an order to publish waits for the first node. With a new key, FeedTree needs 15 s to
	// find out whether its numbers were used before.
	firstPatience = 20 * time.Second
	// maxUnsent is how many items that no other node has are signed anew at once.
	maxUnsent = 1 << 20
)

// send gives FeedTree what was kept, in the order of the numbers, and again until another node has it.
func (c *publication) send(ctx context.Context) {
	if haltOf(ctx, c.publisher.settings, c.topic) != nil {
		return // until restart
	}
	_, _ = c.sign() // so that the first word can be said; what is wrong is noted
	speaker := c.publisher.speaker
	for !speaker.author(ctx, c) {
		select {
		case <-ctx.Done():
			return
		case <-time.After(flightPatience):
		}
	}
	for greeted := false; ctx.Err() == nil; {
		fresh := c.fresh.Wait() // before the check
		unsent, err := c.sendSome(ctx)
		if err == nil && !greeted {
			greeted, err = speaker.greet(ctx, c)
		}
		if ctx.Err() == nil {
			c.note(&c.unsent, err)
		}
		again := time.NewTimer(flightPatience)
		if unsent == 0 && greeted { // else the promise waits for an item with an arrival noted just now
			again.Stop()
		}
		select {
		case <-ctx.Done():
		case <-fresh:
		case <-again.C:
			c.deposit(ctx)
			c.flights.forget()
		}
		again.Stop()
	}
}

// sendSome gives FeedTree the first of the items that others are not noted to have. It returns how many such items
// there are.
func (c *publication) sendSome(ctx context.Context) (unsent int, err error) {
	items, err := c.publisher.store.Unsent(ctx, c.name.channel, c.name.key, maxFlights)
	if err != nil {
		return maxFlights, err
	}
	return len(items), c.hand(ctx, items)
}

// deposit makes the archive keep items that FeedTree has and no other node does. If the publication has no followers
// now, a part of the routers deliver an item to no node.
func (c *publication) deposit(ctx context.Context) {
	items, err := c.publisher.store.Unsent(ctx, c.name.channel, c.name.key, maxFlights)
	if err != nil || c.publisher.speaker.checking(ctx, c.topic) {
		return
	}
	items = slices.DeleteFunc(items, func(i published.Item) bool {
		return engine.ID(i.Topic) != c.topic || !c.flights.alone(i.Number)
	})
	for _, number := range c.publisher.host.Archive(ctx, items) {
		c.flights.arrived(number, engine.ID{})
	}
}

// hand gives FeedTree those of the items that are not on their way. An item that it does not accept delays none after
// it. Later ones leave out its number, and it is offered again when its flight is forgotten.
func (c *publication) hand(ctx context.Context, items []published.Item) error {
	var refusals []error
	// number of the last item before the next that FeedTree has accepted and no other node is noted to have
	behind := uint64(0)
	for _, i := range items {
		if engine.ID(i.Topic) == c.topic && c.flights.depart(i.Number) {
			c.flights.refuse(i.Number, c.handOne(ctx, i, behind))
		}
		if err := c.flights.refusal(i.Number); err != nil {
			refusals = append(refusals, fmt.Errorf("sending item %d: %w", i.Number, err))
			continue
		}
		behind = i.Number
	}
	if n := len(refusals); n > 1 {
		return fmt.Errorf("%d items cannot be sent: %w", n, refusals[0])
	}
	return errors.Join(refusals...)
}

// handOne gives FeedTree an item.
func (c *publication) handOne(ctx context.Context, i published.Item, behind uint64) error {
	item := new(feedtree.Item)
	if err := item.UnmarshalBinary(i.Signed); err != nil {
		return err
	}
	return c.publisher.speaker.publish(ctx, c, item, behind)
}

// noteArrivals has the store note what others have, until ctx ends. Sending waits for it only where more is to be sent
// than may be on its way.
func (c *publication) noteArrivals(ctx context.Context) {
	for ctx.Err() == nil {
		news := c.flights.news.Wait() // before the check
		noted, err := c.noteArrived(ctx)
		wait := news
		switch {
		case err != nil && ctx.Err() == nil:
			c.publisher.log.Error("it was not noted which published items others have", "channel", c.name.channel,
				"error", err)
			wait = nil
		case noted > 0:
			continue
		}
		select {
		case <-ctx.Done():
		case <-wait:
		case <-time.After(flightPatience):
		}
	}
}

// noteArrived makes the store note what others have, once the current note is stored. It returns the number of items.
func (c *publication) noteArrived(ctx context.Context) (noted int, err error) {
	c.noting.Lock()
	defer c.noting.Unlock()
	taken := c.flights.arrivals()
	if len(taken) == 0 {
		return 0, nil
	}
	if err := c.publisher.store.Sent(ctx, c.name.channel, c.name.key, taken...); err != nil {
		c.flights.restore(taken)
		return 0, err
	}
	c.publisher.host.Taken()
	c.fresh.Ring()
	return len(taken), nil
}

// awaitFirst waits until another node has the last of the items, or for the patience of an order. It fills in how many
// nodes have each.
func (c *publication) awaitFirst(ctx context.Context, items []view.IssuedItem) {
	first, end := c.flights.await(items[len(items)-1].Number)
	defer end()
	if first != nil {
		patience := time.NewTimer(firstPatience)
		defer patience.Stop()
		select {
		case <-first:
		case <-patience.C:
		case <-ctx.Done():
		}
	}
	c.flights.count(items)
}

// waiting returns what an order to publish waits for; "" if none waits.
func (c *publication) waiting(ctx context.Context) string {
	if !c.flights.awaited() {
		return ""
	}
	if c.publisher.speaker.checking(ctx, c.topic) {
		return fmt.Sprintf("asking the network for what this key has published, up to %d s", firstPatience/time.Second)
	}
	return fmt.Sprintf("waiting for the first node to take it, up to %d s", firstPatience/time.Second)
}

// goAbove goes on with numbers above one. What was numbered up to it, and no other node has, is numbered anew.
func (c *publication) goAbove(ctx context.Context, last uint64) error {
	c.issuing.Lock()
	defer c.issuing.Unlock()
	private, err := c.sign()
	if err != nil {
		return err
	}
	s := c.publisher.store
	kept, err := s.Publication(ctx, c.name.channel, c.name.key)
	if err != nil {
		return err
	}
	unsent, err := s.Unsent(ctx, c.name.channel, c.name.key, maxUnsent)
	if err != nil {
		return err
	}
	r := published.Renumbering{Channel: c.name.channel, Key: c.name.key, Next: max(kept.Next, last+1),
		Time: c.now(kept.Last)}
	others := make(map[uint64]uint64) // the new numbers
	for _, was := range unsent {
		item := new(feedtree.Item)
		if err := item.UnmarshalBinary(was.Signed); err != nil {
			return err
		}
		if was.Number > last && len(r.Items) == 0 {
			continue // it stays
		}
		r.Gone = append(r.Gone, was.Number)
		item.Entry = renumbered(item, others)
		item.Number, item.Time = r.Next+uint64(len(r.Items)), r.Time.UnixMilli()
		others[was.Number] = item.Number
		signed, err := signed(item, c.topic, private)
		if err != nil {
			return err
		}
		r.Items = append(r.Items, signed)
	}
	if err := s.Renumber(ctx, r); err != nil {
		return err
	}
	c.raise(r.Next, r.Next+uint64(len(r.Items))-1)
	c.fresh.Ring()
	return nil
}
