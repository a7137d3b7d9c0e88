package store

import "zombiezen.com/go/sqlite"

// reserved is how many numbers of items and revisions more than are given are noted as given, so that not every
// transaction has to write them. A crash leaves out as many at most. The number of the latest update is asked for,
// and is noted as it is.
const reserved = 256

// sequence hands out numbers that rise and are never used twice. The writer alone
// uses it; what is noted in the file is never below what it has given. After a
// rollback the numbers given meanwhile are left out.
type sequence struct {
	name    string
	reserve int64
	last    int64 // given
	saved   int64 // in the file
	saving  int64 // in the file, once the transaction is committed
}

func (q *sequence) next() int64 {
	q.last++
	return q.last
}

// take returns the first of n numbers in a row.
func (q *sequence) take(n int) int64 {
	q.last += int64(n)
	return q.last - int64(n) + 1
}

// save notes what has been given; exactly so if no more will be.
func (q *sequence) save(conn *sqlite.Conn, exactly bool) error {
	upTo := q.last
	if !exactly {
		if q.last <= q.saved {
			return nil
		}
		upTo += q.reserve
	}
	if upTo == q.saved {
		return nil
	}
	q.saving = upTo
	return exec(conn, `UPDATE sequence SET last = ? WHERE name = ?`, upTo, q.name)
}

type sequences struct{ item, revision, update sequence }

func loadSequences(conn *sqlite.Conn) (*sequences, error) {
	s := &sequences{
		item: sequence{name: "item", reserve: reserved}, revision: sequence{name: "revision", reserve: reserved},
		update: sequence{name: "update"},
	}
	for _, q := range s.all() {
		if _, err := one(conn, `SELECT last FROM sequence WHERE name = ?`, func(r *sqlite.Stmt) {
			q.last = r.ColumnInt64(0)
		}, q.name); err != nil {
			return nil, err
		}
		q.saved, q.saving = q.last, q.last
	}
	return s, nil
}

func (s *sequences) all() []*sequence { return []*sequence{&s.item, &s.revision, &s.update} }

func (s *sequences) save(conn *sqlite.Conn, exactly bool) error {
	for _, q := range s.all() {
		if err := q.save(conn, exactly); err != nil {
			return err
		}
	}
	return nil
}

// committed notes that what save wrote is in the file.
func (s *sequences) committed() {
	for _, q := range s.all() {
		q.saved = q.saving
	}
}
