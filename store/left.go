package store

import (
	"context"

	"tidings/store/content"
	"tidings/store/db"
	"tidings/store/pushed"
	"tidings/store/reader"
	"tidings/store/search"
)

// An operation that changes content leaves something to do for other parts. It is done before the transaction ends.

func (s *Store) write(ctx context.Context, run func(t *content.Tx) error) error {
	return s.DB.Write(ctx, s.with(run))
}

func (s *Store) with(run func(t *content.Tx) error) func(*db.Tx) error {
	return func(d *db.Tx) error {
		t := s.Content.In(d)
		if err := run(t); err != nil {
			return err
		}
		return finish(t)
	}
}

// finish does in other parts what a change of content leaves to do.
func finish(t *content.Tx) error {
	for _, f := range t.Left.Gone {
		if err := pushed.ForgetFile(t.Tx, f.Channel, f.URL); err != nil {
			return err
		}
	}
	for _, r := range t.Left.Reworded {
		if err := search.Replace(t.Tx, r.Revision, r.Item); err != nil {
			return err
		}
	}
	arrived := make([]reader.Arrived, len(t.Left.Arrived))
	for i, of := range t.Left.Arrived {
		arrived[i] = reader.Arrived(of)
	}
	return reader.MakeUnread(t.Tx, arrived)
}
