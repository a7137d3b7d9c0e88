package channels

import (
	"context"
	"time"
)

// embargoPatience bounds how long the node sleeps before the end of an embargo. The timers of a suspended machine stand
// still, and its clock can be set.
const embargoPatience = time.Minute

// retryEmbargo is the pause before the store is asked again after an error.
const retryEmbargo = 10 * time.Second

// ReleaseEmbargoed notifies readers of each item under embargo when the embargo ends, until ctx ends.
func (c *Channels) ReleaseEmbargoed(ctx context.Context) {
	for ctx.Err() == nil {
		released, err := c.config.Store.Release(ctx)
		if err != nil && ctx.Err() == nil {
			c.config.Log.Error("items whose embargo is over were not shown; it is tried again", "error", err)
		}
		if released {
			c.config.Entrance.Stored()
		}
		wait := embargoPatience
		due, nextErr := c.config.Store.Content.NextEmbargo(ctx)
		switch {
		case err != nil || nextErr != nil:
			wait = retryEmbargo
		case !due.IsZero():
			wait = min(wait, max(time.Until(due), 0))
		}
		var timer <-chan time.Time // nil: nothing waits
		if !due.IsZero() || err != nil || nextErr != nil {
			timer = time.After(wait)
		}
		select {
		case <-ctx.Done():
		case <-c.config.Store.Content.Embargoed():
		case <-timer:
		}
	}
}
