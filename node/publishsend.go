package node

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"tidings"
	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/network/scribe"
	"tidings/store"
)

const (
	// maxFlights is how many items of a publication are on their way at a time: fewer than what
	// nodes of the network take for too old.
	maxFlights = 64
	// flightPatience is how long an item may be on its way before it is sent again.
	flightPatience = 30 * time.Second
	// firstPatience is how long whoever publishes waits for the first node. With a new key, FeedTree takes
	// 15 s to find out whether its numbers were used before.
	firstPatience = 20 * time.Second
)

// send gives FeedTree what was kept, in the order of the numbers, and again until some other node has it.
func (c *publication) send(ctx context.Context) {
	_, _ = c.signer() // so that the first word can be said; what is wrong is noted
	for !c.publisher.node.pushes.author(ctx, c) {
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
			greeted, err = c.publisher.node.pushes.greet(ctx, c)
		}
		if err != nil && ctx.Err() == nil {
			c.publisher.node.log.Error("published items were not sent", "channel", c.name.channel, "error", err)
		}
		again := time.NewTimer(flightPatience)
		if unsent == 0 && greeted { // else the promise waits for an item whose arrival was noted just now
			again.Stop()
		}
		select {
		case <-ctx.Done():
		case <-fresh:
		case <-again.C:
			c.forget()
		}
		again.Stop()
	}
}

// sendSome gives FeedTree the first of the items that others are not noted to have, and returns how many there are of
// those.
func (c *publication) sendSome(ctx context.Context) (unsent int, err error) {
	items, err := c.publisher.node.store.Unsent(ctx, c.name.channel, c.name.key, maxFlights)
	if err != nil {
		return maxFlights, err
	}
	return len(items), c.hand(ctx, items)
}

// note notes what others have, until ctx ends. Sending waits for it only where more is to be sent than may be on its way.
func (c *publication) note(ctx context.Context) {
	for ctx.Err() == nil {
		placed := c.news.Wait() // before the check
		c.counted.Lock()
		taken := c.taken
		c.taken = nil
		c.counted.Unlock()
		if len(taken) == 0 {
			select {
			case <-ctx.Done():
			case <-placed:
			}
			continue
		}
		if err := c.publisher.node.store.Sent(ctx, c.name.channel, c.name.key, taken...); err != nil {
			if ctx.Err() == nil {
				c.publisher.node.log.Error("it was not noted which published items others have", "channel", c.name.channel, "error", err)
			}
			c.counted.Lock()
			c.taken = append(taken, c.taken...)
			c.counted.Unlock()
			select {
			case <-ctx.Done():
			case <-time.After(flightPatience):
			}
			continue
		}
		c.publisher.node.archive.Published()
		c.fresh.Ring()
	}
}

// hand gives FeedTree those of some items that are not on their way.
func (c *publication) hand(ctx context.Context, items []store.PublishedItem) error {
	c.counted.Lock()
	items = slices.DeleteFunc(items, func(i store.PublishedItem) bool {
		f := c.flights[i.Number]
		return f != nil && f.nodes != nil || engine.ID(i.Topic) != c.topic
	})
	for _, i := range items {
		if c.flights[i.Number] == nil {
			c.flights[i.Number] = &flight{first: make(chan struct{})}
		}
		c.flights[i.Number].nodes = []engine.ID{}
	}
	c.counted.Unlock()
	var errs []error
	for _, kept := range items {
		item := new(feedtree.Item)
		if err := item.UnmarshalBinary(kept.Item); err != nil {
			return err
		}
		errs = append(errs, c.publisher.node.pushes.publish(ctx, c, item))
	}
	return errors.Join(errs...)
}

// forget has items that are on their way for long be sent again.
func (c *publication) forget() {
	c.counted.Lock()
	defer c.counted.Unlock()
	for _, f := range c.flights {
		if len(f.nodes) == 0 {
			f.nodes = nil
		}
	}
}

// placed notes that a node has an item; it is called in the host's loop.
func (c *publication) placed(number uint64, node engine.ID) {
	c.counted.Lock()
	defer c.counted.Unlock()
	f := c.flights[number]
	if f == nil || slices.Contains(f.nodes, node) {
		return
	}
	if f.nodes = append(f.nodes, node); len(f.nodes) == 1 {
		close(f.first)
		c.taken = append(c.taken, number)
		c.news.Ring()
	}
	c.trim(number)
}

// trim forgets flights that ended long before another did. The caller holds c.counted.
func (c *publication) trim(latest uint64) {
	const kept = 4 * maxFlights
	if len(c.flights) <= 2*kept {
		return
	}
	for number, f := range c.flights {
		if number+kept < latest && len(f.nodes) > 0 {
			delete(c.flights, number)
		}
	}
}

// awaitFirst waits until some node has the last of the items, or for as long as somebody who publishes
// will wait, and tells how many nodes have each.
func (c *publication) awaitFirst(ctx context.Context, items []tidings.IssuedItem) {
	c.counted.Lock()
	last := c.flights[items[len(items)-1].Number]
	c.waiters++
	c.counted.Unlock()
	if last != nil {
		patience := time.NewTimer(firstPatience)
		defer patience.Stop()
		select {
		case <-last.first:
		case <-patience.C:
		case <-ctx.Done():
		}
	}
	c.counted.Lock()
	defer c.counted.Unlock()
	c.waiters--
	for i := range items {
		if f := c.flights[items[i].Number]; f != nil {
			items[i].Nodes = len(f.nodes)
		}
	}
}

// waiting tells for what somebody waits who publishes; "" if nobody does.
func (c *publication) waiting(ctx context.Context) string {
	c.counted.Lock()
	waiters := c.waiters
	c.counted.Unlock()
	if waiters == 0 {
		return ""
	}
	checking := false
	c.publisher.node.pushes.inLoop(ctx, func() { checking = c.publisher.node.pushes.trees.Checking(c.topic) })
	if checking {
		return fmt.Sprintf("asking the network for what this key has published, up to %d s", firstPatience/time.Second)
	}
	return fmt.Sprintf("waiting for the first node to take it, up to %d s", firstPatience/time.Second)
}

// beat returns what to say while nothing is published; it is called in the host's loop. While there is
// something to send that has not gone out, nothing is said: what says a later number, or time, would
// make that too old.
func (c *publication) beat() engine.Message {
	h := c.word(c.silence)
	if h == nil {
		return nil
	}
	return h
}

// farewell returns the word that nothing is promised any more; nil if it cannot be said now.
func (c *publication) farewell() *feedtree.Heartbeat { return c.word(0) }

func (c *publication) word(silence time.Duration) *feedtree.Heartbeat {
	c.mu.Lock()
	private, wrong := c.private, c.wrong
	c.mu.Unlock()
	at := c.now(time.Time{}).UnixMilli()
	c.counted.Lock()
	defer c.counted.Unlock()
	if private == nil || wrong != "" || c.handed != c.last {
		return nil
	}
	h := &feedtree.Heartbeat{Number: c.last, Time: at, Silence: uint32(silence / time.Second)}
	h.Sign(c.topic, private)
	return h
}

// author has FeedTree speak for a publication. It reports whether it does.
func (p *pushes) author(ctx context.Context, c *publication) (ok bool) {
	unsent, err := p.node.store.Unsent(ctx, c.name.channel, c.name.key, 1)
	if err != nil {
		return false
	}
	c.counted.Lock()
	if len(unsent) > 0 {
		c.handed = unsent[0].Number - 1
	}
	last := c.last
	c.counted.Unlock()
	p.inLoop(ctx, func() {
		if silence, known := p.authored[c.topic]; known && silence == c.silence {
			ok = true
			return
		}
		p.trees.Unauthor(c.topic) // with another silence, if it was before
		delete(p.authored, c.topic)
		err = p.trees.Author(feedtree.Authoring{Topic: c.topic, Last: last, Silence: c.silence, Beat: func() engine.Message { return p.beat(c.topic) }})
		if ok = err == nil; ok {
			p.authored[c.topic] = c.silence
		}
	})
	if err != nil && ctx.Err() == nil {
		p.node.log.Warn("a publication is not spoken for", "channel", c.name.channel, "error", err)
	}
	return ok
}

// greet has readers told at once what is promised: those who were told before that nothing is rely on pushes again from
// then on, and those who were promised something do not wait in vain where nothing is any more. It reports whether that
// is done; it waits for what is still to be sent, as beat does.
func (p *pushes) greet(ctx context.Context, c *publication) (done bool, err error) {
	p.inLoop(ctx, func() {
		if word := c.beat(); word != nil {
			err = p.trees.Publish(c.topic, word)
			done = err == nil
		}
	})
	return done, err
}

// unauthor ends what author began, after a last word if there is one, without waiting for it.
func (p *pushes) unauthor(topic engine.ID, last *feedtree.Heartbeat) {
	p.node.coop.Work(func(ctx context.Context) {
		p.inLoop(ctx, func() {
			if p.node.publisher.onTopic(topic) != nil {
				return // another speaks there since
			}
			if last != nil {
				_ = p.trees.Publish(topic, last) // readers who miss it find out by the silence
			}
			p.trees.Unauthor(topic)
			delete(p.authored, topic)
		})
	})
}

// beat is called in the loop.
func (p *pushes) beat(topic engine.ID) engine.Message {
	if c := p.node.publisher.onTopic(topic); c != nil {
		return c.beat()
	}
	return nil
}

// publish gives FeedTree an item.
func (p *pushes) publish(ctx context.Context, c *publication, item *feedtree.Item) (err error) {
	p.inLoop(ctx, func() {
		if err = p.trees.Publish(c.topic, item); err == nil {
			c.counted.Lock()
			c.handed = max(c.handed, item.Number)
			c.counted.Unlock()
		}
	})
	return err
}

// placed notes that another node has an event that this node has published; it is called in the loop.
func (p *pushes) placed(e scribe.RootAcked) {
	item, ok := e.Event.(*feedtree.Item)
	if !ok || p.node.publisher == nil {
		return
	}
	if c := p.node.publisher.onTopic(e.Group.Topic); c != nil {
		c.placed(item.Number, e.Root.ID)
	}
}

// Overtaken notes that the network knows of an item with a number that this node has not given: it has an old
// state, or the key is used elsewhere too. It is called in the loop.
func (p *pushes) Overtaken(topic engine.ID, last uint64) {
	c := p.node.publisher.onTopic(topic)
	if c == nil {
		return
	}
	p.node.log.Warn("others know of later items of a channel that is published here: this node was restored from an old copy, or the key is used elsewhere too",
		"channel", c.name.channel, "key", c.name.key, "last", last)
	p.node.coop.Work(func(ctx context.Context) {
		if err := c.goAbove(ctx, last); err != nil && ctx.Err() == nil {
			p.node.log.Error("a channel is not published", "channel", c.name.channel, "error", err)
		}
	})
}

// goAbove goes on with numbers above one. What was numbered up to it, and no other node has, is numbered anew.
func (c *publication) goAbove(ctx context.Context, last uint64) error {
	c.issuing.Lock()
	defer c.issuing.Unlock()
	private, err := c.signer()
	if err != nil {
		return err
	}
	s := c.publisher.node.store
	kept, err := s.Publication(ctx, c.name.channel, c.name.key)
	if err != nil {
		return err
	}
	unsent, err := s.Unsent(ctx, c.name.channel, c.name.key, maxUnsent)
	if err != nil {
		return err
	}
	r := store.Renumbering{Channel: c.name.channel, Key: c.name.key, Next: max(kept.Next, last+1), Time: c.now(kept.Last)}
	for _, was := range unsent {
		item := new(feedtree.Item)
		if err := item.UnmarshalBinary(was.Item); err != nil {
			return err
		}
		if was.Number > last && len(r.Items) == 0 {
			continue // it stays
		}
		r.Gone = append(r.Gone, was.Number)
		item.Number, item.Time = r.Next+uint64(len(r.Items)), r.Time.UnixMilli()
		signed, err := sign(item, c.topic, private)
		if err != nil {
			return err
		}
		r.Items = append(r.Items, signed)
	}
	if err := s.Renumber(ctx, r); err != nil {
		return err
	}
	c.counted.Lock()
	c.last = r.Next + uint64(len(r.Items)) - 1
	c.handed = max(c.handed, r.Next-1)
	c.counted.Unlock()
	c.fresh.Ring()
	return nil
}
