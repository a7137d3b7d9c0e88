package push

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"tidings"
	"tidings/network/engine"
	"tidings/network/feedtree"
)

// listener receives FeedTree's reports.
type listener struct{ *Pushes }

// Overtaken implements feedtree.Listener.
func (p listener) Overtaken(topic engine.ID, last uint64) { p.host.Overtaken(topic, last) }

// Arrived implements feedtree.Listener.
func (p listener) Arrived(topic engine.ID, number uint64, node engine.ID) {
	p.host.Arrived(topic, number, node)
}

// Contested implements feedtree.Listener.
func (p listener) Contested(topic engine.ID) { p.host.Contested(topic) }

// Heard implements feedtree.Listener, as the methods below do.
func (p listener) Heard(topic engine.ID) {
	p.nodes.Store(int64(p.ring.Nodes()))
	p.became(topic, tidings.PushGood)
}

// Overdue notes that a publisher has not kept its promise to speak.
func (p listener) Overdue(topic engine.ID) { p.became(topic, tidings.PushOverdue) }

// Ended notes that a publisher promises nothing any more.
func (p listener) Ended(topic engine.ID) { p.became(topic, tidings.PushEnded) }

// Equivocated notes that a publisher has signed two items for one number.
func (p listener) Equivocated(topic engine.ID) {
	p.became(topic, tidings.PushDoubled)
	p.mu.Lock()
	if p.topics[topic] != nil {
		p.doubling[topic] = true
	}
	p.mu.Unlock()
	p.about(topic, func(ctx context.Context, c *pinned) error { return p.noteDoubled(ctx, c.id, topic) })
}

// Revoked notes that a publisher's key is void.
func (p listener) Revoked(topic engine.ID) {
	p.about(topic, func(ctx context.Context, c *pinned) error { return p.revoked(ctx, c) })
}

// Skipped notes that items are too old to be asked for.
func (p listener) Skipped(topic engine.ID, upTo uint64) {
	p.about(topic, func(ctx context.Context, c *pinned) error {
		return p.config.Pushed.SetHighestSeq(ctx, c.Channel, upTo)
	})
}

// Refused counts what came and was not what it should be.
func (p listener) Refused(topic engine.ID, why feedtree.Why) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if c := p.topics[topic]; c != nil && why != feedtree.Replayed {
		c.refused++
	}
}

// Banned cuts off a peer that only a liar can be.
func (p listener) Banned(peer engine.Peer, why feedtree.Why) {
	p.host.Refuse(peer, "it passed on what is "+why.Error())
}

// about has a worker do something about the channel of a topic, if it is pinned.
func (p *Pushes) about(topic engine.ID, do func(context.Context, *pinned) error) {
	if c := p.of(topic); c != nil {
		p.host.Work(func(ctx context.Context) { p.complain(ctx, c, do(ctx, c)) })
	}
}

func (p *Pushes) complain(ctx context.Context, c *pinned, err error) {
	if err != nil && ctx.Err() == nil {
		p.config.Log.Error("what became of a publisher was not noted", "channel", c.Channel, "error", err)
	}
}

// became notes how a channel is pushed, and so how it is polled from now on.
func (p *Pushes) became(topic engine.ID, state tidings.PushState) {
	p.mu.Lock()
	c := p.topics[topic]
	if c == nil || c.state == tidings.PushDoubled || !c.wanted() {
		p.mu.Unlock()
		return
	}
	c.state = state
	if state == tidings.PushGood {
		c.Heard = time.Now()
	}
	p.mu.Unlock()
	p.entrust(c.id, c)
	if state == tidings.PushGood {
		p.host.Work(func(ctx context.Context) { p.complain(ctx, c, p.config.Pushed.SetHighestSeq(ctx, c.Channel, 0)) })
	}
}

// entrust has the host leave a channel to its publisher or not. It decides and says so under one lock: of two that
// decide at a time the later one is right.
func (p *Pushes) entrust(id engine.ID, c *pinned) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.host.SetPushed(id, p.good(c))
}

// good reports whether a channel can be left to its publisher's pushes. Nil cannot, nor can one that a third party
// pushes: the origin's version holds, so the origin is asked as before. The lock is held.
func (p *Pushes) good(c *pinned) bool {
	return c != nil && p.channels[c.id] == c && c.state == tidings.PushGood && !c.ThirdParty && c.wanted() &&
		!c.unreliable()
}

// isGood reports whether a channel can be left to its publisher's pushes.
func (p *Pushes) isGood(c *pinned) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.good(c)
}

// Rotated goes on with a publisher's new key, which FeedTree follows already.
func (p listener) Rotated(e feedtree.Rotated) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.topics[e.Topic]
	if c == nil {
		return
	}
	c.Topic, c.Fingerprint, c.newest = e.Next, e.Pin, 0
	pin, doubled := c.Pin, c.state == tidings.PushDoubled
	p.topics[e.Next] = c // the old topic leads here as well, for what was said there
	p.follows[c.id] = e.Next
	p.host.Work(func(ctx context.Context) {
		p.complain(ctx, c, errors.Join(p.config.Pushed.SetPin(ctx, pin), p.setDoubled(ctx, e.Next, doubled)))
	})
}

// Fallback polls the conventional feed of a channel with items that no node has: soon, and not at all nodes at once.
func (p listener) Fallback(topic engine.ID, upTo uint64) {
	c := p.of(topic)
	if c == nil {
		return
	}
	p.mu.Lock()
	c.lacking = max(c.lacking, upTo)
	p.mu.Unlock()
	within := p.config.Interval
	time.AfterFunc(rand.N(within), func() {
		p.config.Scheduler.CheckWhole(c.Channel, "what the publisher has pushed is missing, and nobody has it")
	})
}

var _ feedtree.Listener = listener{}
