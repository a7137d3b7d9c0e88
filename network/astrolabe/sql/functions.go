package sql

import (
	"errors"

	"tidings/network/astrolabe/attr"

	"zombiezen.com/go/sqlite"
)

// MaxFirst is the largest n of FIRST(n, x).
const MaxFirst = 16

// addFunctions gives a connection the functions that SQLite lacks, and those that replace its own.
func addFunctions(conn *sqlite.Conn, t *table) error {
	return errors.Join(
		aggregate(conn, "sum", 1, func() accumulator { return new(sum) }),
		aggregate(conn, "avg", 1, func() accumulator { return new(mean) }),
		aggregate(conn, "bitor", 1, func() accumulator { return new(union) }),
		aggregate(conn, "first", 2, func() accumulator { return &first{table: t} }),
		conn.CreateFunction("bit", &sqlite.FunctionImpl{NArgs: 2, Deterministic: true, Scalar: bit}),
	)
}

// accumulator is an aggregate function that is being evaluated.
type accumulator interface {
	add(args []sqlite.Value) error
	value() attr.Value
}

func aggregate(conn *sqlite.Conn, name string, args int, begin func() accumulator) error {
	return conn.CreateFunction(name, &sqlite.FunctionImpl{
		NArgs:         args,
		Deterministic: true,
		MakeAggregate: func(sqlite.Context) (sqlite.AggregateFunction, error) { return running{begin()}, nil },
	})
}

// running is an accumulator as the binding wants it. It is never used as a window function, which is refused.
type running struct{ accumulator }

func (r running) Step(_ sqlite.Context, args []sqlite.Value) error { return r.add(args) }
func (r running) WindowValue(sqlite.Context) (sqlite.Value, error) { return toSQL(r.value()), nil }
func (r running) WindowInverse(sqlite.Context, []sqlite.Value) error {
	return errors.New("no window function")
}
func (r running) Finalize(sqlite.Context) {}

type sum struct{ attr.Sum }

func (s *sum) add(args []sqlite.Value) error { s.Add(fromSQL(args[0])); return nil }
func (s *sum) value() attr.Value             { return s.Value() }

type mean struct{ attr.Sum }

func (m *mean) add(args []sqlite.Value) error { m.Add(fromSQL(args[0])); return nil }
func (m *mean) value() attr.Value             { return m.Mean() }

type union struct{ attr.Or }

func (u *union) add(args []sqlite.Value) error { u.Add(fromSQL(args[0])); return nil }
func (u *union) value() attr.Value             { return u.Value() }

// first keeps the first n values that are not NULL.
type first struct {
	table *table
	n     int64
	kept  []attr.Value
}

func (f *first) add(args []sqlite.Value) error {
	n := fromSQL(args[0])
	if n.Type != attr.Integer || n.Integer < 1 || n.Integer > MaxFirst || f.n != 0 && f.n != n.Integer {
		return f.table.fail(ErrValue, "the n of FIRST(n, x) is an Integer of 1 to 16, the same for all rows")
	}
	f.n = n.Integer
	v := fromSQL(args[1])
	if v.Type == attr.Null || len(f.kept) == int(f.n) {
		return nil
	}
	if f.n > 1 && v.Bytes == nil {
		v.Bytes = args[1].Blob() // of a number: its text
	}
	v.Bytes = append([]byte(nil), v.Bytes...) // not slices.Clone: of nothing, it keeps the pointer to SQLite's memory
	f.kept = append(f.kept, v)
	return nil
}

func (f *first) value() attr.Value {
	switch {
	case len(f.kept) == 0:
		return attr.Value{}
	case f.n == 1:
		return f.kept[0]
	}
	var list []byte
	for _, v := range f.kept {
		list = attr.AppendList(list, v.Bytes)
	}
	return attr.Bytes(list)
}

func bit(_ sqlite.Context, args []sqlite.Value) (sqlite.Value, error) {
	i := fromSQL(args[1])
	if i.Type != attr.Integer {
		return sqlite.Value{}, nil
	}
	return toSQL(attr.Bit(fromSQL(args[0]), i.Integer)), nil
}
