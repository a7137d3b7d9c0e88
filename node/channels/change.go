package channels

import (
	"context"
	"time"

	"tidings"
	"tidings/source"
	"tidings/source/page"
	"tidings/store"
	"tidings/store/content"
)

// Change changes what is said of a followed channel, all of it or nothing: the account's own name and folder; the privacy class,
// but one with credentials stays credentialed; and by what rules a page is read from now on, and at once.
func (c *Channels) Change(ctx context.Context, account tidings.AccountID, address string, change tidings.ChannelChange) error {
	return c.change(ctx, account, address, change, nil)
}

// change is Change, with what the next poll by other rules is to remember; nil: what the rules leave of what is remembered.
func (c *Channels) change(ctx context.Context, account tidings.AccountID, address string, change tidings.ChannelChange, polled *source.Job) error {
	all := store.Change{ChannelChange: change}
	if change.Privacy != nil || change.Options != nil {
		w, err := c.changeable(ctx, account, address, change)
		if err != nil {
			return err
		}
		all.Memory, all.Next = source.Forget(w.Memory, w.ID()), time.Now()
	}
	if polled != nil {
		all.Memory, all.Next = polled.Memory, polled.Next
	}
	if err := c.config.Store.Change(ctx, account, address, all); err != nil {
		return err
	}
	if change.Privacy == nil && change.Options == nil {
		return nil
	}
	c.config.Scheduler.Change(address, func(w *source.Job) {
		if change.Privacy != nil {
			w.Privacy = *change.Privacy
		}
		if change.Options != nil && polled == nil {
			w.Options, w.Noise, w.Next = *change.Options, nil, all.Next
			w.Memory = source.Forget(w.Memory, w.ID())
		}
	})
	c.reviewed(address)
	return nil
}

// changeable returns a channel whose privacy class and options may become what is wished.
func (c *Channels) changeable(ctx context.Context, account tidings.AccountID, address string, change tidings.ChannelChange) (w content.Watch, err error) {
	if change.Options != nil {
		if err := page.Validate(*change.Options); err != nil {
			return w, err
		}
	}
	if change.Privacy != nil {
		if err := validPrivacy(*change.Privacy); err != nil {
			return w, err
		}
	}
	if err := hasOrigin(address); err != nil {
		return w, err
	}
	if _, err := c.config.Store.Channel(ctx, account, address); err != nil {
		return w, err
	}
	if w, err = c.config.Store.Content.Watch(ctx, address); err != nil {
		return w, err
	}
	if (w.User != "" || w.Password != "") && change.Privacy != nil && *change.Privacy != tidings.Credentialed {
		return w, tidings.Invalidf("a channel that needs a password stays credentialed")
	}
	return w, nil
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

// PollSoon polls a channel out of its turn because a program asks, as far as its origin allows that, and does not wait for it.
func (c *Channels) PollSoon(address string) {
	if hasOrigin(address) == nil {
		c.config.Scheduler.Check(address, "a reader asked for it")
	}
}

// hasOrigin refuses a query or a zone: it has no origin that could be polled, or be told to other nodes.
func hasOrigin(channel string) error {
	if kind := tidings.KindOf(channel); !kind.HasOrigin() {
		return tidings.Invalidf("a %s has no address of its own: items come to it as nodes find or send them, and other nodes are told its topics and no more", kind)
	}
	return nil
}
