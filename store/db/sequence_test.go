package db

import (
	"errors"
	"slices"
	"testing"

	"zombiezen.com/go/sqlite"
)

// promised is a schema in which a note can name one that has to be there when the transaction ends. So a commit can
// fail though all of its operations have succeeded.
func promised() Schema {
	s := noted
	s.Migrations = append(slices.Clone(s.Migrations),
		`CREATE TABLE promise (
			note INTEGER NOT NULL REFERENCES note (id) DEFERRABLE INITIALLY DEFERRED) STRICT;`)
	s.Tables = append(slices.Clone(s.Tables), Table{Name: "promise", Key: []string{"note"}})
	return s
}

// numbered returns up to which number the file says that numbers of notes are given.
func numbered(t *testing.T, d *DB) (last int64) {
	t.Helper()
	if err := d.Read(t.Context(), func(conn *sqlite.Conn) error {
		_, err := One(conn, `SELECT last FROM sequence WHERE name = 'note'`,
			func(r *sqlite.Stmt) { last = r.ColumnInt64(0) })
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return last
}

// The file says at any time that at least those numbers are given which are: also after a commit that has failed, or an
// operation, once or several times. Numbers that were given are not given again, after a crash either.
func TestNumbersSurviveAFailedCommit(t *testing.T) {
	config := Config{Dir: dataDir(t), Schema: promised()}
	d, err := Open(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	checked := func() error { return Exec(d.writer.conn, `PRAGMA foreign_keys = 1`) }
	if err := d.writer.between(t.Context(), checked); err != nil {
		t.Fatal(err)
	}
	fault, given := errors.New("fault"), int64(0)
	agrees := func(what string) {
		t.Helper()
		last := int64(0)
		if err := d.Read(t.Context(), func(conn *sqlite.Conn) error {
			_, err := One(conn, `SELECT coalesce(max(id), 0) FROM note`,
				func(r *sqlite.Stmt) { last = r.ColumnInt64(0) })
			return err
		}); err != nil {
			t.Fatal(err)
		}
		if upTo := numbered(t, d); upTo < last {
			t.Errorf("%s: there is note %d, and the file says that numbers up to %d are given", what, last, upTo)
		}
	}
	add := func(end func(tx *Tx) error) error {
		return d.Write(t.Context(), func(tx *Tx) error {
			id := tx.Next("note")
			if id <= given {
				t.Errorf("number %d is given again", id)
			}
			given = id
			if err := Exec(tx.Conn, `INSERT INTO note (id, text) VALUES (?, '')`, id); err != nil {
				return err
			}
			return end(tx)
		})
	}
	good := func(*Tx) error { return nil }
	for what, bad := range map[string]func(tx *Tx) error{
		"a failed commit": func(tx *Tx) error {
			return Exec(tx.Conn, `INSERT INTO promise (note) VALUES (1000000)`)
		},
		"a failed operation": func(*Tx) error { return fault },
	} {
		// so that the file has to be written for each of them, or for some
		for range 3 * int(noted.Sequences[0].Reserve) {
			if err := add(bad); err == nil {
				t.Fatalf("%s has not failed", what)
			}
			agrees(what)
			if err := add(good); err != nil {
				t.Fatal(err)
			}
			agrees(what + ", and a good one")
		}
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if d, err = Open(t.Context(), config); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	if err := add(good); err != nil {
		t.Error(err)
	}
	agrees("opened again")
}
