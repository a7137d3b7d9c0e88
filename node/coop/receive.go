package coop

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"tidings"
	"tidings/network/corona"
	"tidings/network/engine"
	"tidings/network/volunteer"
	"tidings/node/coop/sharing"
	"tidings/store"
	"tidings/store/shared"
)

// store keeps a version that another node has found, and reports that to Corona.
func (c *Coop) store(ctx context.Context, u *corona.Update) {
	err := c.receive(ctx, u)
	if err != nil && ctx.Err() == nil {
		c.config.Log.Debug("a version was not taken", "channel", u.Channel, "version", u.Version, "error", err)
	}
	c.InLoop(ctx, func() {
		if err == nil {
			c.Alter(u.Channel, func(ch *sharing.Channel) { ch.Number(u.Version, u.Hash) })
		}
		c.corona.Stored(u.Channel, u.Version, err == nil)
	})
}

// receive stores the content of an update. If its voucher is not trusted enough for readers here, this node polls
// itself, soon. Once that has found the content, only the version's number is lacking. Trust is checked only here,
// before a version is stored for readers. What this node passes on to other nodes, and the numbers it gives, do not
// depend on it.
func (c *Coop) receive(ctx context.Context, u *corona.Update) error {
	ch, unlock, err := c.kept(ctx, u.Channel)
	if err != nil {
		return err
	}
	defer unlock()
	stored, err := c.library.receive(ctx, ch, u, c.library.weigh(u))
	switch {
	case errors.Is(err, ErrDistrusted):
		by, _ := vouchedBy(u)
		c.trust.Doubt(ch.ID, u.Hash, by)
		if c.trust.MayPoll(ch.ID, c.terms().Interval/doubtsPart, time.Now()) {
			c.Work(func(context.Context) { c.config.Scheduler.CheckWhole(ch.URL, doubtWhy) })
		}
	case err == nil && stored:
		c.Alter(ch.ID, func(ch *sharing.Channel) { ch.Receive(u.Hash) })
	}
	return err
}

// kept locks a channel with content that is kept here, or is about to be, and returns it.
func (c *Coop) kept(ctx context.Context, id engine.ID) (ch sharing.Channel, unlock func(), err error) {
	ch, ok := c.Get(id)
	if ok && !c.config.Scheduler.Has(ch.URL) {
		c.reconcile(ctx, id)
	}
	unlock = c.Lock(id)
	if ch, ok = c.Get(id); !ok {
		unlock()
		return ch, nil, fmt.Errorf("taking a version: %w", tidings.ErrNotFollowed)
	}
	return ch, unlock, nil
}

// lend finds what leads from a content to the latest version that is kept.
func (c *Coop) lend(ctx context.Context, id engine.ID, base corona.Hash) (u *corona.Update) {
	ch, unlock, err := c.kept(ctx, id)
	if err == nil {
		defer unlock()
		u, err = c.library.lend(ctx, ch, base)
	}
	if err != nil && ctx.Err() == nil {
		c.config.Log.Debug("a version was not lent", "channel", id, "error", err)
	}
	return u
}

// receive stores the content of an update. Content that is here already only gets its number: this node has shown it to
// its readers when it saw it. So does what this node's own polls have left behind. stored reports whether the content
// is here since.
func (l library) receive(ctx context.Context, c sharing.Channel, u *corona.Update, w word) (stored bool, err error) {
	given := shared.Version{URL: c.URL, Number: u.Version, Hash: u.Hash}
	if c.Content == u.Hash { // which is how it is in the store, under this name
		return false, l.store.Number(ctx, given, w.seen)
	}
	now, err := l.store.Content.Content(ctx, c.URL)
	if err != nil {
		return false, err
	}
	here := now.Hash()
	passed := here == u.Hash
	if !passed && here != c.Hash { // else a content that was here has come back
		passed, err = l.store.Shared.Known(ctx, c.URL, u.Hash)
	}
	switch {
	case err != nil:
		return false, err
	case passed:
		return false, l.store.Name(ctx, c.URL, here, given, w.seen)
	case !w.trusted:
		return false, ErrDistrusted
	}
	f, err := l.unpack(ctx, c.URL, u, now.Kind)
	if err != nil {
		return false, err
	}
	f.ConfirmedBy = w.by
	if c.IsAhead(here) {
		if late, err := l.late(ctx, c, here, u, f); err != nil {
			return false, err
		} else if late && !leaveNew(f) {
			return false, l.store.Name(ctx, c.URL, here, given)
		}
	}
	_, err = l.entrance.Apply(ctx, store.Remote{Version: given, Change: f})
	return !f.Past, err
}

// receiveTurn stores what leads to a content that a volunteer has found, if it fits what is here. stored is as of
// receive.
func (l library) receiveTurn(ctx context.Context, c sharing.Channel, m *volunteer.PollReport) (stored bool, err error) {
	u := &corona.Update{
		Channel: c.ID, Base: corona.Hash(m.Base), Hash: corona.Hash(m.Hash), FoundBy: m.Finder.ID, FoundAt: m.Time,
		Modified: m.Modified, Payload: m.Payload,
	}
	now, err := l.store.Content.Content(ctx, c.URL)
	if err != nil || now.Hash() == u.Hash {
		return false, err
	}
	f, err := l.unpack(ctx, c.URL, u, now.Kind)
	if err != nil {
		return false, err
	}
	_, err = l.entrance.Apply(ctx, store.Remote{Version: shared.Version{URL: c.URL, Hash: u.Hash}, Change: f})
	return true, err
}

// late reports whether a change leads to a state that this node's own poll has seen replaced, and would undo what that
// poll has found. That happens if two changes came closely together: the number of the first comes after the poll that
// found the second. The earlier poll decides. An origin's time of the change may be a header's or an item's date, which
// do not compare. If a finder's clock is behind, or the time of finding is lost, this node's next poll finds its
// change.
func (l library) late(ctx context.Context, c sharing.Channel, here corona.Hash, u *corona.Update,
	f *tidings.Change) (bool, error) {
	if u.FoundAt <= 0 {
		return true, nil
	}
	seen := c.Seen
	if seen.IsZero() {
		own, err := l.store.DeltaFrom(ctx, c.URL, here)
		if err != nil {
			return false, err
		}
		seen = own.Found.Time
	}
	return f.Found.Before(seen), nil
}

// leaveNew leaves of a late change what is new to this node: items that were gone again when it polled. It
// returns false if there is nothing such.
func leaveNew(f *tidings.Change) bool {
	f.Past = true
	f.Items = slices.DeleteFunc(f.Items, func(i tidings.FoundItem) bool { return i.Change != tidings.New })
	return len(f.Items) > 0
}
