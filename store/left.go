package store

import (
	"context"
	"fmt"

	"tidings/store/content"
	"tidings/store/db"
	"tidings/store/fulltext"
	"tidings/store/outbox"
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
		return finish(t, s.Filters, s.Outbox)
	}
}

// finish does in other parts what a change of content leaves to do.
func finish(t *content.Tx, filters *reader.Filters, out *outbox.Store) error {
	for _, f := range t.Left.Gone {
		if err := pushed.ForgetFile(t.Tx, f.Channel, f.URL); err != nil {
			return err
		}
	}
	for _, item := range t.Left.Taken {
		if err := fulltext.Remove(t.Tx, item); err != nil {
			return err
		}
	}
	for _, revision := range t.Left.Reworded {
		if err := search.Reread(t.Tx, revision); err != nil {
			return err
		}
	}
	arrived, wanted := make([]reader.Arrived, len(t.Left.Arrived)), make([]fulltext.Arrived, len(t.Left.Arrived))
	for i, of := range t.Left.Arrived {
		arrived[i], wanted[i] = reader.Arrived(of), fulltext.Arrived(of)
	}
	if err := fulltext.Want(t.Tx, wanted); err != nil {
		return err
	}
	if err := reader.MakeUnread(t.Tx, arrived); err != nil {
		return err
	}
	readers, err := filters.Apply(t.Tx, arrived)
	if err != nil {
		return fmt.Errorf("applying filters: %w", err)
	}
	for _, v := range t.Left.Versions {
		if err := out.Enqueue(t.Tx, outbox.Version(v)); err != nil {
			return err
		}
	}
	for _, account := range readers {
		if err := out.DropRead(t.Tx, account); err != nil {
			return err
		}
	}
	return nil
}
