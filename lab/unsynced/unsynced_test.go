package unsynced

import (
	"path/filepath"
	"testing"

	lib "modernc.org/sqlite/lib"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"tidings/store/layer"
)

// Written data is there for other connections and after closing, in a log and without one. SQLite's usual tables of
// methods have been replaced on the way.
func TestInstall(t *testing.T) {
	Install()
	for _, mode := range []string{"wal", "delete"} {
		path := filepath.Join(t.TempDir(), "db")
		conn := connect(t, path)
		for _, sql := range []string{"PRAGMA journal_mode=" + mode, "PRAGMA synchronous=FULL", "CREATE TABLE t (x)",
			"INSERT INTO t VALUES (7)"} {
			if err := sqlitex.ExecuteTransient(conn, sql, nil); err != nil {
				t.Fatal(err)
			}
		}
		other := connect(t, path)
		if got := seven(t, other); got != 7 {
			t.Errorf("%s: another connection reads %d", mode, got)
		}
		if err := other.Close(); err != nil {
			t.Fatal(err)
		}
		if err := conn.Close(); err != nil {
			t.Fatal(err)
		}
		conn = connect(t, path)
		if got := seven(t, conn); got != 7 {
			t.Errorf("%s: after closing there is %d", mode, got)
		}
		if err := conn.Close(); err != nil {
			t.Fatal(err)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if len(methods) == 0 {
		t.Fatal("no file was opened by this VFS")
	}
	for usual, ours := range methods {
		if a, b := layer.At[lib.Tsqlite3_io_methods](usual),
			layer.At[lib.Tsqlite3_io_methods](ours); a.FxSync == b.FxSync || a.FxWrite != b.FxWrite {
			t.Error("it is not Sync that was replaced")
		}
	}
}

func connect(t *testing.T, path string) *sqlite.Conn {
	t.Helper()
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite|sqlite.OpenCreate)
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

func seven(t *testing.T, conn *sqlite.Conn) (got int64) {
	t.Helper()
	got, err := sqlitex.ResultInt64(conn.Prep("SELECT x FROM t"))
	if err != nil {
		t.Fatal(err)
	}
	return got
}
