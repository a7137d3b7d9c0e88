package servers

import (
	"cmp"
	"context"

	"tidings"
	"tidings/delivery/memory"
)

// counted is a store with results that count as memory of answers. What is read is there before it is counted, in as
// many results as the store has readers.
type counted struct{ Store }

func (c counted) Channels(ctx context.Context, account tidings.AccountID) ([]tidings.Subscription, error) {
	return counting(ctx, memory.OfChannels, func() ([]tidings.Subscription, error) {
		return c.Store.Channels(ctx, account)
	})
}

func (c counted) Updates(ctx context.Context, account tidings.AccountID,
	q tidings.UpdateQuery) ([]tidings.Update, error) {
	return counting(ctx, memory.OfUpdates, func() ([]tidings.Update, error) { return c.Store.Updates(ctx, account, q) })
}

func (c counted) Update(ctx context.Context, account tidings.AccountID, id int64) (tidings.Update, error) {
	return counting(ctx, memory.OfUpdate, func() (tidings.Update, error) { return c.Store.Update(ctx, account, id) })
}

func (c counted) Entries(ctx context.Context, account tidings.AccountID,
	q tidings.EntryQuery) ([]tidings.Entry, error) {
	return counting(ctx, memory.OfEntries, func() ([]tidings.Entry, error) { return c.Store.Entries(ctx, account, q) })
}

func (c counted) Entry(ctx context.Context, account tidings.AccountID, id int64) (tidings.Entry, error) {
	return counting(ctx, memory.OfEntry, func() (tidings.Entry, error) { return c.Store.Entry(ctx, account, id) })
}

func (c counted) State(ctx context.Context, url string, v tidings.Version) (tidings.State, error) {
	return counting(ctx, memory.OfState, func() (tidings.State, error) { return c.Store.State(ctx, url, v) })
}

// counting reads a result and counts it for the answer of ctx.
func counting[T any](ctx context.Context, size func(T) int64, read func() (T, error)) (result T, err error) {
	a := memory.Of(ctx)
	waited := a.Reading(ctx, func() {
		if result, err = read(); err == nil {
			err = a.Hold(size(result))
		}
	})
	if err = cmp.Or(waited, err); err != nil {
		return *new(T), err
	}
	return result, nil
}
