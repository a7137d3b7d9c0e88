// Package salvage reads the rows of a damaged table one by one, and puts the intact ones into a new table in its place.
// The tree of the old one is left behind, because where its damaged pages lead cannot be known.
package salvage

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// Table says how the rows of a table are found and known again.
type Table struct {
	Name string
	Key  []string // columns that name a row
	// a query for the keys of all rows that reads an index alone; empty: the table itself lists those that it can
	Keys string
	// columns that hold text, among them one that no two rows share or that is lost for nothing where it is empty
	Text []int
}

// Row is the columns of a row, in the table's order; or of its key.
type Row []any

// Source is a database with damaged pages, by two connections: Loose reads them as they are, Verified only those that
// have no row of a table but lead to some.
type Source struct {
	Loose, Verified *sqlite.Conn
	Damaged         []uint64 // numbers of the table's pages that are damaged
}

// ErrKeys says that the keys of a table cannot be read.
var ErrKeys = errors.New("its keys cannot be read")

// minLocal is how much of a row at least stands in the page of its tree, for pages of 4096 bytes:
// sqlite.org/fileformat2.html, cell payload overflow pages. A longer row may go on in another page.
const minLocal = 480

// Read returns the rows that are as they were written, and the keys of the others. The key of a row that no index names
// and that stands where the table cannot be listed is empty; it may be that of many.
func (s Source) Read(t Table) (kept, lost []Row, err error) {
	keys, err := s.keys(t)
	if err != nil {
		return nil, nil, err
	}
	pages, err := s.pages()
	if err != nil {
		return nil, nil, err
	}
	get := fmt.Sprintf(`SELECT * FROM %s NOT INDEXED WHERE (%s) = (%s)`, t.Name, strings.Join(t.Key, ", "),
		strings.TrimSuffix(strings.Repeat("?, ", len(t.Key)), ", "))
	for _, key := range keys {
		row, err := oneRow(s.Verified, get, key)
		if err == nil && row == nil { // by a tree of which a page is damaged that has rows
			row, err = oneRow(s.Loose, get, key)
			if row != nil && !t.elsewhere(row, pages) {
				row = nil
			}
		}
		switch {
		case err != nil:
			return nil, nil, err
		case row == nil:
			lost = append(lost, key)
		default:
			kept = append(kept, row)
		}
	}
	return kept, lost, nil
}

// elsewhere reports whether a row stands in none of some pages.
func (t Table) elsewhere(row Row, pages [][]byte) bool {
	var text string
	for _, column := range t.Text {
		value, ok := row[column].(string)
		if !ok {
			return false
		}
		text += value
	}
	return text != "" && len(text) < minLocal &&
		!slices.ContainsFunc(pages, func(page []byte) bool { return bytes.Contains(page, []byte(text)) })
}

// keys returns the keys of all rows, as far as they are listed.
func (s Source) keys(t Table) (all []Row, err error) {
	if t.Keys != "" {
		if all, err = rows(s.Verified, t.Keys); isDamage(err) {
			return nil, fmt.Errorf("%w: %w", ErrKeys, err)
		}
		return all, err
	}
	columns := strings.Join(t.Key, ", ")
	seen, cut := make(map[string]bool), false
	for _, direction := range []string{"ASC", "DESC"} { // each up to what is damaged
		some, err := rows(s.Loose, fmt.Sprintf(`SELECT %s FROM %s NOT INDEXED ORDER BY %s %s`, columns, t.Name, columns,
			direction))
		if err != nil && !isDamage(err) {
			return nil, err
		}
		cut = cut || err != nil
		for _, key := range some {
			if name := fmt.Sprint(key...); !seen[name] {
				seen[name] = true
				all = append(all, key)
			}
		}
	}
	if cut {
		all = append(all, make(Row, len(t.Key)))
	}
	return all, nil
}

// pages returns the damaged pages as they are.
func (s Source) pages() (all [][]byte, err error) {
	for _, number := range s.Damaged {
		some, err := rows(s.Loose, `SELECT data FROM sqlite_dbpage WHERE pgno = ?`, int64(number))
		if err != nil {
			return nil, err
		}
		for _, row := range some {
			if page, ok := row[0].([]byte); ok {
				all = append(all, page)
			}
		}
	}
	return all, nil
}

// LeftBehind is a table that is there from when Replace has left pages behind until they are gone.
const LeftBehind = "left_behind"

// HasLeft reports whether Replace has left pages behind.
func HasLeft(conn *sqlite.Conn) (bool, error) {
	found, err := rows(conn, `SELECT 1 FROM sqlite_schema WHERE name = ?`, LeftBehind)
	return len(found) > 0, err
}

// Replace makes a table and its indexes anew with the given rows. It is called within a transaction. Pages of the old
// table remain that nothing refers to, until a VACUUM; then LeftBehind is to be dropped.
func Replace(conn *sqlite.Conn, table string, kept []Row) error {
	schema, err :=
		rows(conn, `SELECT sql FROM sqlite_schema WHERE tbl_name = ? AND sql IS NOT NULL ORDER BY type = 'table' DESC`,
			table)
	if err != nil {
		return err
	}
	script := []string{
		`PRAGMA writable_schema = ON`,
		fmt.Sprintf(`DELETE FROM sqlite_schema WHERE tbl_name = '%s'`, table),
		`PRAGMA writable_schema = RESET`,
		`CREATE TABLE IF NOT EXISTS ` + LeftBehind + ` (page INTEGER) STRICT`,
	}
	for _, sql := range schema {
		script = append(script, sql[0].(string))
	}
	for _, sql := range script {
		if err := sqlitex.ExecuteTransient(conn, sql, nil); err != nil {
			return fmt.Errorf("making table %s anew: %w", table, err)
		}
	}
	for _, row := range kept {
		insert := fmt.Sprintf(`INSERT INTO %s VALUES (%s)`, table,
			strings.TrimSuffix(strings.Repeat("?, ", len(row)), ", "))
		if err := sqlitex.Execute(conn, insert, &sqlitex.ExecOptions{Args: row}); err != nil {
			return fmt.Errorf("copying a row of table %s: %w", table, err)
		}
	}
	return nil
}

// oneRow returns a row; nil if there is none or it cannot be read.
func oneRow(conn *sqlite.Conn, query string, key Row) (Row, error) {
	found, err := rows(conn, query, key...)
	if isDamage(err) || err == nil && len(found) != 1 {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return found[0], nil
}

func isDamage(err error) bool {
	return err != nil && sqlite.ErrCode(err).ToPrimary() == sqlite.ResultCorrupt
}

// rows returns what a query does; if it fails, what it has returned before.
func rows(conn *sqlite.Conn, query string, args ...any) (all []Row, err error) {
	err = sqlitex.Execute(conn, query, &sqlitex.ExecOptions{Args: args, ResultFunc: func(r *sqlite.Stmt) error {
		row := make(Row, r.ColumnCount())
		for i := range row {
			row[i] = value(r, i)
		}
		all = append(all, row)
		return nil
	}})
	return all, err
}

func value(r *sqlite.Stmt, i int) any {
	switch r.ColumnType(i) {
	case sqlite.TypeInteger:
		return r.ColumnInt64(i)
	case sqlite.TypeFloat:
		return r.ColumnFloat(i)
	case sqlite.TypeText:
		return r.ColumnText(i)
	case sqlite.TypeBlob:
		b := make([]byte, r.ColumnLen(i))
		r.ColumnBytes(i, b)
		return b
	}
	return nil
}
