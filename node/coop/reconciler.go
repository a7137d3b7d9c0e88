package coop

import (
	"context"
	"encoding/binary"
	"time"

	"tidings/network/corona"
	"tidings/network/engine"
	"tidings/node/channels"
	"tidings/source"
)

// reconciler brings the store, the scheduler and the network to what is decided about a channel.
type reconciler struct{ *core }

// enqueue has a worker reconcile a channel. The caller holds table.mu.
func (r *reconciler) enqueue(c *channel) {
	if c.queued {
		return
	}
	c.queued = true
	r.chores.Do(func(ctx context.Context) { r.reconcile(ctx, c) })
}

// decide returns the plan for a channel as it is now, and a copy of it.
func (r *reconciler) decide(c *channel) (channels.Facts, channel) {
	r.table.mu.Lock()
	defer r.table.mu.Unlock()
	c.queued = false
	return c.facts(r.table.alone, r.params.now().Volunteers), *c
}

// reconcile brings everything to the plan for a channel.
func (r *reconciler) reconcile(ctx context.Context, c *channel) {
	defer r.table.lock(c.id)()
	facts, now := r.decide(c)
	plan := channels.Decide(facts)
	var err error
	if !facts.Alone {
		r.subscribe(ctx, c, now, plan)
		if err = r.turns.follow(ctx, c, now, plan.Turns); err != nil {
			facts.NoTurn = true
			plan = channels.Decide(facts)
		}
	}
	switch {
	case err != nil:
	case plan.Keep && !now.kept:
		var private bool
		if private, err = r.keep(ctx, c, now.version); private {
			return // it is queued again
		}
	case !plan.Keep && now.kept:
		err = r.letGo(ctx, c)
	}
	if err != nil && ctx.Err() == nil {
		r.config.Log.Error("a channel is not checked as the network wants", "channel", c.url, "error", err)
	}
	r.config.Scheduler.Change(c.url, func(job *source.Job) { r.schedule(job, now, plan) })
	r.forget(c)
}

// subscribe reports to the owners how many readers a channel has here, if the owners are to detect its changes.
func (r *reconciler) subscribe(ctx context.Context, c *channel, now channel, plan channels.Plan) {
	readers := 0
	if plan.Subscribe {
		readers = now.readers
	}
	if now.told == readers {
		return
	}
	r.InLoop(ctx, func() {
		r.corona.Subscribe(corona.Channel{ID: c.id, URL: c.url}, "", readers)
		r.table.mu.Lock()
		defer r.table.mu.Unlock()
		if c.told = readers; readers == 0 {
			c.acked = false
		}
	})
}

// keep has a channel polled for others, and kept. One that turns out to be private is not, and is reconciled again.
func (r *reconciler) keep(ctx context.Context, c *channel, version uint64) (private bool, err error) {
	if err := r.config.Store.Content.AddRelayed(ctx, c.url); err != nil {
		return false, err
	}
	w, err := r.config.Store.Content.Watch(ctx, c.url)
	if err != nil {
		return false, err
	}
	private = !CanShare(&w)
	r.table.mu.Lock()
	c.kept, c.private = true, private
	if private {
		r.enqueue(c)
	}
	r.table.mu.Unlock()
	if private {
		return true, nil
	}
	if version == 0 {
		if err := r.remember(ctx, c); err != nil {
			return false, err
		}
	}
	job := channels.JobOf(w)
	job.Next = time.Time{} // schedule says
	r.config.Scheduler.Add(job)
	return false, nil
}

// remember loads the version that the network gave a guest that is still kept.
func (r *reconciler) remember(ctx context.Context, c *channel) error {
	v, err := r.config.Store.Shared.Version(ctx, c.url)
	if err != nil {
		return err
	}
	r.table.mu.Lock()
	defer r.table.mu.Unlock()
	if v.Number > c.version {
		c.version, c.hash = v.Number, v.Hash
	}
	return nil
}

// letGo ends what keep began. A channel that is followed here goes on being polled.
func (r *reconciler) letGo(ctx context.Context, c *channel) error {
	if err := r.config.Store.Content.RemoveRelayed(ctx, c.url); err != nil {
		return err
	}
	r.table.mu.Lock()
	c.kept = false
	r.table.mu.Unlock()
	_, err := r.config.Store.Content.Watch(ctx, c.url)
	if isGone(err) {
		r.config.Scheduler.Remove(c.url)
		return nil
	}
	return err
}

// forget drops a channel of which nothing is wanted any more.
func (r *reconciler) forget(c *channel) {
	r.table.mu.Lock()
	defer r.table.mu.Unlock()
	if c.readers == 0 && c.told == 0 && !c.polled && !c.relayed && !c.kept && !c.turns && !c.queued && r.table.channels[c.id] == c {
		delete(r.table.channels, c.id)
	}
}

// schedule says when a channel is polled from now on.
func (r *reconciler) schedule(job *source.Job, c channel, plan channels.Plan) {
	job.Shared, job.Guest = plan.Shared, plan.Guest
	switch slot := r.slot(c, plan.Poll); {
	case slot == job.Slot:
		return
	case slot.IsZero():
		job.Leave(time.Now(), r.config.Interval)
	default:
		job.Follow(slot, time.Now())
	}
	if c.readers > 0 {
		r.config.Store.Content.Plan(job.URL, job.Last.Next, job.Last.NextWhy)
	}
}

// slot returns when a channel is polled; zero: once an interval, as a node without others would.
func (r *reconciler) slot(c channel, by channels.Cadence) source.Slot {
	switch by {
	case channels.Assigned:
		return c.slot
	case channels.PushBackup:
		return r.host.PushBackup(r.backup(c.id, backupEvery))
	case channels.TurnBackup:
		slot := r.backup(c.id, backupEvery)
		slot.Regular += ", if no turn of this node's comes before"
		return slot
	case channels.Backup:
		return r.backup(c.id, backupEvery)
	case channels.Doubtful:
		return r.backup(c.id, deniedEvery)
	case channels.OnRequest:
		return source.Slot{Interval: 24 * time.Hour, NotBefore: time.Unix(1<<36, 0), Regular: "no check: others check"}
	}
	return source.Slot{}
}

// backup is the slot of a channel that others poll. This node polls too, once in so many intervals, in case the network
// has missed something. Nodes do so at different times.
func (r *reconciler) backup(id engine.ID, intervals int) source.Slot {
	every := time.Duration(intervals) * max(r.config.Interval, r.params.now().Interval)
	self, _ := engine.ParseID(r.config.NodeID) // it is one
	mixed := binary.BigEndian.Uint64(self[:]) ^ binary.BigEndian.Uint64(id[:])
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
