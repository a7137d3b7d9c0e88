package node

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"tidings"
	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/source"
	"tidings/source/changeset"
	"tidings/store"
)

const (
	// staleTries is how often an item is compared anew because polls have found others meanwhile.
	staleTries = 5
	// keepAgain is after how long a store is asked again that could not keep an item.
	keepAgain = 10 * time.Second
	// keepSize is about the most bytes of entries that are kept together.
	keepSize = 1 << 20
	// backlog is how long before it was trusted what a publisher has published is shown to nobody: a
	// new reader is told what the feed lists, and nothing older.
	backlog = time.Hour
)

// Keep has an item kept that a publisher has pushed; it is called in the loop. Those of a topic are kept in
// the order in which they come; FeedTree bounds how many wait.
func (p *pushes) Keep(topic engine.ID, item *feedtree.Item) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.arrivals[topic] = append(p.arrivals[topic], item); len(p.arrivals[topic]) == 1 {
		p.node.coop.Work(func(ctx context.Context) { p.keepAll(ctx, topic) })
	}
}

// keepAll keeps what has come of a topic, until there is nothing more. What waits together is kept together.
func (p *pushes) keepAll(ctx context.Context, topic engine.ID) {
	for more := true; more && ctx.Err() == nil; {
		kept := p.keep(ctx, topic, p.arrived(topic))
		if kept == 0 {
			time.AfterFunc(keepAgain, func() { p.node.coop.Work(func(ctx context.Context) { p.keepAll(ctx, topic) }) })
			return
		}
		p.mu.Lock()
		if more = len(p.arrivals[topic]) > kept; more {
			p.arrivals[topic] = p.arrivals[topic][kept:]
		} else {
			delete(p.arrivals, topic)
		}
		p.mu.Unlock()
	}
}

// arrived returns the first of what waits of a topic, at least one.
func (p *pushes) arrived(topic engine.ID) []*feedtree.Item {
	p.mu.Lock()
	defer p.mu.Unlock()
	waiting := p.arrivals[topic]
	some, size := 1, len(waiting[0].Entry)
	for some < len(waiting) && size < keepSize {
		size += len(waiting[some].Entry)
		some++
	}
	return waiting[:some:some]
}

// keep keeps items, and tells FeedTree what became of them. It returns of how many of the first that is settled; if
// of none, they are to be tried again.
func (p *pushes) keep(ctx context.Context, topic engine.ID, items []*feedtree.Item) (settled int) {
	kept, err := p.take(ctx, topic, items)
	settled = kept
	switch {
	case err == nil:
	case errors.Is(err, tidings.ErrNotFollowed) || errors.Is(err, tidings.ErrNotFound):
		settled = len(items)
	case ctx.Err() == nil:
		p.node.log.Error("a pushed item was not stored; it is tried again", "topic", topic, "number", items[kept].Number, "error", err)
	}
	if settled > 0 {
		p.inLoop(ctx, func() {
			for i, item := range items[:settled] {
				p.trees.Kept(topic, item.Number, i < kept)
			}
		})
	}
	return settled
}

// take stores items with what they say to readers, and returns how many of the first are stored.
func (p *pushes) take(ctx context.Context, topic engine.ID, items []*feedtree.Item) (stored int, err error) {
	c := p.of(topic)
	if c == nil {
		return 0, tidings.ErrNotFollowed
	}
	defer p.node.coop.Lock(c.id)()
	for try := 1; stored < len(items); {
		taken, err := p.takeSome(ctx, c, topic, items[stored:])
		if errors.Is(err, tidings.ErrStale) && try < staleTries {
			try++
			continue
		}
		if err != nil {
			return stored, err
		}
		p.took(c, items[stored:stored+len(taken)], taken)
		stored += len(taken)
	}
	return stored, nil
}

// takeSome stores as many of the first of some items as do not depend on one another.
func (p *pushes) takeSome(ctx context.Context, c *pinned, topic engine.ID, items []*feedtree.Item) ([]store.Applied, error) {
	given := make([]store.Arrival, 0, len(items))
	for _, item := range items {
		signed, err := item.MarshalBinary()
		if err != nil {
			return nil, err
		}
		f, err := p.changeOf(ctx, c, item)
		if err != nil {
			return nil, err
		}
		given = append(given, store.Push{Pushed: store.Pushed{URL: c.Channel, Topic: topic, Number: item.Number, Item: signed}, Change: f})
	}
	taken, err := p.node.entrance.Apply(ctx, given...)
	for i := range taken {
		if f := given[i].(store.Push).Change; f != nil {
			p.node.files.Want(c.Channel, f.Files)
		}
	}
	return taken, err
}

// took notes what was stored.
func (p *pushes) took(c *pinned, items []*feedtree.Item, taken []store.Applied) {
	p.mu.Lock()
	defer p.mu.Unlock()
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

// changeOf reads an item; nil if it says nothing to readers. A publisher can sign what nobody can read.
func (p *pushes) changeOf(ctx context.Context, c *pinned, item *feedtree.Item) (*tidings.Change, error) {
	at := time.UnixMilli(item.Time).UTC()
	if at.Before(c.Pinned.Add(-backlog)) {
		return nil, nil
	}
	entry, err := changeset.Decode(item.Entry, p.node.poller.Feed)
	if err != nil {
		p.unreadable(c, item, err)
		return nil, nil
	}
	known, upTo, err := p.node.store.KnownLike(ctx, c.Channel, entry.Marks())
	if err != nil {
		return nil, err
	}
	f, err := entry.Entries(known, p.node.poller.Feed)
	if err != nil {
		p.unreadable(c, item, err)
		return nil, nil
	}
	p.mu.Lock()
	overtaken := item.Number < c.newest
	p.mu.Unlock()
	if overtaken {
		// An entry that is here may be what the publisher made of it later: that stays.
		f.Items = slices.DeleteFunc(f.Items, func(i tidings.FoundItem) bool { return i.Change != tidings.New })
		if len(f.Items) == 0 {
			return nil, nil
		}
	}
	f.KnownUpTo = upTo
	f.Found, f.SignedBy = at, item.Key.Fingerprint().String()
	if now := time.Now(); f.Found.After(now) {
		f.Found = now.UTC()
	}
	return f, nil
}

func (p *pushes) unreadable(c *pinned, item *feedtree.Item, err error) {
	p.node.log.Warn("a publisher has signed what cannot be read", "channel", c.Channel, "number", item.Number, "error", err)
}

// Lend finds items that this node has published, or was pushed; it is called in the loop.
func (p *pushes) Lend(topic engine.ID, from, to uint64, most int, found func([]*feedtree.Item)) {
	p.node.coop.Work(func(ctx context.Context) {
		items, err := p.lend(ctx, topic, from, to, most)
		if err != nil && ctx.Err() == nil {
			p.node.log.Error("published items were not lent", "topic", topic, "error", err)
		}
		p.inLoop(ctx, func() { found(items) })
	})
}

// lent is the most bytes of items that are read to be lent at a time.
const lent = 1 << 20

func (p *pushes) lend(ctx context.Context, topic engine.ID, from, to uint64, most int) (items []*feedtree.Item, err error) {
	if to == 0 {
		to = 1<<64 - 1
	}
	own, err := p.node.store.Published(ctx, topic, from, to, most)
	if err != nil {
		return nil, err
	}
	var signed [][]byte
	for _, item := range own {
		signed = append(signed, item.Item)
	}
	if len(own) == 0 {
		pushed, err := p.node.store.PushedItems(ctx, topic, from, to, most, lent)
		if err != nil {
			return nil, err
		}
		for _, item := range pushed {
			signed = append(signed, item.Item)
		}
	}
	for _, b := range signed {
		item := new(feedtree.Item)
		if err := item.UnmarshalBinary(b); err != nil {
			return nil, fmt.Errorf("an item of topic %s: %w", topic, err)
		}
		items = append(items, item)
	}
	return items, nil
}

// Heard implements feedtree.Listener, as the methods below do.
func (p *pushes) Heard(topic engine.ID) {
	p.nodes.Store(int64(p.ring.Nodes()))
	p.became(topic, tidings.PushGood)
}

// Overdue notes that a publisher has not kept its promise to speak.
func (p *pushes) Overdue(topic engine.ID) { p.became(topic, tidings.PushOverdue) }

// Ended notes that a publisher promises nothing any more.
func (p *pushes) Ended(topic engine.ID) { p.became(topic, tidings.PushEnded) }

// Equivocated notes that a publisher has signed two items for one number.
func (p *pushes) Equivocated(topic engine.ID) { p.became(topic, tidings.PushDoubled) }

// Revoked notes that a publisher's key is void.
func (p *pushes) Revoked(topic engine.ID) {
	p.about(topic, func(ctx context.Context, c *pinned) error { return p.revoked(ctx, c) })
}

// Skipped notes that items are too old to be asked for.
func (p *pushes) Skipped(topic engine.ID, upTo uint64) {
	p.about(topic, func(ctx context.Context, c *pinned) error { return p.node.store.SetHighestSeq(ctx, c.Channel, upTo) })
}

// Refused counts what came and was not what it should be.
func (p *pushes) Refused(topic engine.ID, why feedtree.Why) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if c := p.topics[topic]; c != nil && why != feedtree.Replayed {
		c.refused++
	}
}

// Banned cuts off a peer that only a liar can be.
func (p *pushes) Banned(peer engine.Peer, why feedtree.Why) {
	host{p.node}.Refuse(peer, "it passed on what is "+why.Error())
}

// about has a worker do something about the channel of a topic, if it is pinned.
func (p *pushes) about(topic engine.ID, do func(context.Context, *pinned) error) {
	if c := p.of(topic); c != nil {
		p.node.coop.Work(func(ctx context.Context) { p.complain(ctx, c, do(ctx, c)) })
	}
}

func (p *pushes) complain(ctx context.Context, c *pinned, err error) {
	if err != nil && ctx.Err() == nil {
		p.node.log.Error("what became of a publisher was not noted", "channel", c.Channel, "error", err)
	}
}

// became notes how a channel is pushed, and who polls it from now on.
func (p *pushes) became(topic engine.ID, state tidings.PushState) {
	p.mu.Lock()
	c := p.topics[topic]
	if c == nil || c.state == tidings.PushDoubled || !c.wanted() {
		p.mu.Unlock()
		return
	}
	c.state = state
	p.mu.Unlock()
	p.node.coop.SetPushed(c.id, p.isGood(c))
	if p.isGood(c) {
		p.node.coop.Work(func(ctx context.Context) { p.complain(ctx, c, p.node.store.SetHighestSeq(ctx, c.Channel, 0)) })
	}
}

// isGood reports whether a channel can be left to its publisher's pushes; nil can not.
func (p *pushes) isGood(c *pinned) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return c != nil && p.channels[c.id] == c && c.state == tidings.PushGood && c.wanted() && !c.unreliable()
}

// Rotated goes on with a publisher's new key, which FeedTree follows already.
func (p *pushes) Rotated(e feedtree.Rotated) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.topics[e.Topic]
	if c == nil {
		return
	}
	c.Topic, c.Fingerprint, c.newest = e.Next, e.Pin, 0
	pin := c.Pin
	p.topics[e.Next] = c // the old topic leads here as well, for what was said there
	p.follows[c.id] = e.Next
	p.node.coop.Work(func(ctx context.Context) { p.complain(ctx, c, p.node.store.SetPin(ctx, pin)) })
}

// Fallback polls the conventional feed of a channel whose items nobody has: soon, and not all nodes
// at once.
func (p *pushes) Fallback(topic engine.ID, upTo uint64) {
	c := p.of(topic)
	if c == nil {
		return
	}
	p.mu.Lock()
	c.lacking = max(c.lacking, upTo)
	p.mu.Unlock()
	within := p.node.config.Interval
	time.AfterFunc(rand.N(within), func() {
		p.node.watcher.Check(c.Channel, "what the publisher has pushed is missing, and nobody has it")
	})
}

// found takes note of what a poll has found at a channel that is left to pushes: these should have brought it.
func (p *pushes) found(ctx context.Context, w source.Job, r source.Result) error {
	c := p.pinnedTo(w)
	if c == nil || !r.Poll.Outcome.Read() {
		return nil
	}
	if err := p.forgo(ctx, c); err != nil || r.Change == nil || !p.isGood(c) {
		return err
	}
	missed := 0
	for i := range r.Change.Items {
		if r.Change.Items[i].Change == tidings.New {
			missed++
		}
	}
	if missed == 0 {
		return nil
	}
	if err := p.node.store.MissedPush(ctx, w.URL, missed); err != nil {
		return err
	}
	p.mu.Lock()
	c.Missed += int64(missed)
	p.mu.Unlock()
	p.node.coop.SetPushed(c.id, p.isGood(c))
	return nil
}

// forgo looks for published items no longer that nobody has: the feed itself was read since.
func (p *pushes) forgo(ctx context.Context, c *pinned) error {
	p.mu.Lock()
	topic, upTo := c.topic(), c.lacking
	c.lacking = 0
	p.mu.Unlock()
	if upTo == 0 {
		return nil
	}
	p.inLoop(ctx, func() { p.trees.Forgo(topic, upTo) })
	return p.node.store.SetHighestSeq(ctx, c.Channel, upTo)
}

func (p *pushes) pinnedTo(w source.Job) *pinned {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.channels[engine.ID(w.ID())]
}

// describe fills in how channels are pushed.
func (p *pushes) describe(followed []tidings.Subscription) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range followed {
		id := engine.ID(tidings.IDOf(followed[i].URL))
		c := p.channels[id]
		if c == nil {
			if _, announces := p.unprotected[id]; announces {
				followed[i].Push = &tidings.Push{State: tidings.PushUnprotected}
			}
			continue
		}
		push := &tidings.Push{
			State: c.told(), Fingerprint: c.fingerprint().String(), Since: c.Pinned, MaxSilence: c.Silence, Heard: c.Heard, Number: c.Have,
			Pushed: c.Pushed, Missed: c.Missed, Refused: c.refused,
		}
		if c.Offered != [32]byte{} {
			push.Offered, push.OfferedSince = feedtree.Fingerprint(c.Offered).String(), c.OfferedAt
		}
		followed[i].Push = push
	}
}

// counts sums up what publishers push.
func (p *pushes) counts() (sum tidings.PushCounts) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.channels {
		state := c.told()
		sum.Channels++
		if state == tidings.PushGood {
			sum.Good++
		}
		if state.Alarming() {
			sum.Alarms++
		}
		sum.Pushed, sum.Missed, sum.Refused = sum.Pushed+c.Pushed, sum.Missed+c.Missed, sum.Refused+c.refused
	}
	return sum
}

// pushBackups is how many polls a day all nodes together make, at most, at a channel whose publisher pushes
// what is new, in case it does not push everything: however many nodes there are.
const pushBackups = 1000

// maxPushBackup is the longest time between two such polls of one node.
const maxPushBackup = 30 * 24 * time.Hour

// backup is the slot of a channel whose publisher pushes what is new, from that of one which others poll.
func (p *pushes) backup(others source.Slot) source.Slot {
	const day = 24 * time.Hour
	every := min(max(day, time.Duration(p.nodes.Load())*day/pushBackups), maxPushBackup)
	return source.Slot{First: others.First, Interval: max(every, others.Interval), Regular: "a check in case its publisher has not pushed everything"}
}
