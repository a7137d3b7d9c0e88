package db

import (
	"path/filepath"
	"strings"
	"testing"

	"zombiezen.com/go/sqlite"
)

// The machinery itself, on scripts of its own: it goes on where the file is, and a
// script that fails leaves the file as it was.
func TestMigrateStepByStep(t *testing.T) {
	conn, err := sqlite.OpenConn(filepath.Join(t.TempDir(), "x"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	scripts := []string{`CREATE TABLE a (x)`, `INSERT INTO a VALUES (1); CREATE TABLE b (y)`,
		`INSERT INTO a VALUES (2); SELECT broken`}
	for _, upTo := range []int{1, 2, 2} {
		if err := migrate(conn, scripts[:upTo]); err != nil {
			t.Fatal(err)
		}
	}
	if err := migrate(conn, scripts); err == nil || !strings.Contains(err.Error(), "schema 3") {
		t.Fatalf("broken script: %v", err)
	}
	n := 0
	if _, err := One(conn, `SELECT count(*) FROM a, b AS b2 RIGHT JOIN a AS a2`,
		func(r *sqlite.Stmt) { n = r.ColumnInt(0) }); err != nil {
		t.Fatal(err)
	}
	if v, err := pragma(conn, "user_version"); err != nil || v != 2 || n != 1 {
		t.Errorf("version %d, %d rows, %v", v, n, err)
	}
}
