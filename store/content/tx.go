package content

import (
	"context"

	"tidings/store/db"
	"tidings/store/known"
)

// Tx is a transaction in which content changes. It is the writer's, as db.Tx is.
type Tx struct {
	*db.Tx
	// Left is what the operation leaves for other parts to do before the transaction ends.
	Left Left

	store *Store
	noted bool // the operation has noted a change of what items are known by
}

// Left is what follows in other parts from a change of content, in the order in which it came about.
type Left struct {
	Arrived  []Arrived // revisions that are new to followers
	Reworded []int64   // revisions that have other words than before
	Taken    []int64   // items of which a publisher has withdrawn the texts
	Gone     []File    // files that no item carries any more
	Versions []Version // later ones than a channel's first
}

// Version is a new version of a channel by its update's number, with the numbers of its revisions; Last is less than
// First if it has none.
type Version struct {
	ID, Channel int64
	First, Last int64
	Page        bool
	Notice      bool // it says something of the channel itself, whose content is as it was
}

// Arrived is a new revision of an item, with the one that was its latest before; 0: none.
type Arrived struct{ Channel, Revision, Before int64 }

// File is a file at an address that no item of a channel carries any more.
type File struct {
	Channel int64
	URL     string
}

// In returns a transaction as one in which content changes.
func (s *Store) In(t *db.Tx) *Tx { return &Tx{Tx: t, store: s} }

// Waiting reports whether polls that found nothing new wait to be written.
func (s *Store) Waiting() bool { return !s.waiting.empty() }

// write runs an operation that leaves nothing for other parts.
func (s *Store) write(ctx context.Context, run func(t *Tx) error) error {
	return s.db.Write(ctx, func(t *db.Tx) error { return run(s.In(t)) })
}

func arrive(t *Tx, channel, revision, before int64) {
	t.Left.Arrived = append(t.Left.Arrived, Arrived{channel, revision, before})
}

// waiting returns the poll of a channel that waits to be written, or nil. The transaction writes it; if that is undone,
// the poll waits again.
func waiting(t *Tx, url string) *Record {
	r := t.store.waiting.remove(url)
	if r != nil {
		t.OnRollback(func() { t.store.waiting.putBack(r) })
	}
	return r
}

// noteKnown notes a change in what items are known by.
func noteKnown(t *Tx, c known.Change) {
	s := t.store
	if before := len(s.changes); !t.noted {
		t.noted = true
		t.OnRollback(func() { s.changes = s.changes[:before] })
		t.OnCommit(func() {
			s.known.Apply(s.changes)
			s.changes = s.changes[:0]
		})
	}
	s.changes = append(s.changes, c)
}
