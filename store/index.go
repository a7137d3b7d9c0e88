package store

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/column"
	"tidings/store/db"
)

// The search index learns of revisions in batches, behind them: table indexed says up to which it knows all that
// there are, and what comes after that is read from where it is stored. So the transaction that stores a revision
// has nothing more to write, a crash forgets nothing, and whoever searches has the rest indexed first. It passes over
// guests, in which nobody searches, until somebody follows them.
//
// FTS5 gathers words in memory and writes them as one piece at every commit, at every savepoint, and whenever a
// number is smaller than the one before. A piece of few words costs more than everything else that storing an item
// does, and pieces have to be merged later.
const (
	indexDelay = 10 * time.Second // how long a revision waits on average, half of it to half more: nodes that are told the same do not all index at once
	indexChunk = 256              // revisions that one transaction indexes, so that others have their turn
	indexBytes = 1 << 20          // of texts, about, after which it indexes no more of them
	maxBehind  = 1024             // revisions that wait; beyond, whatever stores more has a chunk or more indexed as well
)

// catchUpAlone is what the writer does of it by itself.
func (m *memory) catchUpAlone() db.Work {
	return db.Work{
		Waits: func() bool { return m.behind.Load() > 0 },
		After: func() time.Duration { return indexDelay/2 + rand.N(indexDelay) },
		Do: func(d *db.Tx) (more bool, err error) {
			t := &tx{Tx: d, memory: m}
			if t.lag() == 0 {
				return false, nil
			}
			err = t.indexSome()
			return t.lag() > 0, err
		},
		Bound: func(d *db.Tx) error {
			t := &tx{Tx: d, memory: m}
			if err := t.index(maxBehind); err != nil {
				return err
			}
			if lag := t.lag(); lag != m.behind.Load() {
				t.OnCommit(func() { m.behind.Store(lag) })
			}
			return nil
		},
	}
}

// lag is how many numbers of revisions the search index does not know.
func (t *tx) lag() int64 { return t.Last(revisionNumbers) - t.indexed }

// index has the search index know all revisions, but for most at most.
func (t *tx) index(most int64) error {
	if most >= indexChunk && t.lag() > most {
		most -= indexChunk // so that a chunk is whole, and the next comes only after as many revisions
	}
	for t.lag() > most {
		if err := t.indexSome(); err != nil {
			return err
		}
	}
	return nil
}

// indexSome has the search index know some more revisions.
func (t *tx) indexSome() error {
	revisions, rest, err := t.unindexed()
	if err != nil {
		return err
	}
	if err := t.addWords(revisions); err != nil {
		return err
	}
	upTo := t.Last(revisionNumbers)
	if rest {
		upTo = revisions[len(revisions)-1].id
	}
	if err := db.Exec(t.Conn, `UPDATE indexed SET upto = ?`, upTo); err != nil {
		return err
	}
	before := t.indexed
	t.OnRollback(func() { t.indexed = before })
	t.indexed = upTo
	return nil
}

func (t *tx) addWords(revisions []indexable) error {
	for _, r := range revisions {
		if err := db.Exec(t.Conn, `INSERT INTO search (rowid, title, body) VALUES (?, ?, ?)`, r.id, r.title, r.words); err != nil {
			return err
		}
	}
	return nil
}

// indexGuest has the search index know what it has passed over of a channel that is a guest no more.
func (t *tx) indexGuest(channel int64) error {
	var revisions []indexable
	err := db.Each(t.Conn, `SELECT `+indexableColumns+`
		WHERE r.channel = ? AND r.id <= ? AND NOT EXISTS (SELECT 1 FROM search_docsize d WHERE d.id = r.id) ORDER BY r.id`,
		func(r *sqlite.Stmt) error {
			revisions = append(revisions, readIndexable(r))
			return nil
		}, channel, t.indexed)
	if err != nil {
		return err
	}
	return t.addWords(revisions)
}

// indexable is a revision with what it is found by.
type indexable struct {
	id           int64
	title, words string
}

const indexableColumns = `r.id, v.kind, v.delta, ` + itemColumns + ` FROM revision r CROSS JOIN version v ON v.id = r.version`

func readIndexable(r *sqlite.Stmt) indexable {
	item, _ := readItem(r, 3) // a text that is damaged cannot be found, which must not keep others from being stored
	found := indexable{id: r.ColumnInt64(0), title: item.Title}
	if item.ID == "" && tidings.Kind(r.ColumnText(1)) == tidings.KindPage {
		delta, _ := column.Unpack(db.ColumnBlob(r, 2))
		found.words = addedLines(delta)
	} else {
		found.words = itemWords(&item)
	}
	return found
}

// unindexed returns the first revisions that the search index does not know and should, in the order of their numbers;
// rest reports whether there may be more.
func (t *tx) unindexed() (revisions []indexable, rest bool, err error) {
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
	}, t.indexed, indexChunk)
	if errors.Is(err, errEnough) {
		err = nil
	}
	return revisions, rest || len(revisions) == indexChunk, err
}

// catchUp has the search index know all that is stored. Where that cannot be written, what is known is searched.
func (s *Store) catchUp(ctx context.Context) {
	if s.memory.behind.Load() > 0 {
		_ = s.write(ctx, func(t *tx) error { return t.index(0) }) // the writer has said why not
	}
}
