package store

import (
	"context"
	"errors"
	"fmt"

	"tidings"
)

// Arrival is what brings a new version of a channel, or says that there is none: a [Record] of a poll of this node, a
// [Remote] version that another node has found, or a [Push] of its publisher.
type Arrival interface {
	url() string
	change() *tidings.Change // nil: there is nothing for readers
	// apply stores all of it within t; p is the change, prepared, or nil.
	apply(t *tx, p *prepared) (Applied, error)
}

// Applied is what became of an arrival.
type Applied struct {
	Update *tidings.Update // nil: there is nothing that a reader is told
	// Of a Push:
	Late bool   // a poll had found it, which counted it as missed
	Have uint64 // Pin.Have from then on
}

// Apply stores arrivals of one channel in their order and in one transaction: what came, the new versions, and what
// belongs to it are on the disk when it returns, or none of it is. Where one is stale because of those before it, it stops
// there and returns what became of those.
//
// Texts of items are stored as they come: whoever made a change has sanitised them. An item whose Row is no longer there
// counts as unknown.
//
// Errors: tidings.ErrNotFollowed (nobody follows the channel, and it is not polled for others; nothing is stored);
// tidings.ErrStale (the first change was compared with another version than the latest); tidings.ErrInvalid (a change
// contradicts itself); tidings.ErrNotFound (a Push to a channel that has no Pin).
func (s *Store) Apply(ctx context.Context, arrivals ...Arrival) (applied []Applied, err error) {
	if len(arrivals) == 0 {
		return nil, nil
	}
	url := arrivals[0].url()
	all := make([]*prepared, len(arrivals))
	for i, a := range arrivals {
		if f := a.change(); f != nil {
			if all[i], err = prepare(f); err != nil {
				return nil, fmt.Errorf("storing what came of %s: %w", url, err)
			}
		}
	}
	write := s.write
	if r, is := arrivals[0].(*Record); is && r.First {
		write = s.writeLater
	}
	err = write(ctx, func(t *tx) error {
		applied = nil
		for i, a := range arrivals {
			one, err := a.apply(t, all[i])
			if i > 0 && errors.Is(err, tidings.ErrStale) {
				return nil
			}
			if err != nil {
				return err
			}
			applied = append(applied, one)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("storing what came of %s: %w", url, err)
	}
	s.tellEmbargoed(all...)
	return applied, nil
}
