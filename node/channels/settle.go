package channels

import (
	"context"
	"errors"

	"tidings"
	"tidings/source"
	"tidings/store"
	"tidings/store/content"
)

// Settle stores what a poll gave; it is the scheduler's sink. What a reader is told of
// and what the next poll needs are stored together, so that a crash neither loses nor
// repeats an update.
func (c *Channels) Settle(ctx context.Context, w source.Job, r source.Result) error {
	if merged, err := c.becomesOne(ctx, w, r); merged || err != nil {
		return err // the other channel's own polls tell what is new
	}
	if err := c.settle(ctx, w, r); err != nil || c.config.Network == nil {
		return err
	}
	return c.config.Network.Found(ctx, w, r)
}

// settle stores what a poll gave; of a channel that is compared with what other nodes see, it tells them.
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
	if r.Ended && !w.Ended && record.Change == nil {
		record.Change = farewell(w, r)
	}
	return record
}

func isGone(err error) bool { return errors.Is(err, tidings.ErrNotFollowed) }
