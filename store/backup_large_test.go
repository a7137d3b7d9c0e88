package store

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	lib "modernc.org/sqlite/lib"
	"zombiezen.com/go/sqlite"

	"tidings/lab/effort"
	"tidings/store/db"
	"tidings/store/large"
)

// hostile 81: a store that is much larger than SQLite's page cache is copied as a whole, also while others write: a
// store opens from the copy, each of its pages is sound, and each table has what it had.
func TestHostile81BackupOfALargeStore(t *testing.T) {
	t.Parallel()
	size := 15 << 20
	if effort.All() {
		size = 500 << 20
	}
	s := newStore(t)
	library(t, s)
	fillTo(t, s, size)

	before := tables(t, s)
	stop := writers(t, s, 4)
	busy := filepath.Join(dataDir(t), db.FileName)
	began := time.Now()
	_, err := s.DB.Backup(t.Context(), busy)
	t.Logf("copying %d MiB under load lasted %s", size>>20, time.Since(began))
	stop()
	if err != nil {
		t.Fatal(err)
	}
	s.Search.CatchUp(t.Context()) // searching is made ready later
	after := tables(t, s)
	copied := tablesOf(t, busy)
	for name, rows := range before {
		if name == "sequence" || name == "sqlite_sequence" { // they go on further up
			continue
		}
		for row := range rows {
			if _, unchanged := after[name][row]; unchanged && !has(copied[name], row) {
				t.Errorf("a row of %s is not in the copy that was made under load", name)
			}
		}
	}

	quiet := filepath.Join(dataDir(t), db.FileName)
	if _, err := s.DB.Backup(t.Context(), quiet); err != nil {
		t.Fatal(err)
	}
	copied = tablesOf(t, quiet)
	for name, rows := range after {
		if name == "sequence" || name == "sqlite_sequence" {
			continue
		}
		if len(rows) != len(copied[name]) {
			t.Errorf("table %s has %d rows, and %d in the copy", name, len(rows), len(copied[name]))
		}
		for row := range rows {
			if !has(copied[name], row) {
				t.Errorf("a row of %s is not in the copy", name)
				break
			}
		}
	}
	for _, file := range []string{busy, quiet} {
		verifyPages(t, file)
		back := mustOpen(t, Config{Dir: filepath.Dir(file)})
		if _, err := step(t, back, channelURL(0)); err != nil {
			t.Error(err)
		}
		if told := scrubAll(t, back); len(told) > 0 {
			t.Errorf("a copy is damaged: %v", told)
		}
		if err := back.Close(); err != nil {
			t.Error(err)
		}
		mustBeSound(t, filepath.Dir(file))
	}
}

// hostile 81: what keeps a copy from being made is blamed on whose fault it is, whenever it happens. There is then no
// copy and nothing of one, and the store goes on.
func TestHostile81AFailedBackupBlamesTheRightThing(t *testing.T) {
	registerDisk()
	for _, fault := range []struct {
		name   string
		code   int32
		garble bool
		words  string
		is     error
	}{
		{"full", lib.SQLITE_FULL, false, "the disk is full: there is no room for the copy in ", db.ErrFull},
		{"EIO", lib.SQLITE_IOERR_WRITE, false, "the copy cannot be written in ", nil},
		{"other bytes", 0, true, "the copy cannot be read as it was written: see to the disk of ", db.ErrBadCopy},
	} {
		t.Run(fault.name, func(t *testing.T) {
			theDisk.reset()
			s, err := openFaulty(t, dataDir(t))
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			}()
			library(t, s)
			fillTo(t, s, 3<<20) // more than SQLite's cache has room for
			for _, k := range []int{1, 2, 3, 100, 300, 500, 700} {
				if fault.garble && k < 100 {
					continue // what is written first is written again
				}
				dir := dataDir(t)
				theDisk.mu.Lock()
				if at := theDisk.count + k; fault.garble {
					theDisk.garbleAt = at
				} else {
					theDisk.failAt, theDisk.code, theDisk.failed = at, fault.code, false
				}
				theDisk.mu.Unlock()
				_, err := s.DB.Backup(t.Context(), filepath.Join(dir, db.FileName))
				if err == nil || errors.Is(err, db.ErrDamaged) || fault.is != nil && !errors.Is(err, fault.is) ||
					!strings.Contains(err.Error(), fault.words+dir) {
					t.Errorf("operation %d of the copy: %v, want %q", k, err, fault.words+dir)
				}
				if names, err := os.ReadDir(dir); err != nil || len(names) > 0 {
					t.Errorf("operation %d of the copy: left behind: %v, %v", k, names, err)
				}
			}
			theDisk.mu.Lock()
			theDisk.failAt, theDisk.garbleAt = 0, 0
			theDisk.mu.Unlock()
			if _, err := step(t, s, channelURL(0)); err != nil || s.DB.Trouble() != nil || len(scrubAll(t, s)) > 0 {
				t.Errorf("afterwards the store has %v, %v, %v", err, s.DB.Trouble(), s.DB.Damage())
			}
			if _, err := s.DB.Backup(t.Context(), filepath.Join(dataDir(t), db.FileName)); err != nil {
				t.Error(err)
			}
		})
	}
}

// A store that is damaged is not copied, and says that it is the store.
func TestHostile81NoBackupOfADamagedStore(t *testing.T) {
	dir := dataDir(t)
	s := mustOpen(t, Config{Dir: dir})
	defer s.Close()
	library(t, s)
	fillTo(t, s, 1<<20)
	if err := s.Close(); err != nil { // so that all is in the file
		t.Fatal(err)
	}
	s = mustOpen(t, Config{Dir: dir})
	defer s.Close()
	file := filepath.Join(dir, db.FileName)
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	flip(t, file, info.Size()/2)
	to := dataDir(t)
	if _, err := s.DB.Backup(t.Context(), filepath.Join(to, db.FileName)); !errors.Is(err, db.ErrDamaged) ||
		errors.Is(err, db.ErrBadCopy) {
		t.Errorf("backup of a damaged store: %v", err)
	}
	if names, err := os.ReadDir(to); err != nil || len(names) > 0 {
		t.Errorf("left behind: %v, %v", names, err)
	}
}

// hostile 81: the copy may be on another file system than the store.
func TestHostile81BackupOnAnotherFileSystem(t *testing.T) {
	other, err := os.MkdirTemp("/dev/shm", "")
	if err != nil {
		t.Skipf("there is no other file system: %v", err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(other); err != nil {
			t.Error(err)
		}
	})
	s := newStore(t)
	library(t, s)
	fillTo(t, s, 3<<20)
	if _, err := s.DB.Backup(t.Context(), filepath.Join(other, db.FileName)); err != nil {
		t.Fatal(err)
	}
	back := mustOpen(t, Config{Dir: other})
	if got, want := len(tables(t, back)["revision"]), len(tables(t, s)["revision"]); got != want {
		t.Errorf("%d entries, want %d", got, want)
	}
	if err := back.Close(); err != nil {
		t.Error(err)
	}
}

// writers has n goroutines publish in channels of their own, until stop is called.
func writers(t *testing.T, s *Store, n int) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			for ctx.Err() == nil {
				if _, err := step(t, s, channelURL(100+i)); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	return func() {
		cancel()
		wg.Wait()
	}
}

// fillTo writes items and pieces of files of size bytes together, of which half is incompressible.
func fillTo(t *testing.T, s *Store, size int) {
	r := rand.New(rand.NewPCG(1, 2))
	random := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		return b
	}
	const most, each = 1 << 40, 32 << 10
	ref := large.Ref{81}
	if err := s.Large.Begin(t.Context(), large.Content{Ref: ref, Length: int64(size)}, []byte("manifest"),
		most); err != nil {
		t.Fatal(err)
	}
	for written := 0; written < size; written += each {
		if err := s.Large.PutPiece(t.Context(), ref, written/each, random(each)); err != nil {
			t.Fatal(err)
		}
	}
	follow(t, s, channelURL(50))
	for i := range min(size>>20, 60) {
		publish(t, s, channelURL(50),
			story{fmt.Sprint("large", i), strings.Repeat(fmt.Sprintf("%x ", random(40)), 50) + words(i, 200)})
	}
	s.Search.CatchUp(t.Context())
}

// tables returns the rows of each table of a store, by their hashes.
func tables(t *testing.T, s *Store) (all map[string]map[[32]byte]struct{}) {
	t.Helper()
	if err := s.DB.Read(t.Context(), func(conn *sqlite.Conn) (err error) {
		all, err = rowsOf(conn)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return all
}

// tablesOf is tables of a file that nobody has open.
func tablesOf(t *testing.T, file string) map[string]map[[32]byte]struct{} {
	t.Helper()
	conn, err := sqlite.OpenConn(file)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	all, err := rowsOf(conn)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func rowsOf(conn *sqlite.Conn) (map[string]map[[32]byte]struct{}, error) {
	var names []string
	if err := db.Each(conn, `SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0`,
		func(r *sqlite.Stmt) error {
			names = append(names, r.ColumnText(0))
			return nil
		}); err != nil {
		return nil, err
	}
	all := make(map[string]map[[32]byte]struct{})
	for _, name := range names {
		rows := make(map[[32]byte]struct{})
		if err := db.Each(conn, `SELECT * FROM `+name, func(r *sqlite.Stmt) error {
			sum := sha256.New()
			for i := range r.ColumnCount() {
				fmt.Fprintf(sum, "%d %d ", r.ColumnType(i), r.ColumnLen(i))
				sum.Write(db.ColumnBlob(r, i))
			}
			rows[[32]byte(sum.Sum(nil))] = struct{}{}
			return nil
		}); err != nil {
			return nil, fmt.Errorf("reading table %s: %w", name, err)
		}
		all[name] = rows
	}
	return all, nil
}

func has(rows map[[32]byte]struct{}, row [32]byte) bool {
	_, ok := rows[row]
	return ok
}
