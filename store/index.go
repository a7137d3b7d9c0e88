package store

import (
	"cmp"
	"slices"
)

// indexed is a revision that the search index is to learn of.
type indexed struct {
	revision     int64
	title, words string
}

// index makes a revision found by its words, once the transaction is done.
//
// FTS5 gathers words in memory and writes them as one piece, but for two cases: at
// every savepoint, and whenever a number is smaller than the one before. Operations
// run in savepoints and number revisions backwards, so each word would be written
// piecemeal, which costs more than everything else a record does. Therefore the
// index learns of a whole batch at its end, in the order of the numbers.
func (t *tx) index(revision int64, title, words string) {
	t.indexed = append(t.indexed, indexed{revision, title, words})
}

func (t *tx) writeIndexed() error {
	slices.SortFunc(t.indexed, func(a, b indexed) int { return cmp.Compare(a.revision, b.revision) })
	for _, i := range t.indexed {
		if err := exec(t.Conn, `INSERT INTO search (rowid, title, body) VALUES (?, ?, ?)`, i.revision, i.title, i.words); err != nil {
			return err
		}
	}
	return nil
}
