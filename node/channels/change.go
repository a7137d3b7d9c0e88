package channels

import (
	"context"
	"time"

	"tidings"
	"tidings/source"
	"tidings/source/page"
)

// SetOptions reads a followed page by other rules from now on, and at once.
func (c *Channels) SetOptions(ctx context.Context, account tidings.AccountID, url string, o tidings.PageOptions) error {
	if err := page.Validate(o); err != nil {
		return err
	}
	if err := hasOrigin(url); err != nil {
		return err
	}
	if _, err := c.config.Store.Channel(ctx, account, url); err != nil {
		return err
	}
	w, err := c.config.Store.Watch(ctx, url)
	if err != nil {
		return err
	}
	now := time.Now()
	if err := c.config.Store.SetOptions(ctx, url, o, source.Forget(w.Memory, w.ID()), now); err != nil {
		return err
	}
	c.config.Scheduler.Change(url, func(w *source.Job) {
		w.Options = o
		w.Memory = source.Forget(w.Memory, w.ID())
		w.Noise = nil
		w.Next = now
	})
	c.reviewed(url)
	return nil
}

// SetPrivacy gives a channel another privacy class. One with credentials stays credentialed.
func (c *Channels) SetPrivacy(ctx context.Context, account tidings.AccountID, address string, p tidings.Privacy) error {
	if err := validPrivacy(p); err != nil {
		return err
	}
	if err := hasOrigin(address); err != nil {
		return err
	}
	if _, err := c.config.Store.Channel(ctx, account, address); err != nil {
		return err
	}
	w, err := c.config.Store.Watch(ctx, address)
	if err != nil {
		return err
	}
	if w.User != "" || w.Password != "" {
		if p != tidings.Credentialed {
			return tidings.Invalidf("a channel that needs a password stays credentialed")
		}
	}
	if err := c.config.Store.SetPrivacy(ctx, address, p); err != nil {
		return err
	}
	c.config.Scheduler.Change(address, func(w *source.Job) { w.Privacy = p })
	c.reviewed(address)
	return nil
}

// PollNow polls a channel out of its turn, because a person asks.
func (c *Channels) PollNow(ctx context.Context, account tidings.AccountID, address string) (tidings.Poll, error) {
	if _, err := c.config.Store.Channel(ctx, account, address); err != nil {
		return tidings.Poll{}, err
	}
	if err := hasOrigin(address); err != nil {
		return tidings.Poll{}, err
	}
	r, err := c.config.Scheduler.Now(ctx, address, "you asked for it")
	return r.Poll, err
}

// hasOrigin refuses a query or a zone: it has no origin that could be polled, or be told to other nodes.
func hasOrigin(channel string) error {
	if kind := tidings.KindOf(channel); !kind.HasOrigin() {
		return tidings.Invalidf("a %s has no address of its own: items come to it as nodes find or send them, and other nodes are told its topics and no more", kind)
	}
	return nil
}
