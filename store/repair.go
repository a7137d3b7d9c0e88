package store

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

// repair mends a database of which pages are damaged, so that everything else in it can be used: it makes indexes anew,
// drops the rows that the damaged pages had, of tables that can do without them, and has their channels polled as if
// for the first time. Channels and subscriptions come back with what indexes have of them. Before it changes anything it
// makes a copy of the file.
//
// A repair trusts a damaged page as far as it leads to rows elsewhere, and in nothing else; the structure of what
// remains must be sound. If it is not, or a table is damaged that can miss nothing, it changes nothing and fails with errLost.
func repair(ctx context.Context, file, vfs string) (all []Damage, err error) {
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

	all, found, err := surveyDamage(loose, verified)
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
	if err := mend(loose, all, found); err != nil {
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
func surveyDamage(loose, verified *sqlite.Conn) (all []Damage, found surveyed, err error) {
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
	if all, err = damageIn(loose, damaged); err != nil {
		return nil, found, err
	}
	for i := range all {
		d := &all[i]
		lost, kept, err := d.rows(loose, verified)
		if err != nil {
			return all, found, err
		}
		found.lost[d.Table], found.kept[d.Table] = lost, kept
		d.name(lost)
	}
	return all, found, nil
}

// mend drops the damaged rows and makes anew what hangs on them, all of it or nothing, and writes each page again.
func mend(conn *sqlite.Conn, all []Damage, found surveyed) (err error) {
	if err := exec(conn, `BEGIN IMMEDIATE`); err != nil {
		return err
	}
	defer func() {
		if err != nil && !conn.AutocommitEnabled() {
			err = errors.Join(err, exec(conn, `ROLLBACK`))
		}
	}()
	if err := rebuildTables(conn, all, found); err != nil {
		return err
	}
	if err := pollAgain(conn, found.lost); err != nil {
		return err
	}
	for _, r := range replaceable {
		if err := dropRows(conn, r.table, r.key, found.lost[r.table]); err != nil {
			return err
		}
	}
	if err := comeAnew(conn, found.lost["embargo"]); err != nil {
		return err
	}
	for _, sql := range consequences {
		if err := sqlitex.ExecuteTransient(conn, sql, nil); err != nil {
			return err
		}
	}
	searchAnew := func(d Damage) bool { return d.Table == "search" || d.Table == "channel" && d.Rows > 0 } // which are searched, channels say
	if err := mendSearch(conn, slices.ContainsFunc(all, searchAnew)); err != nil {
		return err
	}
	if err := sqlitex.ExecuteTransient(conn, `REINDEX`, nil); err != nil {
		return err
	}
	if err := checkMended(conn); err != nil {
		return err
	}
	if err := exec(conn, `COMMIT`); err != nil {
		return err
	}
	for _, sql := range []string{`VACUUM`, `DROP TABLE IF EXISTS ` + salvage.LeftBehind, `PRAGMA wal_checkpoint(TRUNCATE)`} {
		if err := sqlitex.ExecuteTransient(conn, sql, nil); err != nil {
			return err
		}
	}
	return nil
}

// rebuildTables makes those damaged tables anew that can be.
func rebuildTables(conn *sqlite.Conn, all []Damage, found surveyed) error {
	for _, d := range all {
		table, ok := salvage.Of(d.Table)
		if !ok {
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

// mendSearch has the search index forget what is gone, or, where it is damaged itself, everything: the writer adds it
// again little by little.
func mendSearch(conn *sqlite.Conn, anew bool) error {
	if !anew {
		return exec(conn, `DELETE FROM search WHERE rowid IN
			(SELECT d.id FROM search_docsize d WHERE NOT EXISTS (SELECT 1 FROM revision r WHERE r.id = d.id))`)
	}
	if err := exec(conn, `INSERT INTO search (search) VALUES ('delete-all')`); err != nil {
		return err
	}
	return exec(conn, `UPDATE indexed SET upto = 0`)
}

func dropRows(conn *sqlite.Conn, table, key string, rows []damagedRow) error {
	for _, row := range rows {
		sql := fmt.Sprintf(`DELETE FROM %s WHERE (%s) = (?`, table, key)
		for range row.key[1:] {
			sql += `, ?`
		}
		if err := exec(conn, sql+`)`, row.key...); err != nil {
			return err
		}
		if conn.Changes() != 1 {
			return fmt.Errorf("a row of table %s: %w", table, errLost)
		}
	}
	return nil
}

// comeAnew has items whose revision under embargo is lost come as new, or as changed where readers know an earlier one.
func comeAnew(conn *sqlite.Conn, rows []damagedRow) error {
	for _, row := range rows {
		for _, sql := range []string{`DELETE FROM item WHERE id = ? AND latest = 0`, `UPDATE item SET print = 1 WHERE id = ?`} {
			if err := exec(conn, sql, row.key...); err != nil {
				return err
			}
		}
	}
	return nil
}

// pollAgain has the channels polled soon, and as if for the first time, that damaged rows belong to.
func pollAgain(conn *sqlite.Conn, rows map[string][]damagedRow) error {
	for table, some := range rows {
		if table == "subscription" || table == "setting" || table == "token" { // which say nothing of what was polled
			continue
		}
		for _, row := range some {
			for _, sql := range []string{
				`UPDATE watch SET memory = NULL, next = NULL, error = 'a part of it was damaged on the disk' WHERE channel = (SELECT id FROM channel WHERE url = ?)`,
				`DELETE FROM past WHERE channel = (SELECT id FROM channel WHERE url = ?)`,
				`DELETE FROM shared WHERE channel = (SELECT id FROM channel WHERE url = ?)`,
			} {
				if err := exec(conn, sql, row.channel); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// consequences bring the other tables into agreement with rows that are gone; see agreements. An item whose text is
// lost is forgotten, so that it comes anew.
var consequences = []string{
	`DELETE FROM revision WHERE NOT EXISTS (SELECT 1 FROM version v WHERE v.id = revision.version AND revision.id BETWEEN v.first AND v.last)`,
	`DELETE FROM revision WHERE NOT EXISTS (SELECT 1 FROM item i WHERE i.channel = revision.channel AND i.id = revision.item)`,
	`DELETE FROM item WHERE latest != 0 AND NOT EXISTS (SELECT 1 FROM revision r WHERE r.id = item.latest AND r.item = item.id)`,
	`DELETE FROM revision WHERE NOT EXISTS (SELECT 1 FROM item i WHERE i.channel = revision.channel AND i.id = revision.item)`,
	`DELETE FROM embargo WHERE NOT EXISTS (SELECT 1 FROM item i WHERE i.channel = embargo.channel AND i.id = embargo.item)`,
	`DELETE FROM unread WHERE NOT EXISTS (SELECT 1 FROM revision r JOIN item i ON i.channel = r.channel AND i.id = r.item AND i.latest = r.id WHERE r.id = unread.revision)`,
	`UPDATE subscription SET unread = (SELECT count(*) FROM unread u WHERE u.account = subscription.account AND u.channel = subscription.channel)`,
	`DELETE FROM content WHERE NOT EXISTS (SELECT 1 FROM version v WHERE v.id = content.version)`,
	`UPDATE channel SET latest = 0 WHERE latest != 0 AND NOT EXISTS (SELECT 1 FROM version v JOIN content t ON t.version = v.id WHERE v.id = channel.latest)`,
	`INSERT INTO watch (channel) SELECT id FROM channel WHERE NOT EXISTS (SELECT 1 FROM watch w WHERE w.channel = channel.id)`,
	`DELETE FROM archive_use`,
	`INSERT INTO archive_use (topic, items, bytes) SELECT topic, count(*), sum(size) FROM archived GROUP BY topic`,
	`INSERT INTO archive_use (topic, items, bytes) SELECT x'', count(*), coalesce(sum(size), 0) FROM archived`,
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
