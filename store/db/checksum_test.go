package db

import (
	"path/filepath"
	"strings"
	"testing"

	"zombiezen.com/go/sqlite"
)

// Each page of a new database has its checksum, whatever was done to it.
func TestPagesHaveChecksums(t *testing.T) {
	dir := dataDir(t)
	d := mustOpen(t, Config{Dir: dir})
	for i := range 30 {
		write(t, d, strings.Repeat(string(rune('a'+i)), 20_000), "short")
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	verifyPages(t, filepath.Join(dir, FileName))
}

// A database from before there were checksums gets them when it is opened, and so has each backup of it.
func TestOldDatabaseGetsChecksums(t *testing.T) {
	wantedRoom = 0
	dir := dataDir(t)
	d := mustOpen(t, Config{Dir: dir})
	wantedRoom = sumBytes
	for i := range 80 { // more than SQLite's caches have room for
		write(t, d, strings.Repeat(string(rune('a'+i)), 300_000))
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		d = mustOpen(t, Config{Dir: dir})
		if got := notes(t, d); len(got) != 80 {
			t.Errorf("%d notes, want 80", len(got))
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
	}
	verifyPages(t, filepath.Join(dir, FileName))
	d = mustOpen(t, Config{Dir: dir})
	backup := filepath.Join(dataDir(t), FileName)
	if _, err := d.Backup(t.Context(), backup); err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	verifyPages(t, backup)
}

// verifyPages reads all pages of a file, which must have checksums.
func verifyPages(t *testing.T, file string) {
	t.Helper()
	conn, err := sqlite.OpenConn(file)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	read := 0
	if err := Each(conn, `SELECT length(data) FROM sqlite_dbpage`, func(*sqlite.Stmt) error {
		read++
		return nil
	}); err != nil {
		t.Errorf("page %d: %v", read+1, err)
	}
	if room, err := roomForSums(conn); err != nil || room != sumBytes {
		t.Errorf("%d bytes of a page are kept free (%v)", room, err)
	}
}
