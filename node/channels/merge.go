package channels

import (
	"context"
	"errors"

	"tidings"
	"tidings/source"
	"tidings/source/feed"
)

// becomesOne merges a channel that has moved for good to the address of another followed one into that one. So nothing
// is reported twice from then on. It may have moved there before the other was followed.
//
// A publisher's key that the channel was trusted to is not carried over. Only the other's own document can name the key
// that signs its items. Otherwise an origin that redirects to another's feed could have its own key believed there. A
// key that the other is trusted to stays.
func (c *Channels) becomesOne(ctx context.Context, w source.Job, r source.Result) (merged bool, err error) {
	if tidings.IsOwnURL(w.URL) {
		return false, nil // what the person entered it with is for this channel alone
	}
	moved := w.Moved
	if r.Moved != "" {
		moved = r.Moved
	}
	if moved == "" {
		return false, nil
	}
	to, err := feed.Canonical(moved)
	if err != nil || to == w.URL {
		return false, nil
	}
	switch other, err := c.config.Store.Content.Watch(ctx, to); {
	case errors.Is(err, tidings.ErrNotFollowed) || err == nil && other.Followers == 0:
		return false, nil
	case err != nil:
		return false, err
	}
	if merged, err = c.config.Store.Merge(ctx, w.URL, to); err != nil || !merged {
		return false, err
	}
	c.config.Log.Info("a channel has moved to the address of another, and has become one with it", "channel", w.URL,
		"to", to)
	if !c.keeps(w.URL) {
		c.config.Scheduler.Remove(w.URL)
	}
	c.reviewed(w.URL)
	c.reviewed(to)
	return true, nil
}
