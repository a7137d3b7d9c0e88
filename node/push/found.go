package push

import (
	"context"

	"tidings"
	"tidings/network/engine"
	"tidings/source"
)

// Found notes what a poll has found at a channel that is left to pushes, and that these should have brought.
func (p *Pushes) Found(ctx context.Context, w source.Job, r source.Result) error {
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
	if err := p.config.Pushed.MissedPush(ctx, w.URL, missed); err != nil {
		return err
	}
	p.mu.Lock()
	c.Missed += int64(missed)
	p.mu.Unlock()
	p.entrust(c.id, c)
	return nil
}

// forgo ends the search for published items that no node has: the feed itself was read since.
func (p *Pushes) forgo(ctx context.Context, c *pinned) error {
	p.mu.Lock()
	topic, upTo := c.topic(), c.lacking
	c.lacking = 0
	p.mu.Unlock()
	if upTo == 0 {
		return nil
	}
	p.host.InLoop(ctx, func() { p.trees.Forgo(topic, upTo) })
	return p.config.Pushed.SetHighestSeq(ctx, c.Channel, upTo)
}

func (p *Pushes) pinnedTo(w source.Job) *pinned {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.channels[engine.ID(w.ID())]
}
