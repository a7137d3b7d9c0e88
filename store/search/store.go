package search

import (
	"context"
	"fmt"
	"sync/atomic"

	"zombiezen.com/go/sqlite"

	"tidings/store/db"
)

// revisions is the sequence of the numbers that revisions have.
const revisions = "revision"

// Store is the part of the store that this package is about. Its methods may be called by many goroutines at once, but
// for those with a transaction.
type Store struct {
	db      *db.DB
	indexed int64        // up to this number it knows all revisions: the writer's alone, as the transaction under way has left it
	behind  atomic.Int64 // how many numbers of revisions it does not know, as of the last commit
}

// New returns the part of a database, which catches up from then on.
func New(ctx context.Context, d *db.DB) (*Store, error) {
	s := &Store{db: d}
	err := d.Read(ctx, func(conn *sqlite.Conn) error {
		return db.Must(db.One(conn, `SELECT upto, (SELECT last FROM sequence WHERE name = ?) FROM indexed`, func(r *sqlite.Stmt) {
			s.indexed = r.ColumnInt64(0)
			s.behind.Store(r.ColumnInt64(1) - s.indexed)
		}, revisions))
	})
	if err != nil {
		return nil, fmt.Errorf("reading what can be searched: %w", err)
	}
	d.Regularly(s.catchUpAlone())
	return s, nil
}

// Schema is what a check and a repair must know of the tables. A repair has what is lost indexed anew, little by
// little.
var Schema = db.Schema{
	Needed: []string{`SELECT upto FROM indexed`},
	Derived: []db.Derived{{ // the writer adds what it lacks little by little
		Name: "search", Of: []string{"channel"}, // which say what is searched
		Anew: []string{`INSERT INTO search (search) VALUES ('delete-all')`, `UPDATE indexed SET upto = 0`},
		Trim: []string{`DELETE FROM search WHERE rowid IN
			(SELECT d.id FROM search_docsize d WHERE NOT EXISTS (SELECT 1 FROM revision r WHERE r.id = d.id))`},
	}},
	Agreements: []db.Agreement{
		{What: "entries that search does not know", SQL: `SELECT count(*) FROM revision r JOIN channel c ON c.id = r.channel
			WHERE c.guest = 0 AND r.id <= (SELECT upto FROM indexed) AND NOT EXISTS (SELECT 1 FROM search_docsize d WHERE d.id = r.id)`},
		{What: "entries that search would know twice", SQL: `SELECT count(*) FROM search_docsize d WHERE d.id > (SELECT upto FROM indexed)`},
	},
}
