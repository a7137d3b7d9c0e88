package store

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tidings"
	"tidings/store/db"
)

// openHanging opens a store on the disk that hangs on command, with a channel of one entry.
func openHanging(t *testing.T, dir string, log *journal) *Store {
	t.Helper()
	registerDisk()
	theDisk.reset()
	s, err := open(t.Context(), Config{Dir: dir, Logger: slog.New(slog.NewTextHandler(log, nil))}, faultyVFS)
	if err != nil {
		t.Fatal(err)
	}
	follow(t, s, feedURL)
	publish(t, s, feedURL, story{"before", "x"})
	return s
}

// hang has the disk hang while a write is under way, which answers on the channel that is returned.
func hang(t *testing.T, s *Store) (release func(), written chan error) {
	release = theDisk.hold()
	t.Cleanup(release)
	written = make(chan error, 1)
	go func() { written <- s.DB.SetSetting(context.WithoutCancel(t.Context()), "under way", "x") }()
	synctest.Wait()
	return release, written
}

// A disk that does not answer is reported after HungAfter, once, until it answers. Reading goes on. Writes that come
// while the hang is known are refused at once. Writes that wait behind the hanging one can be cancelled.
func TestHungDiskIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log journal
		s := openHanging(t, dataDir(t), &log)
		release, written := hang(t, s)

		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := s.DB.SetSetting(ctx, "behind", "x"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a write that waits behind one that hangs: %v", err)
		}
		time.Sleep(db.HungAfter - 2*time.Second)
		if err := s.DB.Trouble(); err != nil {
			t.Errorf("trouble after %v: %v", db.HungAfter-time.Second, err)
		}
		time.Sleep(10 * db.HungAfter)
		if err := s.DB.Trouble(); !errors.Is(err, db.ErrHung) {
			t.Errorf("the trouble with a disk that hangs is %v", err)
		}
		if err := s.DB.SetSetting(t.Context(), "later", "x"); !errors.Is(err, db.ErrHung) {
			t.Errorf("a write while the disk is known to hang: %v", err)
		}
		if got := river(t, s, tidings.EntryQuery{}); len(got) != 1 {
			t.Errorf("%d entries can be read", len(got))
		}

		release()
		if err := <-written; err != nil {
			t.Errorf("the write that hung: %v", err)
		}
		synctest.Wait()
		if err := s.DB.Trouble(); err != nil {
			t.Errorf("trouble when the disk answers again: %v", err)
		}
		publish(t, s, feedURL, story{"after", "x"})
		for key, want := range map[string]bool{"under way": true, "behind": false, "later": false} {
			if value, err := s.DB.Setting(t.Context(), key); err != nil || (value != "") != want {
				t.Errorf("what was written %s is %q (%v)", key, value, err)
			}
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if n := strings.Count(log.text.String(), "does not answer"); n != 1 {
			t.Errorf("the log tells it %d times:\n%s", n, log.text.String())
		}
	})
}

// A store whose disk does not answer closes all the same, within a minute; nobody else gets its directory before the
// disk has answered, and then everything is there.
func TestCloseWithHungDisk(t *testing.T) {
	for _, c := range []struct {
		name          string
		known, within time.Duration
	}{
		{"that is known", db.HungAfter + time.Second, 2 * db.HungWithin},
		{"that has just begun", 0, 2 * db.HungAfter},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				dir := dataDir(t)
				var log journal
				s := openHanging(t, dir, &log)
				release, written := hang(t, s)
				time.Sleep(c.known)
				began := time.Now()
				if err := s.Close(); !errors.Is(err, db.ErrHung) {
					t.Errorf("closing: %v", err)
				}
				if took := time.Since(began); took > c.within {
					t.Errorf("closing took %v", took)
				}
				if _, err := Open(t.Context(), Config{Dir: dir}); !errors.Is(err, db.ErrInUse) {
					t.Errorf("another can open it: %v", err)
				}
				release()
				if err := <-written; err != nil {
					t.Errorf("the write that hung: %v", err)
				}
				synctest.Wait()
				s = mustOpen(t, Config{Dir: dir})
				if value, err := s.DB.Setting(t.Context(), "under way"); err != nil || value != "x" {
					t.Errorf("what was written is %q (%v)", value, err)
				}
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}
