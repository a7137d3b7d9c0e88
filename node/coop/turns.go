package coop

import (
	"context"
	"errors"
	"fmt"

	"tidings"
	"tidings/network/corona"
	"tidings/network/engine"
	"tidings/network/volunteer"
	"tidings/node/coop/sharing"
)

// turns is what the volunteers see of the node, if the network's settings say that followers poll in turns. It is
// called in the loop and does not wait.
type turns struct {
	order func(any) // as of desk
	trust Trust
}

// Poll has a channel polled, unless its origin wants to be left alone.
func (t turns) Poll(channel engine.ID) { t.order(turning(channel)) }

// Take keeps what another node has found. Of a channel there is one under way at a time.
func (t turns) Take(m *volunteer.PollReport) { t.order(m) }

// Opinion returns what people here think of a node that polls for them.
func (t turns) Opinion(finder engine.ID) volunteer.Opinion {
	switch t.trust.Level(finder) {
	case tidings.Preferred:
		return volunteer.Preferred
	case tidings.Distrusted:
		return volunteer.Distrusted
	}
	return volunteer.Neutral
}

var _ volunteer.Poller = turns{}

// followInTurns has a channel polled in turns, or not any more. It returns errNoTurns if there is no room for it. The
// caller holds the channel's lock.
func (c *Coop) followInTurns(ctx context.Context, ch sharing.Channel, wanted bool) (err error) {
	if wanted == ch.Turns {
		return nil
	}
	var hash corona.Hash
	if wanted {
		if hash, err = c.library.name(ctx, ch, false); err != nil {
			return fmt.Errorf("beginning to check in turns: %w", err)
		}
	}
	follows := false
	c.InLoop(ctx, func() {
		if wanted {
			follows = c.volunteers.Follow(ch.ID, corona.HostOf(ch.URL))
			c.volunteers.Holds(ch.ID, volunteer.Hash(hash))
		} else {
			c.volunteers.Unfollow(ch.ID)
		}
		c.Alter(ch.ID, func(ch *sharing.Channel) {
			if ch.Turns = follows; wanted {
				ch.Content = hash
			}
		})
	})
	if wanted && !follows {
		return errNoTurns
	}
	return nil
}

// turnWhy is what a poll is called that this node has volunteered for.
const turnWhy = "its turn among those who follow it"

// errNoTurns says that a channel is not polled in turns: there are too many, or the network has stopped.
var errNoTurns = errors.New("there is no room to check in turns")

// agreed has the node go by what the network has agreed on; it is called in the loop.
func (c *Coop) agreed(o agreed) {
	c.volunteers.SetInterval(o.now.Interval)
	c.volunteers.SetCeiling(o.now.HostCeiling, c.ring.Nodes)
	// also those that others poll: their backup polls go by the interval
	c.reconcileAll(func(ch *sharing.Channel) bool {
		return o.before.Volunteers != o.now.Volunteers || ch.Acked && !ch.Assigned
	})
}

// reportTurn reports the content that a poll has read to the others, once it is stored. The caller holds the channel's
// lock.
func (c *Coop) reportTurn(ctx context.Context, ch sharing.Channel, hash corona.Hash) error {
	found := volunteer.Found{Hash: volunteer.Hash(hash)}
	if hash != (corona.Hash{}) && hash != ch.Content {
		c.Alter(ch.ID, func(ch *sharing.Channel) { ch.Content = hash })
		u, err := c.library.pack(ctx, ch, ch.Content, hash)
		if err != nil {
			return err
		}
		found.Base, found.Modified, found.Payload = volunteer.Hash(u.Base), u.Modified, u.Payload
	}
	c.InLoop(ctx, func() { c.volunteers.Polled(ch.ID, found) })
	return nil
}

// storeTurn keeps what another node has found, and reports that to the volunteers.
func (c *Coop) storeTurn(ctx context.Context, m *volunteer.PollReport) {
	defer c.Lock(m.Channel)()
	ch, ok := c.Get(m.Channel)
	stored, err := false, fmt.Errorf("taking what was found: %w", tidings.ErrNotFollowed)
	if ok {
		stored, err = c.library.receiveTurn(ctx, ch, m)
	}
	if err == nil && stored {
		c.Alter(ch.ID, func(ch *sharing.Channel) { ch.Receive(corona.Hash(m.Hash)) })
	}
	if err != nil && ctx.Err() == nil {
		c.config.Log.Debug("what a volunteer has found was not taken", "channel", m.Channel, "finder", m.Finder.ID,
			"error", err)
	}
	c.InLoop(ctx, func() { c.volunteers.Taken(m, err == nil) })
}
