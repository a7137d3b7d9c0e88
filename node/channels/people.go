package channels

import (
	"context"

	"tidings"
)

// RemovePerson removes an account with all that is kept of it. Channels without followers are no longer polled, as
// after [Channels.Unsubscribe]. A node that ends between the two finds that out at its next start.
func (c *Channels) RemovePerson(ctx context.Context, account tidings.AccountID) error {
	left, err := c.config.Store.RemovePerson(ctx, account)
	if err != nil {
		return err
	}
	selects := false
	for _, address := range left {
		if !tidings.KindOf(address).HasOrigin() {
			selects = true
			continue
		}
		c.left(address)
	}
	if selects {
		return c.config.Queries.Refresh(context.WithoutCancel(ctx))
	}
	return nil
}

// left ends the polls of a channel without followers here.
func (c *Channels) left(address string) {
	if !c.keeps(address) {
		c.config.Scheduler.Remove(address)
	}
	c.reviewed(address)
}
