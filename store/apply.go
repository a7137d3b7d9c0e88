package store

import (
	"context"
	"errors"
	"fmt"

	"tidings"
	"tidings/store/content"
	"tidings/store/shared"
)

// Arrival is what brings a new version of a channel, or says that there is none: a [Record] of a poll of this node, a
// [Remote] version that another node has found, a [Push] of its publisher, or a [Withdrawal].
type Arrival interface {
	url() string
	change() *tidings.Change // nil: there is nothing for readers
	// apply stores all of it within t; p is the change, prepared, or nil.
	apply(t *content.Tx, p *content.Prepared) (Applied, error)
}

// Applied is what became of an arrival.
type Applied struct {
	Update *tidings.Update // nil: there is nothing to notify readers of
	Hash   shared.Hash     // of a Record that is Named: of the content that is there now; zero: there is none
	// Of a Push:
	Late bool   // a poll had found it, which counted it as missed
	Have uint64 // Pin.Have from then on
}

// Apply stores arrivals of one channel in their order and in one transaction. When it returns, the arrivals, the new
// versions, and what belongs to them are all on the disk, or nothing is. If an arrival is stale because of those before
// it, Apply stops there and returns the results of those.
//
// Texts of items are stored unchanged: the maker of a change has sanitised them. An item whose Row is no longer there
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
	all := make([]*content.Prepared, len(arrivals))
	for i, a := range arrivals {
		if f := a.change(); f != nil {
			if all[i], err = content.Prepare(f); err != nil {
				return nil, fmt.Errorf("storing what came of %s: %w", url, err)
			}
		}
	}
	write := s.DB.Write
	if r, is := arrivals[0].(*Record); is && r.First {
		write = s.DB.WriteLater
	}
	err = write(ctx, s.with(func(t *content.Tx) error {
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
	}))
	if err != nil {
		return nil, fmt.Errorf("storing what came of %s: %w", url, err)
	}
	return applied, nil
}

// Record is what one poll of a channel leaves behind, with what is only of use where it changes something.
type Record struct {
	content.Record

	// Named says that the content that the change leaves is found again by its hash, as by Store.Name.
	Named bool
	// First says that it is the first poll of a channel, and that nobody waits for what it found: it is
	// written along with other things.
	First bool
}

func (r *Record) url() string             { return r.URL }
func (r *Record) change() *tidings.Change { return r.Change }

func (r *Record) apply(t *content.Tx, p *content.Prepared) (applied Applied, err error) {
	if applied.Update, err = content.Poll(t, &r.Record, p); err != nil || p == nil {
		return applied, err
	}
	if r.Named {
		now, left, err := content.Recorded(t, r.URL, p)
		if err != nil {
			return applied, err
		}
		applied.Hash = left.Hash()
		if err := name(t, &now, applied.Hash); err != nil {
			return applied, err
		}
		if u := applied.Update; u != nil && applied.Hash != (shared.Hash{}) {
			if err := content.SetHash(t, u.ID, applied.Hash); err != nil {
				return applied, err
			}
		}
	}
	return applied, content.Restore(t, r.URL, p)
}
