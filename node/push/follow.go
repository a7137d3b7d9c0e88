package push

import (
	"context"
	"errors"
	"slices"

	"tidings"
	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/store/pushed"
)

// enqueue makes a worker bring FeedTree and the polls of a channel to the wanted state.
func (p *Pushes) enqueue(id engine.ID) {
	p.host.Work(func(ctx context.Context) {
		if err := p.reconcile(ctx, id); err != nil && ctx.Err() == nil {
			p.config.Log.Error("a channel is not followed by pushes", "channel", id, "error", err)
		}
	})
}

func (p *Pushes) reconcile(ctx context.Context, id engine.ID) error {
	defer p.host.Lock(id)()
	p.mu.Lock()
	c, follows := p.channels[id], p.follows[id]
	var want engine.ID
	var pin pushed.Pin
	if c != nil && c.wanted() {
		want, pin = c.topic(), c.Pin
	}
	p.mu.Unlock()
	p.entrust(id, c)
	if want == follows {
		return nil
	}
	if follows != (engine.ID{}) {
		p.host.InLoop(ctx, func() { p.trees.Unfollow(follows) })
		p.setFollows(id, engine.ID{})
	}
	if want == (engine.ID{}) {
		return nil
	}
	later, err := p.config.Pushed.Numbers(ctx, pin.Channel, pin.Have)
	if err != nil {
		return err
	}
	p.mu.Lock()
	c.newest = max(c.newest, pin.Have, slices.Max(append(later, 0)))
	p.mu.Unlock()
	forgiven, err := p.forgiven(ctx, want)
	if err != nil {
		return err
	}
	p.host.InLoop(ctx, func() {
		err = p.trees.Follow(feedtree.Following{
			Topic: want, Channel: id, Pin: pin.Fingerprint, Have: pin.Have, Later: later, Silence: pin.Silence,
			Window: windowOf(pin), Forgiven: forgiven,
		})
	})
	switch {
	case errors.Is(err, feedtree.ErrVoid):
		return p.revoked(ctx, c)
	case err == nil:
		p.setFollows(id, want)
	}
	return err
}

// windowOf returns how far back a channel's items are looked for. A reader that was away gets what came meanwhile, and
// a new reader what is recent.
func windowOf(pin pushed.Pin) int {
	if pin.Have == 0 {
		return 0
	}
	return feedtree.MaxWindow
}

// setFollows notes on which topic FeedTree follows a channel; the zero topic: on none.
func (p *Pushes) setFollows(id, topic engine.ID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if topic == (engine.ID{}) {
		delete(p.follows, id)
	} else {
		p.follows[id] = topic
	}
}

// Reviewed is called when the followers of a channel here, or what others may know of them, have changed.
func (p *Pushes) Reviewed(ctx context.Context, url string, shared bool) {
	id := engine.ID(tidings.IDOf(url))
	p.mu.Lock()
	c := p.channels[id]
	if c != nil {
		if !shared {
			p.remove(c)
		}
		p.enqueue(id) // what it was pinned by may have come before the host knew that it is followed: see SetPushed
	}
	p.mu.Unlock()
	if c != nil || !shared {
		return
	}
	pin, err := p.config.Pushed.PinOf(ctx, url) // from when it was followed before
	doubled := false
	if err == nil {
		doubled, err = p.isDoubled(ctx, pin.Topic)
	}
	if err != nil {
		if !errors.Is(err, tidings.ErrNotFound) {
			p.config.Log.Error("a publisher's key is not known", "channel", url, "error", err)
		}
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.add(pin, doubled)
	p.enqueue(id)
}

// of returns the channel of a topic; nil if it is not pinned.
func (p *Pushes) of(topic engine.ID) *pinned {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.topics[topic]
}
