package db

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"tidings"
	"tidings/store/salvage"
)

// Damage is a part of the database that the disk has given back otherwise than it was written.
type Damage struct {
	Table    string   // or index, or Derived
	Pages    int      // of it that are damaged
	Entries  int      // of an index that disagree with its table, though no page is damaged: as many as were looked for
	Rows     int      // of it that cannot be read; 0 for what no row is lost with, an index for example
	Lost     int      // transactions of the log that cannot be read
	Channels []string // names of what the rows belong to, as far as that is known: maxNamed at most
	Lacks    string   // where a table was made anew: what is lost of the rows, in a sentence
	Repaired bool     // what can be made anew was, the rows are gone, and their channels are polled again

	pages []uint64
}

// maxNamed bounds the channels that one Damage names.
const maxNamed = 20

// counted returns a number with the word for one, or for another number.
func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprint(n, " ", many)
}

// String is one line of plain words.
func (d Damage) String() string {
	text := fmt.Sprintf("%s in %s", counted(d.Pages, "damaged page", "damaged pages"), d.Table)
	if d.Entries > 0 {
		text = fmt.Sprintf("%s in index %s", counted(d.Entries, "wrong entry", "wrong entries"), d.Table)
	}
	if d.Rows > 0 {
		text += ", with " + counted(d.Rows, "row", "rows")
	}
	if d.Lost > 0 {
		text += fmt.Sprintf(", with the last %d changes or more", d.Lost)
	}
	if len(d.Channels) > 0 {
		text += " of " + strings.Join(d.Channels, ", ")
	}
	if d.Rows > 0 && d.Lacks != "" {
		text += "; " + d.Lacks
	}
	return text
}

// damageIn names the damage of a database whose damaged pages have been noted. Unverified reads them as they are.
func (s *Schema) damageIn(unverified *sqlite.Conn, pages []uint64) (all []Damage, err error) {
	places, known := make(map[string][]uint64), make(map[uint64]bool)
	var trees, broken []string
	if err := Each(unverified, `SELECT name FROM sqlite_schema WHERE rootpage > 0 UNION ALL SELECT 'sqlite_schema'`,
		func(r *sqlite.Stmt) error {
			trees = append(trees, r.ColumnText(0))
			return nil
		}); err != nil {
		return nil, err
	}
	for _, tree := range trees {
		err := Each(unverified, `SELECT pageno FROM dbstat WHERE name = ?`, func(r *sqlite.Stmt) error {
			if page := uint64(r.ColumnInt64(0)); slices.Contains(pages, page) {
				known[page] = true
				places[s.treeName(tree)] = append(places[s.treeName(tree)], page)
			}
			return nil
		}, tree)
		switch {
		case err == nil:
		case sqlite.ErrCode(err).ToPrimary() == sqlite.ResultCorrupt: // a damaged page leads to none that there is
			broken = append(broken, s.treeName(tree))
		default:
			return nil, err
		}
	}
	for _, page := range pages {
		if !known[page] && len(broken) == 1 {
			places[broken[0]] = append(places[broken[0]], page)
		}
	}
	for table, some := range places {
		all = append(all, Damage{Table: table, Pages: len(some), pages: some})
	}
	slices.SortFunc(all, byTable)
	return all, nil
}

func byTable(a, b Damage) int { return strings.Compare(a.Table, b.Table) }

// treeName returns what the tree of a name belongs to.
func (s *Schema) treeName(name string) string {
	for _, d := range s.Derived {
		if strings.HasPrefix(name, d.Name+"_") {
			return d.Name
		}
	}
	return name
}

// readAll reads each page of a database, so that those that are damaged are noted.
func readAll(conn *sqlite.Conn, from, to int64) error {
	for page := from; page <= to; {
		err := Each(conn, `SELECT pgno, length(data) FROM sqlite_dbpage WHERE pgno BETWEEN ? AND ?`,
			func(r *sqlite.Stmt) error {
				page = r.ColumnInt64(0) + 1
				return nil
			}, page, to)
		if err == nil {
			return nil
		}
		if sqlite.ErrCode(err).ToPrimary() != sqlite.ResultCorrupt {
			return err
		}
		page++ // the one that could not be read
	}
	return nil
}

// damagedRow is a row of which a page is damaged.
type damagedRow struct {
	key   []any
	owner string // name of what it belongs to; empty: nothing, or unknown
}

// errLost says that a table cannot do without what is damaged in it.
var errLost = errors.New("the node cannot do without what is damaged there")

// errNeeded is errLost for a table, with why, and what a person can do.
func (t Table) errNeeded() error {
	err := fmt.Errorf("table %s: %w", t.Name, errLost)
	if t.Needed != "" {
		err = fmt.Errorf("%w: %s", err, t.Needed)
	}
	return &tidings.Failure{Err: err, Hint: "restore a backup as " + FileName +
		"; or, to give up all that the node knows but its keys, " +
		"move that file away and begin anew: tidings up --new"}
}

// maxLost bounds the rows of a table that a repair gives up. A page has some hundred at most; more than a few pages' is
// what a damaged page leads to, not what it has.
const maxLost = 2000

// damagedRows returns the rows of a table with a key that cannot be read: unverified has all keys, and verified is
// asked for the row of each.
func (t Table) damagedRows(unverified, verified *sqlite.Conn) (rows []damagedRow, err error) {
	if len(t.Key) == 0 {
		return nil, t.errNeeded()
	}
	key, owner := strings.Join(t.Key, ", "), t.Owner
	if owner == "" {
		owner = "NULL"
	}
	get := fmt.Sprintf(`SELECT * FROM %s NOT INDEXED WHERE (%s) = (%s)`, t.Name, key, placeholders(len(t.Key)))
	list := fmt.Sprintf(`SELECT %s, coalesce(%s, '') FROM %s x NOT INDEXED`, key, owner, t.Name)
	err = Each(unverified, list, func(r *sqlite.Stmt) error {
		key := make([]any, len(t.Key))
		for i := range key {
			if r.ColumnType(i) == sqlite.TypeBlob {
				key[i] = NotNil(ColumnBlob(r, i))
			} else {
				key[i] = r.ColumnInt64(i)
			}
		}
		found, err := One(verified, get, nil, key...)
		if err == nil && found {
			return nil
		}
		if err != nil && sqlite.ErrCode(err).ToPrimary() != sqlite.ResultCorrupt {
			return err
		}
		if rows = append(rows, damagedRow{key, r.ColumnText(len(key))}); len(rows) > maxLost {
			return fmt.Errorf("more than %d rows of table %s: %w", maxLost, t.Name, errLost)
		}
		return nil
	})
	return rows, err
}

// placeholders returns the parameters of a statement for n values.
func placeholders(n int) string { return strings.TrimSuffix(strings.Repeat("?, ", n), ", ") }

// rows returns the rows that cannot be read because of the damage, and, of a table that is made anew, the others. An
// index has none of its own.
func (s *Schema) rows(d *Damage, unverified, verified *sqlite.Conn) (lost []damagedRow, kept []salvage.Row, err error) {
	index, err := isIndex(unverified, d.Table)
	if err != nil || index || s.derived(d.Table) != nil {
		return nil, nil, err
	}
	spec := s.table(d.Table)
	table := spec.Rebuild
	if table == nil {
		lost, err = spec.damagedRows(unverified, verified)
		return lost, nil, err
	}
	d.Lacks = table.Lacks
	kept, keys, err := salvage.Source{Loose: unverified, Verified: verified, Damaged: d.pages}.Read(table.Table)
	if errors.Is(err, salvage.ErrKeys) {
		return nil, nil, fmt.Errorf("table %s: %w: %w", d.Table, errLost, err)
	}
	for _, key := range keys {
		name, named := table.NameOf(unverified, key)
		lost, err = append(lost, damagedRow{key, name}), errors.Join(err, named)
	}
	return lost, kept, err
}

// nameAll is damageIn, with whose the damaged rows are as far as that is known.
func (s *Schema) nameAll(unverified, verified *sqlite.Conn, pages []uint64) ([]Damage, error) {
	all, err := s.damageIn(unverified, pages)
	if err != nil {
		return nil, err
	}
	for i := range all {
		rows, _, err := s.rows(&all[i], unverified, verified)
		if err != nil && !errors.Is(err, errLost) && sqlite.ErrCode(err).ToPrimary() != sqlite.ResultCorrupt {
			return nil, err
		}
		all[i].name(rows)
	}
	return all, nil
}

// name notes whose the damaged rows are.
func (d *Damage) name(rows []damagedRow) {
	d.Rows = len(rows)
	for _, row := range rows {
		if row.owner != "" && len(d.Channels) < maxNamed && !slices.Contains(d.Channels, row.owner) {
			d.Channels = append(d.Channels, row.owner)
		}
	}
}

// isIndex reports whether a tree is an index, which can be made anew.
func isIndex(conn *sqlite.Conn, name string) (bool, error) {
	return One(conn, `SELECT 1 FROM sqlite_schema WHERE type = 'index' AND name = ?`, nil, name)
}

// openUnverified opens a second connection to a database, which reads damaged pages as unverified says.
func openUnverified(ctx context.Context, file, vfs string, which int) (*sqlite.Conn, error) {
	conn, err := sqlite.OpenConn(uriWith(file, vfs, unverified, int64(which)), sqlite.OpenReadWrite|sqlite.OpenURI)
	if err != nil {
		return nil, err
	}
	conn.SetInterrupt(ctx.Done())
	conn.SetBusyTimeout(busyTimeout)
	if err := sqlitex.ExecuteTransient(conn, `PRAGMA temp_store = MEMORY`, nil); err != nil { // as where ctx has ended
		return nil, errors.Join(err, conn.Close())
	}
	return conn, nil
}

// pathOf returns a database's path as SQLite has it.
func pathOf(conn *sqlite.Conn) (path string) {
	// which reads no page
	_ = Each(conn, `SELECT file FROM pragma_database_list WHERE name = 'main'`, func(r *sqlite.Stmt) error {
		path = r.ColumnText(0)
		return nil
	})
	return path
}
