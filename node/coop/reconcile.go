package coop

import (
	"context"
	"encoding/binary"
	"time"

	"tidings/network/corona"
	"tidings/network/engine"
	"tidings/node/channels"
	"tidings/node/coop/sharing"
	"tidings/source"
	"tidings/store"
	"tidings/store/shared"
)

// reconcileSoon has a worker reconcile a channel.
func (c *Coop) reconcileSoon(id engine.ID) {
	queued := true
	c.Alter(id, func(ch *sharing.Channel) { queued, ch.Queued = ch.Queued, true })
	if !queued {
		c.chores.Do(func(ctx context.Context) { c.reconcile(ctx, id) })
	}
}

// reconcileAll has workers reconcile the channels of which something holds.
func (c *Coop) reconcileAll(holds func(*sharing.Channel) bool) {
	for _, id := range c.All(holds) {
		c.reconcileSoon(id)
	}
}

// reconcile brings the network, the store and the scheduler to what is decided about a channel.
func (c *Coop) reconcile(ctx context.Context, id engine.ID) {
	defer c.Lock(id)()
	ch, ok := c.Alter(id, func(ch *sharing.Channel) { ch.Queued = false })
	if !ok {
		return
	}
	facts := ch.Facts(c.terms())
	plan := channels.Decide(facts)
	var err error
	if !facts.Alone {
		c.subscribe(ctx, ch, plan)
		if err = c.followInTurns(ctx, ch, plan.Turns); err != nil {
			facts.NoTurn = true
			plan = channels.Decide(facts)
		}
	}
	switch {
	case err != nil:
	case plan.Keep && !ch.Kept:
		var version shared.Version
		var private bool
		if version, private, err = c.keeper.keep(ctx, ch); err != nil {
			break
		}
		c.Alter(id, func(ch *sharing.Channel) {
			ch.Kept, ch.Private = true, private
			ch.Number(version.Number, version.Hash)
		})
		if private {
			c.reconcileSoon(id)
			return
		}
	case !plan.Keep && ch.Kept:
		if err = c.keeper.letGo(ctx, ch); err == nil {
			c.Alter(id, func(ch *sharing.Channel) { ch.Kept = false })
		}
	}
	if err != nil && ctx.Err() == nil {
		c.config.Log.Error("a channel is not checked as the network wants", "channel", ch.URL, "error", err)
	}
	c.keeper.schedule(ch, plan, c.keeper.slot(ch, plan.Poll, c.terms().Interval))
	c.Drop(id)
}

// subscribe reports to the owners how many readers a channel has here, if the owners are to detect its changes.
func (c *Coop) subscribe(ctx context.Context, ch sharing.Channel, plan channels.Plan) {
	readers := 0
	if plan.Subscribe {
		readers = ch.Readers
	}
	if ch.Told == readers {
		return
	}
	c.InLoop(ctx, func() {
		c.corona.Subscribe(corona.Channel{ID: ch.ID, URL: ch.URL}, "", readers)
		c.Alter(ch.ID, func(ch *sharing.Channel) { ch.Subscribed(readers) })
	})
}

// backup is the slot of a channel that others poll. This node polls too, each time after every, in case the network has
// missed something. Nodes do so at different times.
func backup(self, channel engine.ID, every time.Duration) source.Slot {
	mixed := binary.BigEndian.Uint64(self[:]) ^ binary.BigEndian.Uint64(channel[:])
	at := time.Duration(mixed % uint64(every))
	return source.Slot{First: time.Unix(0, int64(at)), Interval: every, Regular: channels.BackupWhy}
}

const (
	// backupEvery is how many intervals pass between two polls of a channel that others poll: by default, one a day.
	// Missed versions are found with each renewal of a subscription, long before.
	backupEvery = 48
	// deniedEvery is how many it is where the owners deny what this node sees. Where they do not answer, the node polls
	// as if it were alone, once an interval.
	deniedEvery = 8
)

// keeper brings the store and the scheduler to the plan of a channel.
type keeper struct {
	store     *store.Store
	scheduler *source.Scheduler
	host      Host
	self      string        // ID of this node
	interval  time.Duration // between two polls of a node without others
}

// keep has a channel polled for others, and kept, and returns the version that the network gave it when it was kept
// before. A channel that turns out to be private is not polled.
func (k keeper) keep(ctx context.Context, c sharing.Channel) (version shared.Version, private bool, err error) {
	if err := k.store.Content.AddRelayed(ctx, c.URL); err != nil {
		return version, false, err
	}
	w, err := k.store.Content.Watch(ctx, c.URL)
	if err != nil || !sharing.CanShare(&w) {
		return version, err == nil, err
	}
	if c.Version == 0 {
		if version, err = k.store.Shared.Version(ctx, c.URL); err != nil {
			return version, false, err
		}
	}
	job := channels.JobOf(w)
	job.Next = time.Time{} // schedule says
	k.scheduler.Add(job)
	return version, false, nil
}

// letGo ends what keep began. A channel that is followed here goes on being polled.
func (k keeper) letGo(ctx context.Context, c sharing.Channel) error {
	if err := k.store.Content.RemoveRelayed(ctx, c.URL); err != nil {
		return err
	}
	_, err := k.store.Content.Watch(ctx, c.URL)
	if !isGone(err) {
		return err
	}
	k.scheduler.Remove(c.URL)
	w, err := k.store.Content.Watch(ctx, c.URL) // somebody may have begun to follow it meanwhile
	if isGone(err) {
		return nil
	}
	if err == nil {
		k.scheduler.Add(channels.JobOf(w))
	}
	return err
}

// slot returns when a channel is polled, by the interval of the network; zero: once an interval, as a node without
// others would.
func (k keeper) slot(c sharing.Channel, by channels.Cadence, interval time.Duration) source.Slot {
	self, _ := engine.ParseID(k.self) // it is one
	interval = max(k.interval, interval)
	switch by {
	case channels.Assigned:
		return c.Slot
	case channels.PushBackup:
		return k.host.PushBackup(backup(self, c.ID, backupEvery*interval))
	case channels.TurnBackup:
		slot := backup(self, c.ID, backupEvery*interval)
		slot.Regular += ", if no turn of this node's comes before"
		return slot
	case channels.Backup:
		return backup(self, c.ID, backupEvery*interval)
	case channels.Doubtful:
		return backup(self, c.ID, deniedEvery*interval)
	case channels.OnRequest:
		return source.Slot{Interval: 24 * time.Hour, NotBefore: time.Unix(1<<36, 0), Regular: "no check: others check"}
	}
	return source.Slot{}
}

// schedule says when a channel is polled from now on.
func (k keeper) schedule(c sharing.Channel, plan channels.Plan, slot source.Slot) {
	k.scheduler.Change(c.URL, func(job *source.Job) {
		adopted := job.Guest && !plan.Guest && plan.Shared
		job.Shared, job.Guest = plan.Shared, plan.Guest
		switch {
		case slot == job.Slot && !adopted:
			return
		case slot.IsZero():
			job.Leave(time.Now(), k.interval)
		default:
			job.Follow(slot, time.Now())
		}
		if adopted {
			job.Adopt(time.Now())
		}
		if c.Readers > 0 {
			k.store.Content.Plan(job.URL, job.Last.Next, job.Last.NextWhy)
		}
	})
}
