package coop

import (
	"log/slog"
	"time"

	"tidings"
	"tidings/network/corona"
	"tidings/network/engine"
	"tidings/network/pastry"
	"tidings/network/volunteer"
	"tidings/node/broadcast"
	"tidings/node/coop/sharing"
	"tidings/source"
	"tidings/source/fetch"
)

// desk is what Corona sees of the node: its poller, its library and its listener. It is called in the loop and does not
// wait. It notes in the table what Corona says, and hands over the rest as orders.
type desk struct {
	*sharing.Table // also answers for Held and Content
	params

	env       engine.Env
	scheduler *source.Scheduler
	lab       bool                 // private addresses count as public
	told      *broadcast.Broadcast // rings when a primary has reported how a channel is polled
	log       *slog.Logger

	order func(any) // accepts one of the orders, and does not wait
}

// The orders. Besides there are Corona's and the volunteers' own events: what they report is to be dealt with.
type (
	reconciling engine.ID // a channel may be polled by another plan from now on
	offering    engine.ID // the network is to learn of a content that was withheld
	turning     engine.ID // a channel is to be polled: it is this node's turn
	verifying   struct {  // a channel is to be polled at once
		id      engine.ID
		patient bool // its origin wants to be left alone
	}
	lending struct { // another node lacks a content
		id    engine.ID
		base  corona.Hash
		found func(*corona.Update)
	}
	agreed struct{ before, now corona.Agreement }
)

// note changes a channel, and has it reconciled if change reports that it has to be.
func (d *desk) note(id engine.ID, change func(*sharing.Channel) bool) {
	reconcile := false
	if d.Alter(id, func(c *sharing.Channel) { reconcile = change(c) }); reconcile {
		d.order(reconciling(id))
	}
}

// add changes a channel that is shared from now on, and has it reconciled, if it is one that others may name.
func (d *desk) add(c corona.Channel, change func(*sharing.Channel)) {
	if !d.fits(c) {
		d.log.Debug("the network wants what it has no right to", "channel", c.ID, "url", c.URL)
		return
	}
	d.Add(c.URL, change)
	d.order(reconciling(c.ID))
}

// fits reports whether an address that another node has sent can be that of a public channel.
func (d *desk) fits(c corona.Channel) bool {
	return sharing.Names(c.URL) && engine.IDOf([]byte(c.URL)) == c.ID && fetch.Classify(c.URL, d.lab) == tidings.Public
}

// Poll has a channel polled when Corona says.
func (d *desk) Poll(c corona.Channel, t corona.Task) {
	now, at := time.Now().Round(0), d.env.Now()
	first := now.Add(t.First - at)
	slot := source.Slot{First: first, Interval: t.Interval, From: first, Regular: "its turn in the network's plan"}
	if t.NotBefore > at {
		slot.NotBefore = now.Add(t.NotBefore - at)
	}
	d.add(c, func(c *sharing.Channel) { c.Assign(slot) })
}

// Stop ends what Poll began.
func (d *desk) Stop(channel engine.ID) { d.note(channel, (*sharing.Channel).Unassign) }

// Verify polls a channel at once, unless its origin wants to be left alone.
func (d *desk) Verify(channel corona.Channel) {
	now := time.Now()
	c, _ := d.Alter(channel.ID, func(c *sharing.Channel) { c.Verify(now) })
	d.order(verifying{channel.ID, now.Before(c.Slot.NotBefore)})
}

// FirstPoll returns how long it may last until a channel without known content has been polled here.
func (d *desk) FirstPoll(channel engine.ID) time.Duration {
	c, ok := d.Get(channel)
	switch {
	case !ok, c.Private, c.Version != 0, c.Content != corona.Hash{}:
		return 0
	case c.Subscribes(d.terms()): // a new follower of a channel polls once
		if d.scheduler.Unseen(c.URL) {
			return pollWithin
		}
	case c.IsPolled():
		return time.Until(c.Slot.After(time.Now())) + c.Slot.Interval
	}
	return 0
}

// pollWithin is how long a poll that is waited for here may last, until it is stored, before others are asked instead.
// One that fails says so.
const pollWithin = 2 * time.Minute

// Relay keeps a channel for which this node makes versions, though it is neither polled nor followed here.
func (d *desk) Relay(c corona.Channel) {
	d.add(c, func(c *sharing.Channel) { c.Relayed = true })
}

// Release ends what Relay began.
func (d *desk) Release(channel engine.ID) { d.note(channel, (*sharing.Channel).Release) }

// Store keeps a version that another node has found.
func (d *desk) Store(u *corona.Update) { d.order(u) }

// Lend finds what leads from a content to the latest version that is kept. Where this node has seen more than that,
// others know better.
func (d *desk) Lend(channel engine.ID, base corona.Hash, found func(*corona.Update)) {
	d.order(lending{channel, base, found})
}

// Acknowledged notes that the owners of a channel know that it is followed here. From now on the network detects its
// changes.
func (d *desk) Acknowledged(e corona.Acknowledgement) {
	offer := false
	d.note(e.Channel, func(c *sharing.Channel) (changed bool) {
		changed, offer = c.Acknowledge(e.Count > 0 && !e.Refused, e.Version)
		return changed
	})
	if offer {
		d.order(offering(e.Channel))
	}
}

// Carried notes by which router a channel's updates come from now on.
func (d *desk) Carried(e corona.Carried) {
	d.Alter(e.Channel, func(c *sharing.Channel) { c.Router = e.Router })
	d.told.Ring()
}

// Suspected notes that the network does not seem to watch a channel for this node, or that it does again.
func (d *desk) Suspected(e corona.Suspected) {
	d.note(e.Channel, func(c *sharing.Channel) bool { return c.Suspect(e.Why) })
}

// Contradicted notes that the origin of a channel does not show this node what others vouch for. It counts against
// them, and what was shown here is withdrawn.
func (d *desk) Contradicted(e corona.Contradicted) { d.order(e) }

// Answered notes the answer of a primary.
func (d *desk) Answered(f corona.Fact) {
	d.Alter(f.Channel, func(c *sharing.Channel) { c.Answer(f, time.Now()) })
	d.told.Ring()
}

// Agreed notes the network's settings, and logs if they differ from those that the node was started with.
func (d *desk) Agreed(e corona.Agreed) { d.order(agreed{d.agree(e, d.log), e.Params}) }

// Disagreed notes that most others use settings that this node does not adopt.
func (d *desk) Disagreed(e corona.Disagreed) { d.refuse(e, d.log) }

// startTurns makes the node's volunteers; it is called in the loop.
func (d *desk) startTurns(env engine.Env, ring *pastry.Node, keys engine.Keys, trust Trust) *volunteer.Node {
	c, agreement := volunteer.Default(), d.Params()
	c.Interval = agreement.Interval
	v := volunteer.New(env, keys, turns{d.order, trust}, c)
	v.SetCeiling(agreement.HostCeiling, ring.Nodes)
	v.OnHeard(func(e volunteer.Heard) { d.order(e) })
	v.OnLacks(func(e volunteer.Lacks) {
		if trust.Level(e.Finder) == tidings.Distrusted { // this node must see the content for itself
			trust.Doubt(e.Channel, corona.Hash(e.Hash), e.Finder)
		}
	})
	return v
}

var (
	_ corona.Poller   = (*desk)(nil)
	_ corona.Library  = (*desk)(nil)
	_ corona.Listener = (*desk)(nil)
)
