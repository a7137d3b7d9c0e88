package db

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"
	"zombiezen.com/go/sqlite"
)

// SQLite's check of a database includes what each virtual table has to say of itself. The index of words compares all
// that it holds, which lasts three times as long as everything else. It can be made anew, and little is read from it.
// So a start checks the tables that it is kept in, as all others, and its content is checked beside what follows.

// noVirtual is a parameter in a file's URI: the connection knows no virtual tables, and its checks pass over them.
const noVirtual = "no_virtual"

// noVirtualName is noVirtual in SQLite's memory.
var noVirtualName uintptr

func init() {
	var err error
	if noVirtualName, err = libc.CString(noVirtual); err != nil {
		panic(err)
	}
}

// dropVirtual has a connection that is being opened forget virtual tables, if its URI says so.
func dropVirtual(tls *libc.TLS, db uintptr) {
	if file := lib.Xsqlite3_db_filename(tls, db, 0); file != 0 && lib.Xsqlite3_uri_boolean(tls, file, noVirtualName,
		0) != 0 {
		lib.Xsqlite3_drop_modules(tls, db, 0)
	}
}

// quickCheckTables is quickCheck of everything but the contents of virtual tables.
func quickCheckTables(ctx context.Context, file, vfs string) (err error) {
	conn, err := sqlite.OpenConn(uriWith(file, vfs, noVirtual, 1), sqlite.OpenReadWrite|sqlite.OpenURI)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	conn.SetInterrupt(ctx.Done())
	conn.SetBusyTimeout(busyTimeout)
	return quickCheck(conn, 1)
}

// CheckVirtual compares all that a virtual table holds, if Open has checked the file. It fails with [ErrDamaged] if
// that does not agree.
func (d *DB) CheckVirtual(ctx context.Context, table string) error {
	if !d.checked {
		return nil
	}
	if err := d.checkVirtual(ctx, table); err != nil {
		return cmp.Or(ctx.Err(), explain(err))
	}
	return nil
}

func (d *DB) checkVirtual(ctx context.Context, table string) (err error) {
	conn, err := openUnverified(ctx, d.path, d.config.VFS, nothingUnverified)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	return quickCheckOf(conn, fmt.Sprintf(`PRAGMA quick_check(%s)`, table))
}

// Background runs f beside everything else. Close ends its context, and waits for it.
func (d *DB) Background(f func(ctx context.Context)) { d.background.Go(func() { f(d.open) }) }
