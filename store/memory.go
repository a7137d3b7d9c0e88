package store

import (
	"context"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/db"
	"tidings/store/pushed"
	"tidings/store/search"
)

// memory is what the store knows beside the file. What is not safe for many goroutines is the writer's alone: it is as
// the transaction under way has left it, and comes back to what it was where that is undone.
type memory struct {
	touches *touches
	marks   *marks
	sweep   []*Record // polls: the rest of the sweep under way

	marked []marking // what the transaction has changed in what items are known by
	search *search.Store
}

func newMemory(d *db.DB, search *search.Store) *memory {
	return &memory{touches: newTouches(d.Wake), marks: newMarks(), search: search}
}

// tx is an operation's transaction with the memory.
type tx struct {
	*db.Tx
	*memory
	noted bool // the operation has marked something

	told      []toldOf   // what followers are to be told of
	withdrawn []goneFile // whose files are to go
}

// toldOf is a revision of an item, with the one that was its latest before; 0: none.
type toldOf struct{ channel, revision, before int64 }

// goneFile is a file at an address that no item of a channel carries any more.
type goneFile struct {
	channel int64
	url     string
}

func (t *tx) tellOf(channel, revision, before int64) {
	t.told = append(t.told, toldOf{channel, revision, before})
}

// store stores a change of a channel, and what other parts of the store have of it.
func (t *tx) store(ch *channelRow, p *prepared) (*tidings.Update, error) {
	u, err := t.record(ch, p)
	if err != nil {
		return nil, err
	}
	return u, t.follow()
}

// follow does in other parts what follows from what was stored.
func (t *tx) follow() error {
	for _, f := range t.withdrawn {
		if err := pushed.ForgetFile(t.Tx, f.channel, f.url); err != nil {
			return err
		}
	}
	err := tellAll(t.Tx, t.told)
	t.told, t.withdrawn = nil, nil
	return err
}

func (s *Store) read(ctx context.Context, query func(conn *sqlite.Conn) error) error {
	return s.DB.Read(ctx, query)
}

func (s *Store) write(ctx context.Context, run func(t *tx) error) error {
	return s.DB.Write(ctx, s.with(run))
}

func (s *Store) writeAlong(ctx context.Context, things int, run func(t *tx) error) error {
	return s.DB.WriteAlong(ctx, things, s.with(run))
}

func (s *Store) writeLater(ctx context.Context, run func(t *tx) error) error {
	return s.DB.WriteLater(ctx, s.with(run))
}

func (s *Store) with(run func(t *tx) error) func(*db.Tx) error {
	return func(t *db.Tx) error { return run(&tx{Tx: t, memory: s.memory}) }
}

// waiting returns the poll of a channel that waits to be written, or nil. The transaction writes it; if that is undone, the
// poll waits again.
func waiting(t *tx, url string) *Record {
	r := t.touches.take(url)
	if r != nil {
		t.OnRollback(func() { t.touches.putBack(r) })
	}
	return r
}

// noteMark notes a change in what items are known by.
func noteMark(t *tx, m marking) {
	if before := len(t.marked); !t.noted {
		t.noted = true
		t.OnRollback(func() { t.marked = t.marked[:before] })
		t.OnCommit(func() {
			t.marks.take(t.marked)
			t.marked = t.marked[:0]
		})
	}
	t.marked = append(t.marked, m)
}
