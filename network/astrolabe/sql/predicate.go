package sql

import (
	"slices"

	"tidings/network/astrolabe/attr"

	"zombiezen.com/go/sqlite"
)

// Predicate is a condition over the attributes of one row. One goroutine at a time can use it.
type Predicate struct {
	compiled *compiled
	row      [1]attr.Row
}

// CompilePredicate compiles a condition, such as
//
//	premium = 1 AND load < 0.8
//
// Close it when it is not needed any more.
func CompilePredicate(text string) (*Predicate, error) {
	c, err := compile(text, "SELECT (\n", "\n) IS TRUE FROM children")
	if err != nil {
		return nil, err
	}
	if len(c.writes) != 1 {
		c.close()
		return nil, problem(ErrRefused, "more than one condition")
	}
	return &Predicate{compiled: c}, nil
}

// Reads returns which attributes of a row p depends on, sorted.
func (p *Predicate) Reads() []string { return slices.Clone(p.compiled.reads) }

// Close gives the memory of p back, which cannot be used after that.
func (p *Predicate) Close() { p.compiled.close() }

// Holds reports whether a valid row fulfils p: a condition that is NULL, as one over attributes that the row lacks may
// be, does not hold. After an error p can be used again.
func (p *Predicate) Holds(row attr.Row) (holds bool, err error) {
	p.row[0] = row
	defer clear(p.row[:])
	err = p.compiled.evaluate(p.row[:], func(query *sqlite.Stmt) { holds = query.ColumnBool(0) })
	return holds && err == nil, err
}
