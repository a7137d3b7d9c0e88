package sql

import (
	"slices"

	"tidings/network/astrolabe/attr"

	"zombiezen.com/go/sqlite"
)

// Function is an aggregation function. One goroutine at a time can use it.
type Function struct {
	compiled *compiled
	sorted   []attr.Row
}

// Compile compiles an aggregation function. Close it when it is not needed any more.
func Compile(text string) (*Function, error) {
	c, err := compile(text, "", "")
	if err != nil {
		return nil, err
	}
	if err := checkNames(c.writes); err != nil {
		c.close()
		return nil, err
	}
	return &Function{compiled: c}, nil
}

// Writes returns which attributes f computes, in the order of its columns.
func (f *Function) Writes() []string { return slices.Clone(f.compiled.writes) }

// Reads returns which attributes of rows f depends on, sorted.
func (f *Function) Reads() []string { return slices.Clone(f.compiled.reads) }

// Columns returns which attributes f can produce, in the order of its text.
func (f *Function) Columns() []string { return slices.Clone(f.compiled.writes) }

// Close gives the memory of f back, which cannot be used after that.
func (f *Function) Close() { f.compiled.close() }

// Aggregate evaluates f over a table of valid rows, at most MaxRows, in any order. After an error f can be used again.
func (f *Function) Aggregate(rows []attr.Row) (attr.Row, error) {
	if len(rows) > MaxRows {
		return nil, problem(ErrLimit, "%d rows, more than %d", len(rows), MaxRows)
	}
	if !slices.IsSortedFunc(rows, attr.CompareRows) {
		f.sorted = append(f.sorted[:0], rows...)
		slices.SortFunc(f.sorted, attr.CompareRows)
		defer clear(f.sorted)
		rows = f.sorted
	}
	var result attr.Row
	err := f.compiled.evaluate(rows, func(query *sqlite.Stmt) {
		attributes := make([]attr.Attribute, len(f.compiled.writes))
		for i, name := range f.compiled.writes {
			attributes[i] = attr.Attribute{Name: name, Value: column(query, i)}
		}
		result = attr.Of(attributes...)
	})
	if err != nil {
		return nil, err
	}
	if err := result.Validate(); err != nil {
		return nil, problem(ErrResult, "%v", err)
	}
	return result, nil
}

// evaluate runs the program over rows and hands the one row of its result, if there is one, to got.
func (c *compiled) evaluate(rows []attr.Row, got func(*sqlite.Stmt)) error {
	if steps := c.length * (len(rows) + 1); steps > MaxSteps {
		return problem(ErrLimit, "%d instructions for %d rows", c.length, len(rows))
	}
	c.table.give(rows)
	defer c.table.give(nil)
	defer c.query.Reset()
	more, err := c.step()
	if err != nil || !more {
		return err
	}
	got(c.query)
	if more, err = c.step(); more {
		return problem(ErrResult, "more than one row")
	}
	return err
}

func (c *compiled) step() (more bool, err error) {
	more, err = c.query.Step()
	switch {
	case c.table.failure != nil:
		return false, c.table.failure
	case err != nil:
		return false, failed(err)
	}
	return more, nil
}

// column returns a copy of a column of the result.
func column(query *sqlite.Stmt, i int) attr.Value {
	switch query.ColumnType(i) {
	case sqlite.TypeInteger:
		return attr.Int(query.ColumnInt64(i))
	case sqlite.TypeFloat:
		return attr.Float(query.ColumnFloat(i))
	case sqlite.TypeText:
		return attr.String(query.ColumnText(i))
	case sqlite.TypeBlob:
		b := make([]byte, query.ColumnLen(i))
		query.ColumnBytes(i, b)
		return attr.Bytes(b)
	}
	return attr.Value{}
}
