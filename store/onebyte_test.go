package store

import (
	"bytes"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/lab/effort"
	"tidings/store/db"
)

// damageOneByte opens a library, with its log if there is one, of which one byte is another. It must say what it was
// of, and answer each question as before.
func damageOneByte(t *testing.T, name string, files map[string][]byte, where int, of string, want map[string]any,
	clk *clock) {
	t.Helper()
	dir := dataDir(t)
	for other, content := range files {
		changed := bytes.Clone(content)
		if other == name {
			changed[where] ^= byte(1 + where%255)
		}
		writeFile(t, filepath.Join(dir, other), changed)
	}
	s, err := Open(t.Context(), Config{Dir: dir, Now: clk.now})
	if err != nil {
		t.Errorf("byte %d of %s, in %s: %v", where, name, of, err)
		return
	}
	if told := s.DB.Damage(); len(told) != 1 || !told[0].Repaired || told[0].Rows != 0 || told[0].Table != of {
		t.Errorf("byte %d of %s, in %s: told %+v", where, name, of, told)
	}
	if got, damaged := answers(t, s); damaged > 0 || !reflect.DeepEqual(got, want) {
		t.Errorf("byte %d of %s, in %s: not all is as it was", where, name, of)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	mustBeSound(t, dir)
}

// hostile 80: one byte changes in a page of any table or index, in the header of the file, or in the log of a killed
// node. It is repaired at the next start, which says where it was: nothing is lost.
func TestHostile80OneByteInAnyTree(t *testing.T) {
	t.Parallel()
	dir, clk := dataDir(t), newClock()
	s := mustOpen(t, Config{Dir: dir, Now: clk.now})
	library(t, s)
	killed := copyDir(t, dir)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = mustOpen(t, Config{Dir: dir, Now: clk.now})
	want, _ := answers(t, s)
	pages := make(map[string][]int)
	if err := s.DB.Read(t.Context(), func(conn *sqlite.Conn) error {
		return db.Each(conn, `SELECT name, pageno FROM dbstat`, func(r *sqlite.Stmt) error {
			name := treeOf(r.ColumnText(0))
			pages[name] = append(pages[name], r.ColumnInt(1))
			return nil
		})
	}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	whole := map[string][]byte{db.FileName: contentOf(t, filepath.Join(dir, db.FileName))}
	if len(pages) < 40 {
		t.Fatalf("there are %d tables and indexes", len(pages))
	}
	every, n := 3, 0
	switch {
	case testing.Short():
		every = 9
	case effort.All():
		every = 1
	}
	for _, tree := range slices.Sorted(maps.Keys(pages)) {
		for i, page := range pages[tree] {
			if n++; n%every == 0 && (i == 0 || effort.All()) {
				damageOneByte(t, db.FileName, whole, (page-1)*pageSize+(page*997)%pageSize, tree, want, clk)
			}
		}
	}
	for _, where := range []int{0, 16, 20, 18, 28, 40, 60, 63, 70} {
		damageOneByte(t, db.FileName, whole, where, "sqlite_schema", want, clk)
	}

	logged := map[string][]byte{db.FileName: contentOf(t, filepath.Join(killed, db.FileName)),
		db.FileName + "-wal": contentOf(t, filepath.Join(killed, db.FileName+"-wal"))}
	log := len(logged[db.FileName+"-wal"])
	for _, where := range []int{3, 17, 30, 32, 43, 50, log / 2 &^ 3} {
		damageOneByte(t, db.FileName+"-wal", logged, where, "the log", want, clk)
	}
}

// hostile 80: of a log more is wrong than can be put right. What was written before is there, and it is said that the
// rest is lost; numbers that were given in it are not given again.
func TestHostile80LogIsLost(t *testing.T) {
	dir := dataDir(t)
	s := mustOpen(t, Config{Dir: dir})
	library(t, s)
	last, err := s.Content.LatestUpdate(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	killed := copyDir(t, dir)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(killed, db.FileName+"-wal")
	info, err := os.Stat(log)
	if err != nil {
		t.Fatal(err)
	}
	flip(t, log, info.Size()*3/4) // behind what made the tables and the subscriptions
	s = mustOpen(t, Config{Dir: killed})
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		mustBeSound(t, killed)
	}()
	if told := s.DB.Damage(); len(told) != 1 || told[0].Lost < 2 || !told[0].Repaired {
		t.Errorf("told %+v", told)
	}
	if _, err := os.Stat(log + ".damaged"); err != nil {
		t.Error(err)
	}
	if u := publish(t, s, channelURL(0), story{"new", "again"}); u.ID <= last {
		t.Errorf("update %d comes again, after %d", u.ID, last)
	}
}

func contentOf(t *testing.T, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// hostile 80: the database is empty or missing. If its log holds all of it, it is made of that; else, beside a node's
// key, it is said what is left.
func TestHostile80EmptiedDatabase(t *testing.T) {
	const key = "node.key"
	dir, clk := dataDir(t), newClock()
	s := mustOpen(t, Config{Dir: dir, Now: clk.now})
	library(t, s)
	want, _ := answers(t, s)
	young := copyDir(t, dir)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = mustOpen(t, Config{Dir: dir, Now: clk.now})
	publish(t, s, channelURL(0), story{"later", "x"})
	older := copyDir(t, dir)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for _, d := range []string{young, older} {
		writeFile(t, filepath.Join(d, key), []byte("a key"))
		writeFile(t, filepath.Join(d, db.FileName), nil)
	}

	if err := db.Emptied(young, key); err != nil {
		t.Errorf("the log holds all: %v", err)
	}
	s = mustOpen(t, Config{Dir: young, Now: clk.now})
	if got, damaged := answers(t, s); damaged > 0 || !reflect.DeepEqual(got, want) {
		t.Error("what was made of the log is not as it was")
	}
	if told := s.DB.Damage(); len(told) != 1 || told[0].Table != db.FileName {
		t.Errorf("told %+v", told)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	verifyPages(t, filepath.Join(young, db.FileName))
	mustBeSound(t, young)

	writeFile(t, filepath.Join(older, "copy.db"), contentOf(t, filepath.Join(dir, db.FileName)))
	for _, what := range []string{"is empty", "is missing"} {
		err := db.Emptied(older, key)
		if !errors.Is(err, db.ErrEmptied) || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
		for _, words := range []string{"copy.db of ", "tidings.db-wal has ", "tidings up --new"} {
			if !strings.Contains(tidings.HintOf(err), words) {
				t.Errorf("%s: the hint %q lacks %q", what, tidings.HintOf(err), words)
			}
		}
		if _, err := Check(t.Context(), older); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(filepath.Join(older, db.FileName+"-wal")); err != nil {
			t.Fatalf("examining it has removed its log: %v", err)
		}
		if err := os.Remove(filepath.Join(older, db.FileName)); err != nil && what == "is empty" {
			t.Fatal(err)
		}
	}
	s = mustOpen(t, Config{Dir: older, Now: clk.now}) // as it was ordered
	if _, err := os.Stat(filepath.Join(older, db.FileName+"-wal"+".damaged")); err != nil {
		t.Errorf("the log is not kept: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := db.Emptied(t.TempDir(), key); err != nil {
		t.Errorf("a new directory: %v", err)
	}
}

// treeOf returns what the tree of a name belongs to.
func treeOf(name string) string {
	if strings.HasPrefix(name, "search_") {
		return "search"
	}
	return name
}

// verifyPages reads all pages of a file, which must have checksums.
func verifyPages(t *testing.T, file string) {
	t.Helper()
	if data := contentOf(t, file); data[20] != 8 {
		t.Errorf("%d bytes of a page are kept free", data[20])
	}
	conn := noError(sqlite.OpenConn(file))
	defer conn.Close()
	read := 0
	if err := db.Each(conn, `SELECT length(data) FROM sqlite_dbpage`, func(*sqlite.Stmt) error {
		read++
		return nil
	}); err != nil {
		t.Errorf("page %d: %v", read+1, err)
	}
}
