package channels

import (
	"context"
	"time"

	"tidings"
	"tidings/source"
	"tidings/source/fetch"
	"tidings/store"
	"tidings/store/content"
)

// Change changes the settings of a followed channel, all of them or none. They are the account's own name and folder,
// and whether edits are items to it. They are the privacy class (but a credentialed channel stays so), what its origin
// is sent of its own, and its proxy. The last are the rules by which a page is read, from now on and at once.
func (c *Channels) Change(ctx context.Context, account tidings.AccountID, address string,
	change tidings.ChannelChange) error {
	return c.change(ctx, account, address, change, nil)
}

// change is Change, with the memory for the next poll by other rules; nil: what the rules leave of the present memory.
func (c *Channels) change(ctx context.Context, account tidings.AccountID, address string, change tidings.ChannelChange,
	polled *source.Job) error {
	all := store.Change{ChannelChange: change}
	if change.Privacy != nil || change.Options != nil || change.Access != nil {
		w, err := c.changeable(ctx, account, address, change)
		if err != nil {
			return err
		}
		if change.Access != nil {
			if all.NewAccess, err = c.altered(ctx, w, *change.Access); err != nil {
				return err
			}
			w.Access = *all.NewAccess
		}
		if err := staysPrivate(w, change); err != nil {
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
	if change.Privacy == nil && change.Options == nil && change.Access == nil {
		return nil
	}
	c.config.Scheduler.Change(address, func(w *source.Job) {
		if all.NewAccess != nil {
			w.Access, w.Privacy = *all.NewAccess, tidings.Credentialed
			if w.Access.IsZero() {
				w.Privacy = tidings.Unlisted
			}
			if polled == nil {
				w.Next = all.Next
				w.Memory = source.Forget(w.Memory, w.ID())
			}
		}
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

// ChangeAll changes the account's own settings of several channels, all of it or nothing. It returns how many are
// different now. Those that it does not follow are passed over.
func (c *Channels) ChangeAll(ctx context.Context, account tidings.AccountID, addresses []string,
	change tidings.ChannelChange) (int, error) {
	return c.config.Store.Reader.ChangeAll(ctx, account, addresses, change)
}

// changeable returns a channel if its privacy class and options may be changed as ordered.
func (c *Channels) changeable(ctx context.Context, account tidings.AccountID, address string,
	change tidings.ChannelChange) (w content.Watch, err error) {
	if change.Options != nil {
		if err := source.ValidateOptions(*change.Options); err != nil {
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
	if change.Options != nil && w.Kind == tidings.KindPage {
		if err := c.config.Poller.Try(ctx, w.Channel, *change.Options); err != nil {
			return w, tidings.WithHint(tidings.Invalidf("%w; the channel is read as before", err), advice(address, err))
		}
	}
	return w, nil
}

// staysPrivate refuses to make a channel more open if its origin is sent secrets of its own.
func staysPrivate(w content.Watch, change tidings.ChannelChange) error {
	if !w.Access.IsZero() && change.Privacy != nil && *change.Privacy != tidings.Credentialed {
		return tidings.Invalidf("a channel with a password, headers, cookies or a proxy stays credentialed")
	}
	return nil
}

// altered returns what the origin of a channel is sent once a change is made. Where several people use the node, no
// channel of all is changed: a person's own is.
func (c *Channels) altered(ctx context.Context, w content.Watch, change tidings.AccessChange) (*tidings.Access, error) {
	several, err := c.several(ctx)
	if err != nil {
		return nil, err
	}
	if several && !tidings.IsOwnURL(w.URL) {
		return nil, tidings.WithHint(
			tidings.Invalidf("others may follow this channel, too: its headers, cookies and proxy stay as they are"),
			"subscribe to its address again with them: that makes a channel of your own")
	}
	made, err := fetch.Alter(w.Access, change)
	return &made, err
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

// PollSoon polls a channel out of its turn because a program requests it, as far as its origin allows that. It does not
// wait for the poll.
func (c *Channels) PollSoon(address string) {
	if hasOrigin(address) == nil {
		c.config.Scheduler.Check(address, "a reader asked for it")
	}
}

// hasOrigin refuses a query or a zone: it has no origin that could be polled, or be named to other nodes.
func hasOrigin(channel string) error {
	switch kind := tidings.KindOf(channel); {
	case kind == tidings.KindPosted:
		return tidings.Invalidf("a channel of posted items has no address of its own: it gets what your programs post")
	case !kind.HasOrigin():
		return tidings.Invalidf(
			"a %s has no address of its own: items come to it as nodes find or send them, and other nodes are told its topics and no more", kind)
	}
	return nil
}
