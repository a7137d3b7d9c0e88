package sql

import (
	"slices"
	"strings"
	"unicode/utf8"

	"tidings/network/astrolabe/attr"

	"zombiezen.com/go/sqlite"
)

// compiled is a text that has been found harmless, with the sandbox in which it is evaluated.
type compiled struct {
	conn   *sqlite.Conn
	query  *sqlite.Stmt
	table  *table
	length int      // of the program
	reads  []string // attributes, sorted
	writes []string // names of the result's columns, in their order
}

// compile compiles a text that stands in a query.
func compile(text, before, after string) (*compiled, error) {
	switch {
	case len(text) > MaxText:
		return nil, problem(ErrLimit, "a text of %d bytes, more than %d", len(text), MaxText)
	case !utf8.ValidString(text) || strings.Contains(text, "\x00"):
		return nil, problem(ErrSyntax, "a text that is not UTF-8 without zeros")
	}
	table, err := newTable(text)
	if err != nil {
		return nil, err
	}
	guard := new(guard)
	conn, err := open(table, guard)
	if err != nil {
		return nil, err
	}
	c := &compiled{conn: conn, table: table}
	if err := c.prepare(text, before, after, guard); err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

func (c *compiled) prepare(text, before, after string, guard *guard) error {
	query := before + text + after
	stmt, trailing, err := c.conn.PrepareTransient(query)
	c.query = stmt
	if guard.refused != "" {
		return refused(text, guard.refused)
	}
	if err != nil {
		return syntax(err, len(before))
	}
	switch {
	case strings.TrimSpace(query[len(query)-trailing:]) != "":
		return &Error{ErrRefused, "a second statement", len(query) - trailing - len(before)}
	case guard.selects == 0:
		return problem(ErrRefused, "no SELECT")
	case stmt.BindParamCount() > 0:
		return problem(ErrRefused, "a parameter")
	}
	c.reads = slices.Sorted(slices.Values(guard.reads))
	for i := range stmt.ColumnCount() {
		c.writes = append(c.writes, stmt.ColumnName(i))
	}
	guard.selects = 0
	c.length, c.table.sorters, err = check(c.conn, query[:len(query)-trailing], text)
	return err
}

// close gives the memory of the sandbox back.
func (c *compiled) close() {
	if c.query != nil {
		c.query.Finalize()
	}
	c.conn.Close()
}

// checkNames returns what is wrong with the names of a result's columns. Of two columns with one name the first has
// none here.
func checkNames(names []string) error {
	if len(names) > attr.MaxAttributes {
		return problem(ErrLimit, "%d columns, more than %d", len(names), attr.MaxAttributes)
	}
	for i, name := range names {
		if !attr.ValidName(name) {
			return problem(ErrResult, "column %d has the name %q, or shares its name", i+1, name)
		}
	}
	return nil
}
