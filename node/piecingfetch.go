package node

import (
	"context"
	"errors"
	"time"

	"tidings/network/pieces"
)

const (
	// maxFetching is how many contents are fetched at a time.
	maxFetching = 4
	// fetchFirst is after how long a content is tried again that nobody gave, fetchLast how long that becomes at
	// most, and fetchDays after how many days it is given up.
	fetchFirst = time.Minute
	fetchLast  = 6 * time.Hour
	fetchDays  = 7
)

// fetchSome begins to fetch what is wanted, of the latest items first, as far as fetches may be under way.
func (p *piecing) fetchSome(ctx context.Context) {
	now := time.Now()
	p.mu.Lock()
	room := maxFetching
	for _, c := range p.contents {
		if c.fetching {
			room--
		}
	}
	due := p.sorted(func(c *held) bool {
		return c.wanted && !c.whole() && !c.fetching && !c.next.After(now)
	})
	due = due[:min(len(due), max(0, room))]
	for _, c := range due {
		c.fetching = true
	}
	p.mu.Unlock()
	for _, c := range due {
		ref := c.ref
		asked := false
		p.inLoop(ctx, func() {
			asked = true
			p.pieces.Fetch(ref, nil, func(err error) { p.fetched(ref, err) })
		})
		if !asked { // the network has stopped
			return
		}
	}
}

// fetched takes note of how a fetch has ended; it is called in the loop.
func (p *piecing) fetched(ref pieces.Ref, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.contents[ref]
	if c == nil {
		return
	}
	c.fetching = false
	switch {
	case err == nil:
		c.have = c.of // it may have been here before the fetch
	case errors.Is(err, pieces.ErrTooLong), errors.Is(err, pieces.ErrShelf), time.Since(c.since) > fetchDays*24*time.Hour:
		p.giveUp(c)
	default:
		wait := min(fetchFirst<<min(c.tries, 20), fetchLast)
		c.tries++
		c.next = time.Now().Add(wait)
	}
	p.more.Ring()
}

// wants tells whether a content is wanted.
func (p *piecing) wants(ref pieces.Ref) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.contents[ref]
	return c != nil && c.wanted
}

// giveUp has a content be wanted no longer. The caller holds p.mu.
func (p *piecing) giveUp(c *held) {
	c.wanted = false
	ref := c.ref
	p.workers.Do(func(ctx context.Context) {
		if !p.wants(ref) { // or else a person has asked for it since
			p.complain(ctx, p.node.store.GiveUp(ctx, ref))
		}
	})
}
