package coop

import (
	"context"
	"fmt"

	"tidings"
	"tidings/network/corona"
	"tidings/network/engine"
)

// Held returns the latest version of the network's that is kept of a channel.
func (c *Coop) Held(id engine.ID) (version uint64, hash corona.Hash) { return c.library.Held(id) }

// Content returns the hash of the latest content that is here of a channel; zero if it is not known.
func (c *Coop) Content(id engine.ID) corona.Hash { return c.library.Content(id) }

// Take stores what an update of another node leads to, and shows it to readers, as far as they believe who vouches for it.
// Errors: tidings.ErrNotFollowed if the channel is not shared; changeset.ErrUnfit if it does not fit what is here.
func (c *Coop) Take(ctx context.Context, u *corona.Update) error { return c.library.take(ctx, u) }

// Number notes that the network has given a content that is here a number.
func (c *Coop) Number(u *corona.Update) { c.library.holds(u) }

// Lend returns what leads from a content to the latest version that is kept; nil if others know better.
func (c *Coop) Lend(ctx context.Context, id engine.ID, base corona.Hash) (*corona.Update, error) {
	return c.library.lend(ctx, id, base)
}

// Latest returns the latest content of a channel as an update without a number, which needs no other.
func (c *Coop) Latest(ctx context.Context, id engine.ID) (*corona.Update, error) {
	ch := c.table.get(id)
	if ch == nil {
		return nil, fmt.Errorf("the latest content of %s: %w", id.Short(), tidings.ErrNotFollowed)
	}
	defer c.table.lock(id)()
	hash, err := c.reporter.named(ctx, ch, true)
	if err != nil {
		return nil, err
	}
	return c.library.pack(ctx, ch, corona.Hash{}, hash)
}

// Readers returns how many accounts here follow a channel, as far as others are told of it.
func (c *Coop) Readers(id engine.ID) int {
	c.table.mu.Lock()
	defer c.table.mu.Unlock()
	if ch := c.table.channels[id]; ch != nil {
		return ch.readers
	}
	return 0
}

// Assigned reports whether the network's plan has this node poll a channel.
func (c *Coop) Assigned(id engine.ID) bool {
	c.table.mu.Lock()
	defer c.table.mu.Unlock()
	ch := c.table.channels[id]
	return ch != nil && ch.polled
}

// Library and Poller return what Corona sees of the node; their methods are called in the loop.
func (c *Coop) Library() corona.Library { return c.library }

// Poller is described with Library.
func (c *Coop) Poller() corona.Poller { return c.poller }
