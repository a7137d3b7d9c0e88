package channels

import (
	"context"
	"errors"

	"tidings"
	"tidings/network/engine"
	"tidings/source"
	"tidings/store"
	"tidings/store/content"
)

// RecordPoll stores what a poll gave; it is the scheduler's sink. What a reader is notified of and what the next poll
// needs are stored together. So a crash neither loses nor repeats an update.
func (c *Channels) RecordPoll(ctx context.Context, w source.Job, r source.Result) error {
	if merged, err := c.becomesOne(ctx, w, r); merged || err != nil {
		return err // the other channel's own polls report what is new
	}
	overtaken, err := c.recordPoll(ctx, w, r)
	if err != nil {
		return err
	}
	if overtaken { // what the document says besides its items, such as its publisher's key, counts all the same
		r.Change = nil
	}
	if c.config.Polled != nil {
		c.config.Polled(ctx, w, r)
	}
	if c.config.Network != nil {
		err = c.config.Network.Found(ctx, w, r)
	}
	if err == nil && overtaken {
		err = tidings.ErrStale
	}
	return err
}

// Job returns a channel as it is stored; see [source.Sink].
func (c *Channels) Job(ctx context.Context, url string) (source.Job, error) {
	w, err := c.config.Store.Content.Watch(ctx, url)
	if err != nil {
		return source.Job{}, err
	}
	return JobOf(w), nil
}

// recordPoll stores the result of a poll. If the channel is compared with what other nodes see, it reports the result
// to them. If another's finding has overtaken a change, the next poll finds that again. Of what is shared the rest of
// the result is stored.
func (c *Channels) recordPoll(ctx context.Context, w source.Job, r source.Result) (overtaken bool, err error) {
	network := c.config.Network
	if network == nil || !w.Shared && !network.Shares(w.ID()) {
		_, err := c.apply(ctx, w, recordOf(w, r))
		if overtaken = errors.Is(err, tidings.ErrStale); overtaken {
			err = nil
		}
		return overtaken, err
	}
	defer network.Lock(engine.ID(w.ID()))()
	applied, err := c.apply(ctx, w, network.Prepare(w, r, recordOf(w, r)))
	stored := Stored{applied.Hash, errors.Is(err, tidings.ErrStale)}
	if stored.Overtaken {
		r.Change, r.Memory = nil, source.Forget(r.Memory, w.ID())
		if _, err = c.apply(ctx, w, recordOf(w, r)); err == nil {
			c.config.Scheduler.Change(w.URL, func(j *source.Job) { j.Memory = source.Forget(j.Memory, j.ID()) })
		}
	}
	if err == nil {
		network.Report(ctx, w, r, stored)
	}
	return stored.Overtaken, err
}

// apply stores what is to be kept of a poll. Of a channel that was unsubscribed meanwhile nothing is.
func (c *Channels) apply(ctx context.Context, w source.Job, record store.Record) (store.Applied, error) {
	if record.Change == nil && record.Moved == nil && record.Ended == w.Ended {
		c.config.Store.Content.RecordUnchanged(record.Record)
		return store.Applied{}, nil
	}
	applied, err := c.config.Entrance.Apply(ctx, &record)
	if err != nil {
		if isGone(err) {
			err = nil
		}
		return store.Applied{}, err
	}
	return applied[0], nil
}

// recordOf returns what the store is to keep of a poll.
func recordOf(w source.Job, r source.Result) store.Record {
	record := store.Record{Record: content.Record{
		URL: w.URL, Poll: r.Poll, Health: r.Health, Failures: r.Failures, Ended: r.Ended,
		Memory: r.Memory, Noise: r.Noise, Change: r.Change,
	}}
	if r.Moved != "" {
		record.Moved = &r.Moved
	}
	switch {
	case record.Change != nil:
	case r.Ended && !w.Ended:
		record.Change = farewell(w, r)
	case beginsToFail(w, r):
		record.Change = failing(w, r)
	}
	return record
}

func isGone(err error) bool { return errors.Is(err, tidings.ErrNotFollowed) }
