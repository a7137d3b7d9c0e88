package channels

import (
	"context"
	"errors"

	"tidings"
	"tidings/source"
	"tidings/store"
	"tidings/store/content"
)

// Settle stores what a poll gave; it is the scheduler's sink. What a reader is notified of and what the next poll needs
// are stored together. So a crash neither loses nor repeats an update.
func (c *Channels) Settle(ctx context.Context, w source.Job, r source.Result) error {
	if merged, err := c.becomesOne(ctx, w, r); merged || err != nil {
		return err // the other channel's own polls report what is new
	}
	if err := c.settle(ctx, w, r); err != nil {
		return err
	}
	if c.config.Polled != nil {
		c.config.Polled(ctx, w, r)
	}
	if c.config.Network == nil {
		return nil
	}
	return c.config.Network.Found(ctx, w, r)
}

// settle stores the result of a poll. If the channel is compared with what other nodes see, it reports the result to
// them.
func (c *Channels) settle(ctx context.Context, w source.Job, r source.Result) error {
	keep := func(r source.Result, with func(*store.Record)) error {
		record := recordOf(w, r)
		with(&record)
		return c.keep(ctx, w, r, &record)
	}
	if c.config.Network != nil && (w.Shared || c.config.Network.Shares(w.ID())) {
		return c.config.Network.Settle(ctx, w, r, keep)
	}
	return keep(r, func(*store.Record) {})
}

// keep stores what is to be kept of a poll. Of a channel that was unsubscribed meanwhile nothing is.
func (c *Channels) keep(ctx context.Context, w source.Job, r source.Result, record *store.Record) error {
	if record.Change == nil && record.Moved == nil && r.Ended == w.Ended {
		c.config.Store.Content.RecordUnchanged(record.Record)
		return nil
	}
	_, err := c.config.Entrance.Apply(ctx, record)
	if isGone(err) {
		return nil
	}
	return err
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
