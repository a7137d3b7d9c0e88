package backup

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"tidings"
	"tidings/store/db"
	"tidings/view"
)

// maker returns a maker in a directory with room for free bytes; its copies have a text.
func maker(t *testing.T, free uint64, text string) *Maker {
	t.Helper()
	return New(t.TempDir(), func(context.Context, string) (uint64, error) { return free, nil },
		func(_ context.Context, file string, noKeys bool) (view.Backup, error) {
			if text == "" {
				return view.Backup{}, errors.New("the database is damaged")
			}
			return view.Backup{Keys: 1}, os.WriteFile(file, []byte(text), 0o600)
		})
}

// left is how many files and directories there are.
func (m *Maker) left(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir(m.data)
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

// A copy is read whole, while the next waits for its end. Nothing is left of it, nor of one that failed.
func TestCopiesOneAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := maker(t, 1<<40, "a copy")
		b, first, err := m.Make(t.Context(), view.BackupOrder{})
		if err != nil || b != (view.Backup{Bytes: 6, Keys: 1}) {
			t.Fatal(b, err)
		}
		second := make(chan error)
		go func() {
			_, made, err := m.Make(t.Context(), view.BackupOrder{})
			if err == nil {
				err = made.Close()
			}
			second <- err
		}()
		impatient, cancel := context.WithCancel(t.Context())
		cancel()
		if _, _, err := m.Make(impatient, view.BackupOrder{}); !errors.Is(err, context.Canceled) {
			t.Errorf("beside another: %v", err)
		}
		synctest.Wait()
		select {
		case err := <-second:
			t.Fatalf("another was made meanwhile: %v", err)
		default:
		}
		if text, err := io.ReadAll(first); err != nil || string(text) != "a copy" {
			t.Errorf("%q, %v", text, err)
		}
		if err := first.Close(); err != nil {
			t.Error(err)
		}
		if err := <-second; err != nil || m.left(t) != 0 {
			t.Errorf("the second: %v; %d files are left", err, m.left(t))
		}
	})
	m := maker(t, 1<<40, "")
	for range 2 {
		if _, _, err := m.Make(t.Context(), view.BackupOrder{}); err == nil || m.left(t) != 0 {
			t.Errorf("it failed with %v and left %d files", err, m.left(t))
		}
	}
}

// Where the disk has no room for a second database, none is begun.
func TestRoomForACopy(t *testing.T) {
	for free, want := range map[uint64]bool{spare + 15: true, spare + 14: false} {
		m := maker(t, free, "a copy")
		for name, text := range map[string]string{db.FileName: "a database", db.FileName + "-wal": "a log"} {
			if err := os.WriteFile(filepath.Join(m.data, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		_, made, err := m.Make(t.Context(), view.BackupOrder{})
		if made != nil {
			made.Close()
		}
		if (err == nil) != want ||
			!want && !(errors.Is(err, tidings.ErrInvalid) && strings.Contains(err.Error(), "needs up to")) {
			t.Errorf("with %d bytes: %v", free, err)
		}
	}
}

// What a crash has left is removed, and nothing else.
func TestClean(t *testing.T) {
	m := maker(t, 0, "")
	for _, dir := range []string{".backup-1", "backup-2", "keys"} {
		if err := os.MkdirAll(filepath.Join(m.data, dir, "deep"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.Clean(); err != nil || m.left(t) != 2 {
		t.Errorf("%v; %d are left", err, m.left(t))
	}
}
