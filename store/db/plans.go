package db

import (
	"fmt"

	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"

	"tidings/store/layer"
)

// SQLite may plan a statement by the values of its parameters. Since 3.54 it does so for most comparisons in joins and
// ordered queries. The statement is then compiled again whenever its parameters are cleared, which the driver does at
// each use. Here a prepared statement stays prepared: plans go by the text alone (QPSG, the query planner's stability
// guarantee), on each connection that the process opens.

func init() {
	if err := keepPlans(); err != nil {
		panic(err)
	}
}

// keepPlans has SQLite set up each connection so; before the first one is opened.
func keepPlans() error {
	tls := libc.NewTLS()
	defer tls.Close()
	if code := lib.Xsqlite3_auto_extension(tls, layer.ToC(keepPlansOf)); code != lib.SQLITE_OK {
		return fmt.Errorf("setting up SQLite: code %d", code)
	}
	return nil
}

// keepPlansOf is called by SQLite for each new connection, as if it were an extension.
func keepPlansOf(tls *libc.TLS, db, _, _ uintptr) int32 {
	arguments := libc.NewVaList(int32(1), uintptr(0))
	if arguments == 0 {
		return lib.SQLITE_NOMEM
	}
	defer libc.Xfree(tls, arguments)
	if code := lib.Xsqlite3_db_config(tls, db, lib.SQLITE_DBCONFIG_ENABLE_QPSG, arguments); code != lib.SQLITE_OK {
		return code
	}
	dropVirtual(tls, db)
	return reserveRoom(tls, db)
}
