package db

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"tidings/store/onebyte"
)

// busyTimeout is how long a connection waits for another that writes. Within a node only a backup or a check that
// begins or ends makes one wait.
const busyTimeout = 5 * time.Second

// applicationID marks the file as ours ("Tdng").
const applicationID = 0x54646e67

// opener opens a database.
type opener struct {
	file, vfs  string
	schema     *Schema
	maxChecked int64 // see Config
	checked    *bool // is set if the file was checked
}

// open opens, checks and migrates the database, and returns its one writing connection. Where pages are damaged
// it repairs what can be, and reports that.
func (o opener) open(ctx context.Context) (conn *sqlite.Conn, repaired []Damage, err error) {
	inLog, err := onebyte.MendLogFile(o.file+"-wal", o.file+"-wal"+damagedCopy)
	if err != nil {
		return nil, nil, err
	}
	anew, err := onebyte.RestoreFromLog(o.file, o.file+"-wal"+damagedCopy, func(page, first []byte, number uint64) {
		if first[reservedAt] == sumBytes {
			Seal(page, number)
		}
	})
	if err != nil {
		return nil, nil, err
	}
	conn, repaired, err = o.openRepaired(ctx)
	if anew > 0 {
		repaired = append(repaired, Damage{Table: FileName, Pages: anew, Repaired: true})
	}
	if err != nil || inLog == (onebyte.LogDamage{}) {
		return conn, repaired, err
	}
	if inLog.Lost > 0 { // numbers that were given since then are not given again
		err = skipNumbers(conn)
	}
	if err != nil {
		return nil, nil, errors.Join(err, conn.Close())
	}
	return conn,
		append(repaired, Damage{Table: "the log", Pages: max(inLog.Mended, 1), Lost: inLog.Lost, Repaired: true}), nil
}

func (o opener) openRepaired(ctx context.Context) (conn *sqlite.Conn, repaired []Damage, err error) {
	conn, err = o.openSound(ctx)
	if err = explain(err); !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrForeign) && !errors.Is(err, ErrNewer) {
		return conn, nil, err
	}
	if conn, repaired, failed := o.openMended(ctx); conn != nil || failed != nil {
		return conn, repaired, failed
	}
	if !errors.Is(err, ErrDamaged) {
		return nil, nil, err
	}
	repaired, failed := o.schema.repair(ctx, o.file, o.vfs)
	if failed != nil {
		return nil, nil, fmt.Errorf("%w (repairing it failed: %w)", err, failed)
	}
	conn, err = o.openSound(ctx)
	return conn, repaired, err
}

// openMended opens a damaged database if it is sound once single bytes are put right; else conn is nil.
func (o opener) openMended(ctx context.Context) (conn *sqlite.Conn, repaired []Damage, err error) {
	pages, err := onebyte.MendFile(o.file, pageSize, pageSum)
	if err != nil || len(pages) == 0 {
		return nil, nil, err
	}
	conn, err = o.openSound(ctx)
	if errors.Is(explain(err), ErrDamaged) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	damagedIn.forget(pathOf(conn))
	if repaired, err = o.schema.damageIn(conn, pages); err != nil {
		return nil, nil, errors.Join(err, conn.Close())
	}
	for i := range repaired {
		repaired[i].Repaired = true
	}
	return conn, repaired, nil
}

// openSound is open for a database that is not damaged.
func (o opener) openSound(ctx context.Context) (_ *sqlite.Conn, err error) {
	// SQLite would make the file with the process's umask; it holds passwords.
	f, err := os.OpenFile(o.file, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	conn, err := sqlite.OpenConn(uri(o.file, o.vfs), sqlite.OpenReadWrite|sqlite.OpenCreate|sqlite.OpenURI)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, conn.Close())
		}
	}()
	conn.SetInterrupt(ctx.Done())
	defer conn.SetInterrupt(nil)
	conn.SetBusyTimeout(busyTimeout)
	if err := checkSchema(conn, len(o.schema.Migrations)); err != nil {
		return nil, err
	}
	if err := o.checkAtStart(ctx); err != nil {
		return nil, err
	}
	for _, pragma := range []string{
		"PRAGMA journal_mode = WAL",
		"PRAGMA synchronous = FULL",
		"PRAGMA wal_autocheckpoint = 4000",
		"PRAGMA journal_size_limit = 67108864",
		"PRAGMA cache_size = -16384",
		"PRAGMA temp_store = MEMORY",
	} {
		if err := sqlitex.ExecuteTransient(conn, pragma, nil); err != nil {
			return nil, err
		}
	}
	if err := migrate(conn, o.schema.Migrations); err != nil {
		return nil, err
	}
	if err := addChecksums(conn); err != nil {
		return nil, err
	}
	if _, err := loadSequences(conn, o.schema.Sequences); err != nil { // what a start needs is repaired by it
		return nil, err
	}
	for _, query := range o.schema.Needed {
		if err := Must(One(conn, query, nil)); err != nil {
			return nil, err
		}
	}
	return conn, nil
}

func prepareReader(conn *sqlite.Conn) error {
	conn.SetBusyTimeout(busyTimeout)
	return sqlitex.ExecuteScript(conn, `
		PRAGMA query_only = ON;
		PRAGMA cache_size = -2048;
		PRAGMA temp_store = MEMORY;`, nil)
}

// checkSchema refuses files that are not ours or whose schema has a higher number, which a newer Tidings has written.
func checkSchema(conn *sqlite.Conn, highest int) error {
	version, err := pragma(conn, "user_version")
	if err != nil {
		return err
	}
	app, err := pragma(conn, "application_id")
	if err != nil {
		return err
	}
	tables := false // a process killed before its first commit leaves a file without any
	if err := sqlitex.ExecuteTransient(conn, `SELECT 1 FROM sqlite_schema LIMIT 1`, &sqlitex.ExecOptions{
		ResultFunc: func(*sqlite.Stmt) error { tables = true; return nil },
	}); err != nil {
		return err
	}
	switch {
	case tables && app != applicationID:
		return ErrForeign
	case version > int64(highest):
		return fmt.Errorf("schema %d, this version knows %d: %w", version, highest, ErrNewer)
	}
	return nil
}

// migrate runs the scripts that the file has not seen, each in a transaction of its own.
func migrate(conn *sqlite.Conn, scripts []string) error {
	version, err := pragma(conn, "user_version")
	if err != nil {
		return err
	}
	for n := int(version) + 1; n <= len(scripts); n++ {
		script := fmt.Sprintf("%s\n;PRAGMA user_version = %d; PRAGMA application_id = %d;",
			scripts[n-1], n, applicationID)
		if err := sqlitex.ExecuteScript(conn, script, nil); err != nil {
			return fmt.Errorf("bringing the database to schema %d: %w", n, err)
		}
	}
	return nil
}

// quickCheck reads every page's structure and reports up to limit faults.
func quickCheck(conn *sqlite.Conn, limit int) error {
	return quickCheckOf(conn, fmt.Sprintf("PRAGMA quick_check(%d)", limit))
}

func quickCheckOf(conn *sqlite.Conn, pragma string) error {
	var faults []error
	err := sqlitex.ExecuteTransient(conn, pragma, &sqlitex.ExecOptions{
		ResultFunc: func(r *sqlite.Stmt) error {
			if text := r.ColumnText(0); text != "ok" {
				faults = append(faults, errors.New(text))
			}
			return nil
		},
	})
	if err == nil {
		err = errors.Join(faults...)
	}
	if err != nil {
		return fmt.Errorf("%w (%w)", ErrDamaged, err)
	}
	return nil
}

// pragma reads a number that SQLite keeps for the database.
func pragma(conn *sqlite.Conn, name string) (value int64, err error) {
	err = sqlitex.ExecuteTransient(conn, "PRAGMA "+name, &sqlitex.ExecOptions{
		ResultFunc: func(r *sqlite.Stmt) error {
			value = r.ColumnInt64(0)
			return nil
		},
	})
	return value, err
}

// uri names file for SQLite, whatever characters it has.
func uri(file, vfs string) string { return uriWith(file, vfs, unverified, nothingUnverified) }

// uriWith is uri with a parameter for the layer of checksums.
func uriWith(file, vfs, parameter string, value int64) string {
	query := url.Values{parameter: {strconv.FormatInt(value, 10)}}
	if vfs != "" {
		query.Set("vfs", vfs)
	}
	u := url.URL{Scheme: "file", OmitHost: true, Path: file, RawQuery: query.Encode()}
	return u.String()
}
