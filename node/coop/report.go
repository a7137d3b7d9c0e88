package coop

import (
	"context"
	"errors"
	"time"

	"tidings/network/corona"
	"tidings/network/engine"
	"tidings/network/volunteer"
	"tidings/node/channels"
	"tidings/node/coop/sharing"
	"tidings/source"
	"tidings/store"
	"tidings/store/content"
	"tidings/store/shared"
)

// Prepare returns what is to be stored of a poll of a shared channel, from what is stored of any.
func (c *Coop) Prepare(job source.Job, r source.Result, record store.Record) store.Record {
	c.polls.count(job, r)
	ch, ok := c.Get(engine.ID(job.ID()))
	record.Named = record.Change != nil
	record.First = job.Version == 0 && !(ok && ch.Verifies(r.Poll.At))
	return record
}

// Report reports a poll of a shared channel to others, once its result is stored. The caller holds the channel's lock.
func (c *Coop) Report(ctx context.Context, job source.Job, r source.Result, stored channels.Stored) {
	ch, ok := c.Get(engine.ID(job.ID()))
	switch {
	case !ok:
	case stored.Overtaken:
		c.send(ch.ID, r.Poll.At, corona.PollResult{Wait: r.Wait, Interval: r.Least}, false)
	default:
		if err := c.report(ctx, ch, r, stored.Hash); err != nil && !isGone(err) {
			c.config.Log.Error("the network was not told of a check", "channel", job.URL, "error", err)
		}
	}
}

// report reports a poll to the network; name is that of what was stored, zero if nothing was.
func (c *Coop) report(ctx context.Context, ch sharing.Channel, r source.Result, name corona.Hash) (err error) {
	read := r.Poll.Outcome.Read()
	if read {
		if name == (corona.Hash{}) {
			if name, err = c.library.name(ctx, ch, r.Change != nil); err != nil {
				return err
			}
		}
		c.trust.Saw(ch.ID, name)
	}
	if ch.Turns {
		if !read {
			return nil
		}
		return c.reportTurn(ctx, ch, name)
	}
	p := sharing.Poll{Terms: c.terms(), Began: r.Poll.At, Ended: time.Now(), Read: read, Hash: name}
	if r.Change != nil {
		p.Found = r.Change.Found
		if r.Least == 0 {
			p.Brief = c.library.brief(ch, r)
		}
	}
	var told sharing.Report
	ch, _ = c.Alter(ch.ID, func(ch *sharing.Channel) { told = ch.Polled(p) })
	if told.Confirms {
		seen := content.Seen{ConfirmedBy: []string{c.config.NodeID}}
		err = c.config.Store.Number(ctx, shared.Version{URL: ch.URL, Hash: name}, seen)
	}
	if told.Whole {
		var packing error
		if told.Update, packing = c.library.pack(ctx, ch, ch.Hash, name); packing != nil {
			return errors.Join(err, packing)
		}
	}
	c.send(ch.ID, r.Poll.At, corona.PollResult{
		Hash: told.Hash, Update: told.Update, Wait: r.Wait, Interval: r.Least,
		Size: uint32(min(max(r.Poll.Bytes, 0), 1<<31)),
	}, told.First)
	return err
}

// send gives Corona a report of a poll that began at a time, if it says anything or is awaited.
func (c *Coop) send(id engine.ID, began time.Time, r corona.PollResult, awaited bool) {
	c.Alter(id, func(ch *sharing.Channel) { r.Verified = ch.Verified(began) })
	if awaited || r.Verified || r.Update != nil || r.Wait > 0 || r.Interval > 0 {
		c.Work(func(ctx context.Context) { c.InLoop(ctx, func() { c.corona.Polled(id, r) }) })
	}
}

// offer reports to the network the content here, and that it was not reported so far.
func (c *Coop) offer(ctx context.Context, id engine.ID) {
	defer c.Lock(id)()
	var u *corona.Update
	known := true
	ch, _ := c.Alter(id, func(ch *sharing.Channel) { u, known = ch.Offer() })
	if !known {
		now, err := c.config.Store.Content.Content(ctx, ch.URL)
		if err == nil && ch.IsAhead(now.Hash()) {
			u, err = c.library.pack(ctx, ch, ch.Hash, now.Hash())
		}
		if err != nil {
			c.config.Log.Debug("the network was not told of a channel", "channel", id, "error", err)
		}
	}
	if u != nil {
		c.InLoop(ctx, func() { c.corona.Polled(id, corona.PollResult{Hash: u.Hash, Update: u}) })
	}
}

// verify polls a channel at once, because Corona asks for it.
func (c *Coop) verify(ctx context.Context, v verifying) {
	const why = "another node has seen a change"
	ch, _ := c.Get(v.id)
	poll := func() bool { return !v.patient && c.config.Scheduler.CheckWhole(ch.URL, why) }
	if poll() {
		return
	}
	c.reconcile(ctx, v.id) // that it is polled may have been asked for only just now
	if poll() {
		return
	}
	if _, kept := c.Get(v.id); kept {
		c.send(v.id, time.Now(), corona.PollResult{}, false)
		return
	}
	// Nothing is kept to compare with what a poll would see.
	c.InLoop(ctx, func() { c.corona.Polled(v.id, corona.PollResult{Verified: true}) })
}

// accept has an order of the network carried out. It is called in the loop, and does not wait.
func (c *Coop) accept(order any) {
	var job func(context.Context)
	switch o := order.(type) {
	case reconciling:
		c.reconcileSoon(engine.ID(o))
	case agreed:
		c.agreed(o)
	case corona.Contradicted:
		c.contradicted(o)
	case volunteer.Heard:
		if o.Opinion != volunteer.Distrusted {
			c.polls.add(time.Now(), tally{ByOthers: 1})
		}
	case *corona.Update:
		job = func(ctx context.Context) { c.store(ctx, o) }
	case lending:
		job = func(ctx context.Context) {
			u := c.lend(ctx, o.id, o.base)
			c.InLoop(ctx, func() { o.found(u) })
		}
	case verifying:
		job = func(ctx context.Context) { c.verify(ctx, o) }
	case offering:
		job = func(ctx context.Context) { c.offer(ctx, engine.ID(o)) }
	case turning:
		if ch, ok := c.Get(engine.ID(o)); ok {
			job = func(context.Context) { c.config.Scheduler.Check(ch.URL, turnWhy) }
		}
	case *volunteer.PollReport:
		job = func(ctx context.Context) { c.storeTurn(ctx, o) }
	}
	if job != nil {
		c.Work(job)
	}
}
