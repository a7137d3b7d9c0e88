package search

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"

	"zombiezen.com/go/sqlite"

	"tidings/store/db"
)

// revisions is the sequence of the numbers that revisions have.
const revisions = "revision"

// Store is the part of the store that this package is about. Its methods may be called by many goroutines at once, but
// for those with a transaction.
type Store struct {
	db  *db.DB
	log *slog.Logger
	// up to this number it knows all revisions: the writer's alone, as the transaction under way has left it
	indexed int64
	behind  atomic.Int64  // how many numbers of revisions it does not know, as of the last commit
	checked chan struct{} // closed: what the index held at the start agrees, or is made anew
}

// New returns the part of a database, which is checked and catches up from then on.
func New(ctx context.Context, d *db.DB, log *slog.Logger) (*Store, error) {
	s := &Store{db: d, log: log, checked: make(chan struct{})}
	err := d.Read(ctx, func(conn *sqlite.Conn) error {
		return db.Must(db.One(conn, `SELECT upto, (SELECT last FROM sequence WHERE name = ?) FROM indexed`,
			func(r *sqlite.Stmt) {
				s.indexed = r.ColumnInt64(0)
				s.behind.Store(r.ColumnInt64(1) - s.indexed)
			}, revisions))
	})
	if err != nil {
		return nil, fmt.Errorf("reading what can be searched: %w", err)
	}
	d.Regularly(s.catchUpAlone())
	d.Background(s.check)
	return s, nil
}

// check has the index made anew if what it holds does not agree: it then begins with nothing, and catches up.
func (s *Store) check(ctx context.Context) {
	defer close(s.checked)
	switch err := s.db.CheckVirtual(ctx, "search"); {
	case errors.Is(err, db.ErrDamaged):
		s.log.Error("the index of words is damaged and is made anew", "error", err)
		if err := s.db.Write(ctx, s.beginAnew); err != nil {
			s.log.Error("the index of words was not made anew; the next start tries again", "error", err)
		}
	case err != nil && ctx.Err() == nil:
		s.log.Warn("the index of words was not checked", "error", err)
	}
}

// beginAnew empties the index.
func (s *Store) beginAnew(t *db.Tx) error {
	for _, sql := range anew {
		if err := db.Exec(t.Conn, sql); err != nil {
			return err
		}
	}
	before := s.indexed
	t.OnRollback(func() { s.indexed = before })
	s.indexed = 0
	return nil
}

// anew are the statements that empty the index.
var anew = []string{`INSERT INTO search (search) VALUES ('delete-all')`, `UPDATE indexed SET upto = 0`}

// Schema is what a check and a repair must know of the tables. A repair has what is lost indexed anew, little by
// little.
var Schema = db.Schema{
	Needed: []string{`SELECT upto FROM indexed`},
	Derived: []db.Derived{{ // the writer adds what it lacks little by little
		Name: "search", Of: []string{"channel"}, // which say what is searched
		Anew: anew,
		Trim: []string{`DELETE FROM search WHERE rowid IN
			(SELECT d.id FROM search_docsize d WHERE NOT EXISTS (SELECT 1 FROM revision r WHERE r.id = d.id))`},
	}},
	Agreements: []db.Agreement{
		{What: "entries that search does not know",
			SQL: `SELECT count(*) FROM revision r JOIN channel c ON c.id = r.channel
			WHERE c.guest = 0 AND r.id <= (SELECT upto FROM indexed) AND NOT EXISTS (SELECT 1 FROM search_docsize d
			WHERE d.id = r.id)`},
		{What: "entries that search would know twice",
			SQL: `SELECT count(*) FROM search_docsize d WHERE d.id > (SELECT upto FROM indexed)`},
	},
}
