package store

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tidings/store/db"
	"tidings/store/published"
)

// Several files that others may read are listed in words.
func TestCheckListsFilesInWords(t *testing.T) {
	t.Parallel()
	config := Default(dataDir(t))
	s := mustOpen(t, config)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for name, mode := range map[string]os.FileMode{"": 0o755, db.FileName: 0o644} {
		if err := os.Chmod(filepath.Join(config.Dir, name), mode); err != nil {
			t.Fatal(err)
		}
	}
	changes, err := Check(t.Context(), config.Dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range changes {
		if strings.Contains(f.Text, "may read") {
			if f.OK || !strings.Contains(f.Text, " and ") || strings.ContainsAny(f.Text, "[]") {
				t.Errorf("%+v", f)
			}
			return
		}
	}
	t.Errorf("nothing is said: %+v", changes)
}

// What is wrong though its checksum is right is found by the check, and a sound directory is found sound.
func TestCheckFindsWhatHasItsChecksum(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(t *testing.T, file string)
		sound  bool
	}{
		"nothing": {func(*testing.T, string) {}, true},
		"rows out of order": {func(t *testing.T, file string) {
			changeLeaf(t, file, "publication", tableLeaf, func(_, cells []byte) {
				cells[0], cells[1], cells[2], cells[3] = cells[2], cells[3], cells[0], cells[1]
			})
		}, false},
		"an index with an entry twice": {func(t *testing.T, file string) {
			changeIndex(t, file, "revision_channel", func(_, cells []byte) { copy(cells[:2], cells[2:4]) })
		}, false},
	} {
		dir := dataDir(t)
		s := mustOpen(t, Config{Dir: dir})
		library(t, s)
		for i := range 2 {
			if _, err := s.Published.Publish(t.Context(),
				published.Publication{Channel: channelURL(i), Key: "me"}); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		c.change(t, filepath.Join(dir, db.FileName))
		all, err := Check(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		sound := true
		for _, f := range all {
			sound = sound && f.OK
		}
		if sound != c.sound {
			t.Errorf("%s: it is found sound: %v: %+v", name, sound, all)
		}
	}
}
