package search

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/column"
	"tidings/store/db"
	"tidings/store/words"
)

// The search index learns of revisions in batches, behind them. Table indexed holds the number up to which it knows all
// revisions. Later ones are read from where they are stored. So the transaction that stores a revision has nothing more
// to write, and a crash forgets nothing. A search indexes the rest first. The index passes over guests, in which nobody
// searches, until somebody follows them.
//
// FTS5 gathers words in memory and writes them as one piece at every commit, at every savepoint, and whenever a number
// is smaller than the one before. A piece of one or two words costs more than everything else in storing an item, and
// pieces have to be merged later.
const (
	// how long a revision waits on average, half of it to half more: nodes that learn the same do not all index at once
	indexDelay = 10 * time.Second
	indexChunk = 256     // revisions that one transaction indexes, so that others have their turn
	indexBytes = 1 << 20 // of texts, about, after which it indexes no more of them
	// revisions that wait; beyond, whatever stores more has a chunk or more indexed as well
	maxBehind = 1024
)

// catchUpAlone is what the writer does of it by itself.
func (s *Store) catchUpAlone() db.Work {
	return db.Work{
		Waits: func() bool { return s.behind.Load() > 0 },
		After: func() time.Duration { return indexDelay/2 + rand.N(indexDelay) },
		Do: func(t *db.Tx) (more bool, err error) {
			if s.lag(t) == 0 {
				return false, nil
			}
			err = s.indexSome(t)
			return s.lag(t) > 0, err
		},
		Bound: func(t *db.Tx) error {
			if err := s.index(t, maxBehind); err != nil {
				return err
			}
			if lag := s.lag(t); lag != s.behind.Load() {
				t.OnCommit(func() { s.behind.Store(lag) })
			}
			return nil
		},
	}
}

// lag is how many numbers of revisions the search index does not know.
func (s *Store) lag(t *db.Tx) int64 { return t.Last(revisions) - s.indexed }

// index has the search index know all revisions, but for most at most.
func (s *Store) index(t *db.Tx, most int64) error {
	if most >= indexChunk && s.lag(t) > most {
		most -= indexChunk // so that a chunk is whole, and the next comes only after as many revisions
	}
	for s.lag(t) > most {
		if err := s.indexSome(t); err != nil {
			return err
		}
	}
	return nil
}

// indexSome has the search index know some more revisions.
func (s *Store) indexSome(t *db.Tx) error {
	found, rest, err := s.unindexed(t)
	if err != nil {
		return err
	}
	if err := addWords(t, found); err != nil {
		return err
	}
	upTo := t.Last(revisions)
	if rest {
		upTo = found[len(found)-1].id
	}
	if err := db.Exec(t.Conn, `UPDATE indexed SET upto = ?`, upTo); err != nil {
		return err
	}
	before := s.indexed
	t.OnRollback(func() { s.indexed = before })
	s.indexed = upTo
	return nil
}

func addWords(t *db.Tx, revisions []indexable) error {
	for _, r := range revisions {
		if err := db.Exec(t.Conn, `INSERT INTO search (rowid, title, body) VALUES (?, ?, ?)`, r.id, r.title,
			r.words); err != nil {
			return err
		}
	}
	return nil
}

// AddChannel has the search index know what it has passed over of a channel that is a guest no more.
func (s *Store) AddChannel(t *db.Tx, channel int64) error {
	var revisions []indexable
	err := db.Each(t.Conn, `SELECT `+indexableColumns+`
		WHERE r.channel = ? AND r.id <= ? AND NOT EXISTS (SELECT 1 FROM search_docsize d WHERE d.id = r.id) ORDER BY r.id`,
		func(r *sqlite.Stmt) error {
			revisions = append(revisions, readIndexable(r))
			return nil
		}, channel, s.indexed)
	if err != nil {
		return err
	}
	return addWords(t, revisions)
}

// indexable is a revision with what it is found by.
type indexable struct {
	id           int64
	title, words string
}

// A full text is found by the revision that was an item's latest when it was fetched.
const indexableColumns = `r.id, v.kind, v.delta, (SELECT x.content FROM full_text x WHERE x.item = r.item AND x.revision = r.id), ` +
	column.ItemColumns + ` FROM revision r CROSS JOIN version v ON v.id = r.version`

func readIndexable(r *sqlite.Stmt) indexable {
	item, _ := column.Item(r, 4) // a text that is damaged cannot be found, which must not keep others from being stored
	found := indexable{id: r.ColumnInt64(0), title: item.Title}
	if item.ID == "" && tidings.Kind(r.ColumnText(1)) == tidings.KindPage {
		delta, _ := column.Unpack(db.ColumnBlob(r, 2))
		found.words = words.Added(delta)
	} else {
		full, _ := column.Unpack(db.ColumnBlob(r, 3))
		found.words = words.Both(&item, full)
	}
	return found
}

// unindexed returns the first revisions that the search index does not know and should, in the order of their numbers;
// rest reports whether there may be more.
func (s *Store) unindexed(t *db.Tx) (revisions []indexable, rest bool, err error) {
	size := 0
	err = db.Each(t.Conn, `SELECT `+indexableColumns+` CROSS JOIN channel c ON c.id = r.channel
		WHERE r.id > ? AND c.guest = 0 ORDER BY r.id LIMIT +?`, func(r *sqlite.Stmt) error {
		found := readIndexable(r)
		revisions = append(revisions, found)
		if size += len(found.words); size > indexBytes {
			rest = true
			return errEnough
		}
		return nil
	}, s.indexed, indexChunk)
	if errors.Is(err, errEnough) {
		err = nil
	}
	return revisions, rest || len(revisions) == indexChunk, err
}

// CatchUp has the search index know all that is stored, once it is checked. Where that cannot be written, what is known
// is searched.
func (s *Store) CatchUp(ctx context.Context) {
	s.AwaitChecked(ctx)
	if s.behind.Load() > 0 {
		_ = s.db.Write(ctx, s.IndexAll) // the writer has said why not
	}
}

// AwaitChecked waits until what the index held at the start is checked, for what searches within a transaction.
func (s *Store) AwaitChecked(ctx context.Context) {
	select {
	case <-s.checked:
	case <-ctx.Done():
	}
}

// IndexAll is CatchUp within a transaction.
func (s *Store) IndexAll(t *db.Tx) error { return s.index(t, 0) }

// Behind returns how many numbers of revisions the search index does not know, as of the last commit.
func (s *Store) Behind() int64 { return s.behind.Load() }

// Reread has the search index know a revision by the words that it has now, if it knows it.
func Reread(t *db.Tx, revision int64) error {
	known, err := db.One(t.Conn, `SELECT 1 FROM search_docsize WHERE id = ?`, nil, revision)
	if err != nil || !known {
		return err
	}
	if err := db.Exec(t.Conn, `DELETE FROM search WHERE rowid = ?`, revision); err != nil {
		return err
	}
	var now []indexable
	if err := db.Each(t.Conn, `SELECT `+indexableColumns+` WHERE r.id = ?`, func(r *sqlite.Stmt) error {
		now = append(now, readIndexable(r))
		return nil
	}, revision); err != nil {
		return err
	}
	return addWords(t, now)
}

// Remove has the search index forget a revision, if it knows it.
func (s *Store) Remove(t *db.Tx, revision int64) error {
	if revision > s.indexed {
		return nil
	}
	return db.Exec(t.Conn, `DELETE FROM search WHERE rowid = ?`, revision)
}

// mergePages is how much of the search index Tidy merges: pages of it.
const mergePages = 100

// Tidy frees part of the room that removed entries still occupy in the search index. The index only notes that they are
// gone until its parts are merged.
func (s *Store) Tidy(ctx context.Context) error {
	return s.db.Write(ctx, func(t *db.Tx) error {
		return db.Exec(t.Conn, `INSERT INTO search (search, rank) VALUES ('merge', ?)`, -mergePages)
	})
}

// errEnough ends the reading of rows.
var errEnough = errors.New("enough rows")
