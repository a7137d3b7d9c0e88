package store

import (
	"os"
	"path/filepath"
	"testing"

	"zombiezen.com/go/sqlite"

	"tidings"
)

// flip changes two bytes of a file, which cannot be put right as one can.
func flip(t testing.TB, file string, where int64) {
	t.Helper()
	f, err := os.OpenFile(file, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var b [2]byte
	if _, err := f.ReadAt(b[:], where); err != nil {
		t.Fatal(err)
	}
	b[0] ^= 0x20
	b[1] ^= 0x20
	if _, err := f.WriteAt(b[:], where); err != nil {
		t.Fatal(err)
	}
}

// Each page of a new store has its checksum, whatever was done to it.
func TestPagesHaveChecksums(t *testing.T) {
	dir := dataDir(t)
	s := mustOpen(t, Config{Dir: dir})
	follow(t, s, feedURL)
	for range 30 {
		publish(t, s, feedURL, story{"a", words(1, 3000)}, story{"b", words(2, 300)})
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	verifyPages(t, filepath.Join(dir, FileName))
}

// A store from before there were checksums gets them when it is opened, and so has each backup of it.
func TestOldStoreGetsChecksums(t *testing.T) {
	wantedRoom = 0
	dir := dataDir(t)
	s := mustOpen(t, Config{Dir: dir})
	wantedRoom = sumBytes
	follow(t, s, feedURL)
	publish(t, s, feedURL, story{"a", "b"})
	fillTo(t, s, 8<<20) // more than SQLite's caches have room for
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		s = mustOpen(t, Config{Dir: dir})
		if got := river(t, s, tidings.EntryQuery{}); len(got) != 9 {
			t.Errorf("%d entries, want 9", len(got))
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	verifyPages(t, filepath.Join(dir, FileName))
	s = mustOpen(t, Config{Dir: dir})
	backup := filepath.Join(dataDir(t), FileName)
	if _, err := s.Backup(t.Context(), backup); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	verifyPages(t, backup)
}

// verifyPages reads all pages of a file, which must have checksums.
func verifyPages(t *testing.T, file string) {
	t.Helper()
	conn, err := sqlite.OpenConn(uri(file, ""), sqlite.OpenReadWrite|sqlite.OpenURI)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	read := 0
	if err := each(conn, `SELECT length(data) FROM sqlite_dbpage`, func(*sqlite.Stmt) error { read++; return nil }); err != nil {
		t.Errorf("page %d: %v", read+1, err)
	}
	if room, err := roomForSums(conn); err != nil || room != sumBytes {
		t.Errorf("%d bytes of a page are kept free (%v)", room, err)
	}
}
