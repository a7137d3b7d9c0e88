package node

import (
	"context"
	"time"
)

// embargoPatience bounds how long the node sleeps before the end of an embargo: the timers of a machine that is
// suspended stand still, and its clock can be set.
const embargoPatience = time.Minute

// release tells readers of each item that is under embargo when that is over, until ctx ends.
func (n *Node) release(ctx context.Context) {
	for ctx.Err() == nil {
		released, err := n.store.Release(ctx)
		if err != nil && ctx.Err() == nil {
			n.log.Error("items whose embargo is over were not shown; it is tried again", "error", err)
		}
		if released {
			n.wake.Ring()
		}
		wait := embargoPatience
		due, nextErr := n.store.NextEmbargo(ctx)
		switch {
		case err != nil || nextErr != nil:
			wait = keepAgain
		case !due.IsZero():
			wait = min(wait, max(time.Until(due), 0))
		}
		var timer <-chan time.Time // nil: nothing waits
		if !due.IsZero() || err != nil || nextErr != nil {
			timer = time.After(wait)
		}
		select {
		case <-ctx.Done():
		case <-n.store.Embargoed():
		case <-timer:
		}
	}
}
