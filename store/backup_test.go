package store

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"tidings"
	"tidings/store/content"
	"tidings/store/db"
)

// A backup made during load is a data directory, with everything acknowledged before it began.
func TestBackupDuringLoad(t *testing.T) {
	s := newStore(t)
	l := newLedger("")
	if errs := loadPlain(t, s, l, 5); len(errs) > 0 {
		t.Fatal(errs)
	}
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					if _, err := step(t, s, channelURL(10+i)); err != nil {
						t.Error(err)
						return
					}
				}
			}
		})
	}
	restored := dataDir(t)
	file := filepath.Join(restored, db.FileName)
	private, err := s.DB.Backup(t.Context(), file, db.Carried{Name: "a", Text: "one"},
		db.Carried{Name: "b", Text: "two"})
	close(stop)
	wg.Wait()
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 || !private {
		t.Errorf("mode %v, %v, private: %v", info.Mode(), err, private)
	}
	_, err = s.DB.Backup(t.Context(), file)
	mustErr(t, err, tidings.ErrExists)
	if names, err := filepath.Glob(filepath.Join(restored, ".*")); err != nil || len(names) > 0 {
		t.Errorf("left behind: %v, %v", names, err)
	}
	l.verify(t, restored)

	back := mustOpen(t, Config{Dir: restored})
	defer func() {
		if err := back.Close(); err != nil {
			t.Error(err)
		}
	}()
	if carried, err := back.DB.Carried(t.Context()); err != nil ||
		!slices.Equal(carried, []db.Carried{{Name: "a", Text: "one"}, {Name: "b", Text: "two"}}) {
		t.Errorf("carried: %q, %v", carried, err)
	}
	if err := back.DB.DropCarried(t.Context()); err != nil {
		t.Error(err)
	}
	for what, store := range map[string]*Store{"the backup": back, "the store": s} {
		if carried, err := store.DB.Carried(t.Context()); err != nil || len(carried) > 0 {
			t.Errorf("%s has %q, %v", what, carried, err)
		}
	}
	// Those that were written while the copy was made come first here.
	here, there := river(t, s, tidings.EntryQuery{Search: "kernel", Limit: tidings.MaxLimit}),
		river(t, back, tidings.EntryQuery{Search: "kernel"})
	if len(there) == 0 ||
		!slices.ContainsFunc(here, func(e tidings.Entry) bool { return e.ID == there[len(there)-1].ID }) {
		t.Errorf("search in the backup finds %d entries, %d here", len(there), len(here))
	}
}

// hostile 81: on a file system without links a copy still appears, and replaces no file.
func TestHostile81BackupWithoutLinks(t *testing.T) {
	noLinks := func(from, to string) error {
		return &os.LinkError{Op: "link", Old: from, New: to, Err: errors.ErrUnsupported}
	}
	dir := t.TempDir()
	part, file := filepath.Join(dir, "part"), filepath.Join(dir, "copy.db")
	writeFile(t, part, []byte("whole"))
	if err := tidings.AppearAs(part, file, noLinks); err != nil {
		t.Fatal(err)
	}
	if got := string(contentOf(t, file)); got != "whole" {
		t.Errorf("the copy is %q", got)
	}
	writeFile(t, part, []byte("another"))
	for _, link := range []func(from, to string) error{noLinks, os.Link} {
		mustErr(t, tidings.AppearAs(part, file, link), tidings.ErrExists)
	}
	if got := string(contentOf(t, file)); got != "whole" {
		t.Errorf("the copy became %q", got)
	}
}

func TestBackupIntoNowhere(t *testing.T) {
	s := newStore(t)
	if _, err := s.DB.Backup(t.Context(), filepath.Join(t.TempDir(), "no", "such", "dir")); err == nil {
		t.Error("no error")
	}
}

func TestCheckSaysWhatIsWrong(t *testing.T) {
	say := func(dir string) (texts []string) {
		changes, err := Check(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range changes {
			if !f.OK {
				texts = append(texts, f.Text)
			}
		}
		return texts
	}
	empty := t.TempDir()
	if got := say(empty); len(got) != 1 || got[0] != "There is no database in "+empty+": no node has run there yet." {
		t.Errorf("empty directory: %q", got)
	}
	dir := dataDir(t)
	s := mustOpen(t, Config{Dir: dir})
	follow(t, s, feedURL)
	publish(t, s, feedURL, story{"a", "b"})
	if got := say(dir); len(got) != 0 {
		t.Errorf("an open store: %q", got)
	}
	if err := s.write(t.Context(), func(t *content.Tx) error {
		return db.Exec(t.Conn, `UPDATE subscription SET read = 7`)
	}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if got := say(dir); len(got) != 2 {
		t.Errorf("wrong count and loose rights: %q", got)
	}
}
