package db

import (
	"testing"

	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"

	"tidings/store/layer"
)

// A prepared statement stays compiled when its parameters are cleared and bound anew.
func TestPreparedStatementsStayPrepared(t *testing.T) {
	tls := libc.NewTLS()
	t.Cleanup(tls.Close)
	out := libc.Xmalloc(tls, 8)
	defer libc.Xfree(tls, out)
	text := func(s string) uintptr {
		p, err := libc.CString(s)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { libc.Xfree(tls, p) })
		return p
	}
	if code := lib.Xsqlite3_open_v2(tls, text(":memory:"), out, lib.SQLITE_OPEN_READWRITE, 0); code != lib.SQLITE_OK {
		t.Fatal("open: ", code)
	}
	db := *layer.At[uintptr](out)
	defer lib.Xsqlite3_close_v2(tls, db)
	if code := lib.Xsqlite3_exec(tls, db, text("CREATE TABLE a (x, y); CREATE TABLE b (x, y)"), 0, 0,
		0); code != lib.SQLITE_OK {
		t.Fatal("tables: ", code)
	}
	if code := lib.Xsqlite3_prepare_v2(tls, db, text("SELECT * FROM a JOIN b ON a.x = b.x WHERE a.y = ? ORDER BY b.y"),
		-1, out, 0); code != lib.SQLITE_OK {
		t.Fatal("statement: ", code)
	}
	stmt := *layer.At[uintptr](out)
	defer lib.Xsqlite3_finalize(tls, stmt)
	for i := range int64(4) {
		lib.Xsqlite3_clear_bindings(tls, stmt)
		lib.Xsqlite3_bind_int64(tls, stmt, 1, i)
		if code := lib.Xsqlite3_step(tls, stmt); code != lib.SQLITE_DONE {
			t.Fatal("step: ", code)
		}
		lib.Xsqlite3_reset(tls, stmt)
	}
	if n := lib.Xsqlite3_stmt_status(tls, stmt, lib.SQLITE_STMTSTATUS_REPREPARE, 0); n != 0 {
		t.Errorf("compiled again %d times", n)
	}
}
