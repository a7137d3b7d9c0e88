package store

import "zombiezen.com/go/sqlite"

// sequence hands out numbers that rise and are never used twice. The writer alone
// uses it; what it has given is stored with the transaction that uses it. After a
// rollback the numbers given meanwhile are left out.
type sequence struct {
	name        string
	last, saved int64
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

func (q *sequence) save(conn *sqlite.Conn) error {
	if q.last == q.saved {
		return nil
	}
	return exec(conn, `UPDATE sequence SET last = ? WHERE name = ?`, q.last, q.name)
}

type sequences struct{ item, revision, update sequence }

func loadSequences(conn *sqlite.Conn) (*sequences, error) {
	s := &sequences{item: sequence{name: "item"}, revision: sequence{name: "revision"}, update: sequence{name: "update"}}
	for _, q := range s.all() {
		if _, err := one(conn, `SELECT last FROM sequence WHERE name = ?`, func(r *sqlite.Stmt) {
			q.last = r.ColumnInt64(0)
		}, q.name); err != nil {
			return nil, err
		}
		q.saved = q.last
	}
	return s, nil
}

func (s *sequences) all() []*sequence { return []*sequence{&s.item, &s.revision, &s.update} }

func (s *sequences) save(conn *sqlite.Conn) error {
	for _, q := range s.all() {
		if err := q.save(conn); err != nil {
			return err
		}
	}
	return nil
}

// committed notes that what save wrote is in the file.
func (s *sequences) committed() {
	for _, q := range s.all() {
		q.saved = q.last
	}
}
