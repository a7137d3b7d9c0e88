package db

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"zombiezen.com/go/sqlite"
)

// noted is a schema with notes, each of which has a number.
var noted = Schema{
	Migrations: []string{`
		CREATE TABLE sequence (name TEXT PRIMARY KEY, last INTEGER NOT NULL) STRICT;
		INSERT INTO sequence (name, last) VALUES ('note', 0);
		CREATE TABLE setting (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
		CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;`},
	Sequences: []Sequence{{Name: "note", Reserve: 16}},
	Tables:    []Table{{Name: "note", Key: []string{"id"}}},
	Agreements: []Agreement{{"numbers that would be used twice",
		`SELECT count(*) FROM sequence WHERE last < (SELECT coalesce(max(id), 0) FROM note)`}},
}

// newDB opens a database of notes in a directory of its own, and closes it at the end of the test.
func newDB(t testing.TB) *DB {
	t.Helper()
	d := mustOpen(t, Config{Dir: dataDir(t)})
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Errorf("closing: %v", err)
		}
		all, err := Check(context.Background(), d.config.Dir, noted)
		if err != nil {
			t.Error(err)
		}
		for _, found := range all {
			if !found.OK {
				t.Error(found.Text)
			}
		}
	})
	return d
}

// mustOpen opens a database of notes.
func mustOpen(t testing.TB, config Config) *DB {
	t.Helper()
	config.Schema = noted
	d, err := Open(context.Background(), config)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// dataDir returns a directory that nobody else may read.
func dataDir(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "data")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

// write writes notes in one operation.
func write(t testing.TB, d *DB, texts ...string) {
	t.Helper()
	if err := d.Write(context.Background(), func(t *Tx) error { return note(t, texts...) }); err != nil {
		t.Fatal(err)
	}
}

func note(t *Tx, texts ...string) error {
	for _, text := range texts {
		if err := Exec(t.Conn, `INSERT INTO note (id, text) VALUES (?, ?)`, t.Next("note"), text); err != nil {
			return err
		}
	}
	return nil
}

// notes returns all that is written, in the order of numbers.
func notes(t testing.TB, d *DB) (all []string) {
	t.Helper()
	if err := d.Read(context.Background(), func(conn *sqlite.Conn) error {
		return Each(conn, `SELECT text FROM note ORDER BY id`, func(r *sqlite.Stmt) error {
			all = append(all, r.ColumnText(0))
			return nil
		})
	}); err != nil {
		t.Fatal(err)
	}
	return all
}
