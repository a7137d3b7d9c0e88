package db

import (
	"zombiezen.com/go/sqlite"
)

// sequence is a Sequence in use. The writer alone uses it; what is noted in the file is never below what it has given.
// After a rollback the numbers given meanwhile are left out.
type sequence struct {
	Sequence
	last   int64 // given
	saved  int64 // in the file
	saving int64 // in the file, once the transaction is committed
}

// save notes what has been given; exactly so if no more will be.
func (q *sequence) save(conn *sqlite.Conn, exactly bool) error {
	upTo := q.last
	if !exactly {
		if q.last <= q.saved {
			return nil
		}
		upTo += q.Reserve
	}
	if upTo == q.saved {
		return nil
	}
	q.saving = upTo
	return Exec(conn, `UPDATE sequence SET last = ? WHERE name = ?`, upTo, q.Name)
}

// sequences are the few that there are.
type sequences []*sequence

func loadSequences(conn *sqlite.Conn, all []Sequence) (loaded sequences, err error) {
	for _, s := range all {
		q := &sequence{Sequence: s}
		if _, err := One(conn, `SELECT last FROM sequence WHERE name = ?`, func(r *sqlite.Stmt) {
			q.last = r.ColumnInt64(0)
		}, q.Name); err != nil {
			return nil, err
		}
		q.saved, q.saving = q.last, q.last
		loaded = append(loaded, q)
	}
	return loaded, nil
}

// of returns the one of a name.
func (s sequences) of(name string) *sequence {
	for _, q := range s {
		if q.Name == name {
			return q
		}
	}
	panic("db: the schema has no sequence " + name) // a mistake of the package that asks
}

func (s sequences) save(conn *sqlite.Conn, exactly bool) error {
	for _, q := range s {
		if err := q.save(conn, exactly); err != nil {
			return err
		}
	}
	return nil
}

// committed notes that what save wrote is in the file.
func (s sequences) committed() {
	for _, q := range s {
		q.saved = q.saving
	}
}

// skipNumbers leaves out backupSkip numbers of each sequence, and of each table that SQLite numbers so that no number
// is used twice. It knows those of these tables that have had a row, or that their migration entered in
// sqlite_sequence.
func skipNumbers(conn *sqlite.Conn) error {
	if err := Exec(conn, `UPDATE sequence SET last = last + ?`, backupSkip); err != nil {
		return err
	}
	numbered, err := One(conn, `SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_sequence'`, nil)
	if err != nil || !numbered {
		return err
	}
	return Exec(conn, `UPDATE sqlite_sequence SET seq = seq + ?`, backupSkip)
}
