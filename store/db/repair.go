package db

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"tidings/store/salvage"
)

// damagedCopy is what the name of a database's copy from before a repair ends with. One is kept, the latest.
const damagedCopy = ".damaged"

// repair mends a database of which pages are damaged, so that everything else in it can be used. It makes indexes anew.
// It drops the rows of the damaged pages, of tables that can do without them, and their channels are polled as if for
// the first time. Channels and subscriptions come back with what indexes have of them. Before it changes anything it
// makes a copy of the file.
//
// A repair trusts a damaged page as far as it leads to rows elsewhere, and in nothing else; the structure of what
// remains must be sound. If it is not, or a table is damaged that can miss nothing, it changes nothing and fails with
// errLost.
func (s *Schema) repair(ctx context.Context, file, vfs string) (all []Damage, err error) {
	verified, err := openUnverified(ctx, file, vfs, treesUnverified)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, verified.Close()) }()
	loose, err := openUnverified(ctx, file, vfs, allUnverified)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, loose.Close()) }()

	all, found, err := s.surveyDamage(loose, verified)
	if err != nil {
		return nil, err
	}
	if len(all) == 0 { // what was wrong had its checksum
		if all, err = compareIndexes(loose); err != nil {
			return nil, err
		}
	}
	if err := verified.Close(); err != nil { // it reads what is about to be changed
		return nil, err
	}
	if verified, err = openUnverified(ctx, file, vfs, nothingUnverified); err != nil {
		return nil, err
	}
	if err := sqlitex.ExecuteTransient(loose, `PRAGMA wal_checkpoint(TRUNCATE)`, nil); err != nil {
		return nil, err
	}
	if err := copyDamaged(file); err != nil {
		return nil, fmt.Errorf("copying the damaged database before it is repaired: %w", err)
	}
	if err := s.mend(loose, all, found); err != nil {
		return nil, err
	}
	damagedIn.forget(pathOf(loose))
	for i := range all {
		all[i].Repaired = true
	}
	return all, quickCheck(verified, 1)
}

// surveyed are the rows of damaged tables, by table.
type surveyed struct {
	lost map[string][]damagedRow
	kept map[string][]salvage.Row // of those that are made anew
}

// surveyDamage reads the whole database and names what is damaged in it, with the rows of each table.
func (s *Schema) surveyDamage(loose, verified *sqlite.Conn) (all []Damage, found surveyed, err error) {
	found = surveyed{make(map[string][]damagedRow), make(map[string][]salvage.Row)}
	pages, err := pragma(loose, "page_count")
	if err != nil {
		return nil, found, err
	}
	if err := readAll(verified, 1, pages); err != nil {
		return nil, found, err
	}
	damaged := damagedIn.of(pathOf(loose))
	if len(damaged) == maxDamaged {
		return nil, found, fmt.Errorf("%d damaged pages or more: %w", maxDamaged, errLost)
	}
	if all, err = s.damageIn(loose, damaged); err != nil {
		return nil, found, err
	}
	for i := range all {
		d := &all[i]
		lost, kept, err := s.rows(d, loose, verified)
		if err != nil {
			return all, found, err
		}
		found.lost[d.Table], found.kept[d.Table] = lost, kept
		d.name(lost)
	}
	return all, found, nil
}

// mend drops the damaged rows and makes anew what hangs on them, all of it or nothing, and writes each page again.
func (s *Schema) mend(conn *sqlite.Conn, all []Damage, found surveyed) (err error) {
	if err := Exec(conn, `BEGIN IMMEDIATE`); err != nil {
		return err
	}
	defer func() {
		if err != nil && !conn.AutocommitEnabled() {
			err = errors.Join(err, Exec(conn, `ROLLBACK`))
		}
	}()
	if err := s.rebuildTables(conn, all, found); err != nil {
		return err
	}
	for _, table := range s.Tables {
		if err := table.dropRows(conn, found.lost[table.Name]); err != nil {
			return err
		}
	}
	for _, table := range s.Tables {
		if err := table.followRows(conn, found.lost[table.Name]); err != nil {
			return err
		}
	}
	if err := s.fetchAgain(conn, found.lost); err != nil { // which may remove rows of the same tables
		return err
	}
	if err := runAll(conn, s.Consequences); err != nil {
		return err
	}
	for _, derived := range s.Derived {
		if err := derived.mend(conn, all); err != nil {
			return err
		}
	}
	if err := sqlitex.ExecuteTransient(conn, `REINDEX`, nil); err != nil {
		return err
	}
	if err := checkMended(conn); err != nil {
		return err
	}
	if err := Exec(conn, `COMMIT`); err != nil {
		return err
	}
	for _, sql := range []string{`VACUUM`, `DROP TABLE IF EXISTS ` + salvage.LeftBehind,
		`PRAGMA wal_checkpoint(TRUNCATE)`} {
		if err := sqlitex.ExecuteTransient(conn, sql, nil); err != nil {
			return err
		}
	}
	return nil
}

// rebuildTables makes those damaged tables anew that can be.
func (s *Schema) rebuildTables(conn *sqlite.Conn, all []Damage, found surveyed) error {
	for _, d := range all {
		table := s.table(d.Table).Rebuild
		if table == nil {
			continue
		}
		var keys []salvage.Row
		for _, row := range found.lost[d.Table] {
			keys = append(keys, row.key)
		}
		if err := table.Rebuild(conn, found.kept[d.Table], keys); err != nil {
			return err
		}
	}
	return nil
}

// checkMended is quickCheck for a database in which pages may be left behind by tables that were made anew.
func checkMended(conn *sqlite.Conn) error {
	left, err := salvage.HasLeft(conn)
	if err != nil || !left {
		return errors.Join(err, quickCheck(conn, 1))
	}
	return sqlitex.ExecuteTransient(conn, fmt.Sprintf(`PRAGMA quick_check(%d)`, math.MaxInt32), &sqlitex.ExecOptions{
		ResultFunc: func(r *sqlite.Stmt) error {
			for line := range strings.Lines(r.ColumnText(0)) {
				if line = strings.TrimSpace(line); !unused.MatchString(line) {
					return fmt.Errorf("%w (%s)", ErrDamaged, line)
				}
			}
			return nil
		},
	})
}

// unused is what SQLite's check says of a sound database, or of one with pages that nothing refers to.
var unused = regexp.MustCompile(`^(ok|\*\*\* in database main \*\*\*|Page \d+: never used)$`)

// mend has a derived table forget what is gone, or, where it is damaged itself, everything.
func (d Derived) mend(conn *sqlite.Conn, all []Damage) error {
	if slices.ContainsFunc(all, func(found Damage) bool {
		return found.Table == d.Name || found.Rows > 0 && slices.Contains(d.Of, found.Table)
	}) {
		return runAll(conn, d.Anew)
	}
	return runAll(conn, d.Trim)
}

// runAll runs statements that give no rows.
func runAll(conn *sqlite.Conn, statements []string) error {
	for _, sql := range statements {
		if err := sqlitex.ExecuteTransient(conn, sql, nil); err != nil {
			return err
		}
	}
	return nil
}

// dropRows drops the lost rows of a table with a key.
func (t Table) dropRows(conn *sqlite.Conn, rows []damagedRow) error {
	if len(t.Key) == 0 {
		return nil
	}
	sql := fmt.Sprintf(`DELETE FROM %s WHERE (%s) = (%s)`, t.Name, strings.Join(t.Key, ", "), placeholders(len(t.Key)))
	for _, row := range rows {
		if err := Exec(conn, sql, row.key...); err != nil {
			return err
		}
		if conn.Changes() != 1 {
			return fmt.Errorf("a row of table %s: %w", t.Name, errLost)
		}
	}
	return nil
}

// followRows brings others into agreement with rows that are lost.
func (t Table) followRows(conn *sqlite.Conn, rows []damagedRow) error {
	for _, row := range rows {
		for _, sql := range t.Lost {
			if err := Exec(conn, sql, row.key...); err != nil {
				return err
			}
		}
	}
	return nil
}

// fetchAgain has what damaged rows belong to fetched anew.
func (s *Schema) fetchAgain(conn *sqlite.Conn, rows map[string][]damagedRow) error {
	for _, table := range s.Tables {
		if table.Owner == "" && !table.Again {
			continue
		}
		for _, row := range rows[table.Name] {
			for _, sql := range s.Again {
				if err := Exec(conn, sql, row.owner); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// copyDamaged copies a database, which nobody writes, to beside it.
func copyDamaged(file string) (err error) {
	from, err := os.Open(file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	to, err := os.OpenFile(file+damagedCopy, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, from)
	return errors.Join(err, to.Sync(), to.Close())
}
