package sql

import (
	"slices"
	"strings"

	"tidings/network/astrolabe/attr"

	"zombiezen.com/go/sqlite"
)

// table is the virtual table children, and the cursor over it: there is never a second one.
type table struct {
	columns []string // star first
	found   []int    // where in a row each was last
	rows    []attr.Row
	at      int
	scanned bool
	sorters int    // of the program: what is read counts once more for each, for it may keep and compare it
	read    int    // bytes of texts and blobs, as they count
	failure *Error // why the evaluation must fail, whatever SQLite makes of it
}

// star is a column that stands for all others: a text that selects * reads it, and is refused.
const star = "*"

// newTable returns the table for a text: every word of it that is a valid name is a column.
func newTable(text string) (*table, error) {
	words := strings.FieldsFunc(strings.ToLower(text), func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '_'
	})
	words = slices.DeleteFunc(words, func(word string) bool { return !attr.ValidName(word) })
	slices.Sort(words)
	words = slices.Compact(words)
	if len(words) > MaxWords {
		return nil, problem(ErrLimit, "%d different words, more than %d", len(words), MaxWords)
	}
	columns := slices.Insert(words, 0, star)
	return &table{columns: columns, found: make([]int, len(columns))}, nil
}

// module returns what SQLite makes the table of.
func (t *table) module() *sqlite.Module {
	declaration := `CREATE TABLE children("` + strings.Join(t.columns, `","`) + `")`
	return &sqlite.Module{Connect: func(*sqlite.Conn, *sqlite.VTableConnectOptions) (sqlite.VTable,
		*sqlite.VTableConfig, error) {
		return t, &sqlite.VTableConfig{Declaration: declaration}, nil
	}}
}

// give makes rows the content of the table, for one scan.
func (t *table) give(rows []attr.Row) {
	t.rows, t.at, t.scanned, t.read, t.failure = rows, 0, false, 0, nil
}

// fail makes the evaluation fail, the first time that it is called. The binding loses errors that functions return.
func (t *table) fail(of error, what string) error {
	if t.failure == nil {
		t.failure = problem(of, "%s", what)
	}
	return t.failure
}

// BestIndex says that a scan is all there is.
func (t *table) BestIndex(*sqlite.IndexInputs) (*sqlite.IndexOutputs, error) {
	return &sqlite.IndexOutputs{EstimatedCost: 64, EstimatedRows: 64}, nil
}

// Open returns the cursor.
func (t *table) Open() (sqlite.VTableCursor, error) { return t, nil }

// Filter begins the scan.
func (t *table) Filter(sqlite.IndexID, []sqlite.Value) error {
	if t.scanned {
		return t.fail(ErrRefused, "a second scan of the table")
	}
	t.scanned = true
	return nil
}

// Next goes to the next row.
func (t *table) Next() error {
	t.at++
	return nil
}

// EOF reports whether there are no more rows.
func (t *table) EOF() bool { return t.at >= len(t.rows) }

// Column returns an attribute of the row.
func (t *table) Column(i int, _ bool) (sqlite.Value, error) {
	v := t.get(i)
	if t.read += len(v.Bytes) * (1 + t.sorters); t.read > MaxRead {
		return sqlite.Value{}, t.fail(ErrLimit, "too many bytes read from rows")
	}
	return toSQL(v), nil
}

// get returns an attribute of the row. Most rows have it where the last one had it.
func (t *table) get(i int) attr.Value {
	row, name := t.rows[t.at], t.columns[i]
	if at := t.found[i]; at < len(row) && row[at].Name == name {
		return row[at].Value
	}
	at, ok := slices.BinarySearchFunc(row, name,
		func(a attr.Attribute, name string) int { return strings.Compare(a.Name, name) })
	if !ok {
		return attr.Value{}
	}
	t.found[i] = at
	return row[at].Value
}

// RowID returns the number of the row.
func (t *table) RowID() (int64, error) { return int64(t.at), nil }

// Close ends the scan.
func (t *table) Close() error { return nil }

// Disconnect and Destroy have nothing to end.
func (t *table) Disconnect() error { return nil }
func (t *table) Destroy() error    { return nil }

// toSQL returns a value for SQLite.
func toSQL(v attr.Value) sqlite.Value {
	switch v.Type {
	case attr.Integer:
		return sqlite.IntegerValue(v.Integer)
	case attr.Real:
		return sqlite.FloatValue(v.Real)
	case attr.Text:
		return sqlite.TextValue(string(v.Bytes))
	case attr.Blob:
		return sqlite.BlobValue(v.Bytes)
	}
	return sqlite.Value{}
}

// fromSQL returns a value that SQLite gave to a function. Its bytes are SQLite's, for as long as the call lasts.
func fromSQL(v sqlite.Value) attr.Value {
	switch v.Type() {
	case sqlite.TypeInteger:
		return attr.Int(v.Int64())
	case sqlite.TypeFloat:
		return attr.Float(v.Float())
	case sqlite.TypeText:
		return attr.Value{Type: attr.Text, Bytes: v.Blob()}
	case sqlite.TypeBlob:
		return attr.Bytes(v.Blob())
	}
	return attr.Value{}
}
