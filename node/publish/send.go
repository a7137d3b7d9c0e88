package publish

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"tidings"
	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/store"
)

const (
	// flightPatience is how long an item may be on its way before it is sent again.
	flightPatience = 30 * time.Second
	// firstPatience is how long whoever publishes waits for the first node. With a new key, FeedTree takes
	// 15 s to find out whether its numbers were used before.
	firstPatience = 20 * time.Second
	// maxUnsent is how many items that no other node has are signed anew at once.
	maxUnsent = 1 << 20
)

// send gives FeedTree what was kept, in the order of the numbers, and again until some other node has it.
func (c *publication) send(ctx context.Context) {
	if haltOf(ctx, c.publisher.store, c.topic) != nil {
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
		if err != nil && ctx.Err() == nil {
			c.publisher.log.Error("published items were not sent", "channel", c.name.channel, "error", err)
		}
		again := time.NewTimer(flightPatience)
		if unsent == 0 && greeted { // else the promise waits for an item whose arrival was noted just now
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

// sendSome gives FeedTree the first of the items that others are not noted to have, and returns how many there are of
// those.
func (c *publication) sendSome(ctx context.Context) (unsent int, err error) {
	items, err := c.publisher.store.Unsent(ctx, c.name.channel, c.name.key, maxFlights)
	if err != nil {
		return maxFlights, err
	}
	return len(items), c.hand(ctx, items)
}

// deposit has the archive keep what was given to FeedTree and no other node has: where nobody follows the publication now, some
// routers bring an item to nobody.
func (c *publication) deposit(ctx context.Context) {
	items, err := c.publisher.store.Unsent(ctx, c.name.channel, c.name.key, maxFlights)
	if err != nil || c.publisher.speaker.checking(ctx, c.topic) {
		return
	}
	items = slices.DeleteFunc(items, func(i store.PublishedItem) bool {
		return engine.ID(i.Topic) != c.topic || !c.flights.alone(i.Number)
	})
	for _, number := range c.publisher.host.Archive(ctx, items) {
		c.flights.arrived(number, engine.ID{})
	}
}

// hand gives FeedTree those of some items that are not on their way.
func (c *publication) hand(ctx context.Context, items []store.PublishedItem) error {
	type departing struct {
		store.PublishedItem
		behind uint64 // number of the last before it that no other node is noted to have
	}
	var all []departing
	behind := uint64(0)
	for _, i := range items {
		if engine.ID(i.Topic) == c.topic && c.flights.depart(i.Number) {
			all = append(all, departing{i, behind})
		}
		behind = i.Number
	}
	var errs []error
	for _, d := range all {
		item := new(feedtree.Item)
		if err := item.UnmarshalBinary(d.Item); err != nil {
			return err
		}
		errs = append(errs, c.publisher.speaker.publish(ctx, c, item, d.behind))
	}
	return errors.Join(errs...)
}

// noteArrivals has the store note what others have, until ctx ends. Sending waits for it only where more is to be sent than
// may be on its way.
func (c *publication) noteArrivals(ctx context.Context) {
	for ctx.Err() == nil {
		news := c.flights.news.Wait() // before the check
		noted, err := c.noteArrived(ctx)
		wait := news
		switch {
		case err != nil && ctx.Err() == nil:
			c.publisher.log.Error("it was not noted which published items others have", "channel", c.name.channel, "error", err)
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

// noteArrived has the store note what others have, once what is being noted already is, and returns of how many items.
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

// awaitFirst waits until some node has the last of the items, or for as long as somebody who publishes
// will wait, and fills in how many nodes have each.
func (c *publication) awaitFirst(ctx context.Context, items []tidings.IssuedItem) {
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

// waiting says for what somebody waits who publishes; "" if nobody does.
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
	r := store.Renumbering{Channel: c.name.channel, Key: c.name.key, Next: max(kept.Next, last+1), Time: c.now(kept.Last)}
	others := make(map[uint64]uint64) // the new numbers
	for _, was := range unsent {
		item := new(feedtree.Item)
		if err := item.UnmarshalBinary(was.Item); err != nil {
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
