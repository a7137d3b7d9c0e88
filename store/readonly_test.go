package store

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tidings"
)

// hostile 51: files can only be read, as on a disk that the system has mounted so. Opening or the first write says it
// in plain words, and nothing is acknowledged. When the files can be written again, everything from before is there.
func TestHostile51ReadOnlyFiles(t *testing.T) {
	registerDisk()
	const words = "the data directory cannot be written"
	for name, prepare := range map[string]func(t *testing.T, l *ledger) string{
		"new":    func(t *testing.T, _ *ledger) string { return dataDir(t) },
		"closed": func(t *testing.T, l *ledger) string { return loaded(t, l, false) },
		"killed": func(t *testing.T, l *ledger) string { return loaded(t, l, true) },
	} {
		t.Run(name, func(t *testing.T) {
			theDisk.reset()
			defer theDisk.reset()
			l := newLedger(faultyVFS)
			dir := prepare(t, l)
			theDisk.readOnly = true
			s, err := openFaulty(t, dir)
			if name == "killed" { // there is a log, so that it can be read at least
				if err != nil {
					t.Fatal(err)
				}
				if got := river(t, s, tidings.EntryQuery{}); len(got) != 2*len(l.updates) {
					t.Errorf("%d entries can be read, want two an update, of which there are %d", len(got),
						len(l.updates))
				}
				if errs := load(t, s, l, 2); len(errs) != 6 || !strings.Contains(errs[0].Error(), words) {
					t.Errorf("of 6 writes %d fail: %v, want %q", len(errs), errs, words)
				}
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			} else if err == nil || !strings.Contains(err.Error(), words) {
				t.Fatalf("opening: %v, want %q", err, words)
			}
			theDisk.reset()
			if highest := l.verify(t, dir); highest != int64(len(l.updates)) {
				t.Errorf("%d updates are there, %d were acknowledged", highest, len(l.updates))
			}
		})
	}
}

// loaded makes a data directory with what l says, as closing or as killing leaves it.
func loaded(t *testing.T, l *ledger, killed bool) (dir string) {
	t.Helper()
	dir = dataDir(t)
	s, err := openFaulty(t, dir)
	if err != nil {
		t.Fatal(err)
	}
	if errs := load(t, s, l, 3); len(errs) > 0 {
		t.Fatal(errs)
	}
	image := dir
	if killed {
		image = copyDir(t, dir)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return image
}

// hostile 51: a data directory in which nothing can be made or written.
func TestHostile51ReadOnlyDirectory(t *testing.T) {
	l := newLedger("")
	registerDisk()
	theDisk.reset()
	dir := loaded(t, l, false)
	heal := forbidWriting(t, dir)
	_, err := Open(t.Context(), Config{Dir: dir})
	if err == nil || !strings.Contains(err.Error(), "permission denied") || !strings.Contains(err.Error(), dir) {
		t.Errorf("opening: %v, want that permission is denied, and where", err)
	}
	_, err = Open(t.Context(), Config{Dir: filepath.Join(dir, "new")})
	if err == nil || !strings.Contains(err.Error(), "making the data directory") {
		t.Errorf("opening a directory that cannot be made: %v", err)
	}
	heal()
	l.verify(t, dir)
	if _, err := os.Stat(filepath.Join(dir, "new")); err == nil {
		t.Error("a directory was made where nothing can be")
	}
}
