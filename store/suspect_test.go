package store

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"tidings"
	"tidings/store/db"
)

// hostile 52: a file too large to be checked at each start is checked, and repaired, at the start after damage was
// found. Scrub finds it, or a reader does.
func TestHostile52LargeFileIsCheckedWhenSuspect(t *testing.T) {
	for name, find := range map[string]func(s *Store){
		"by the scrub": func(s *Store) { scrubAll(t, s) },
		"by reading": func(s *Store) {
			for id := range int64(100) {
				_, _ = s.Reader.Entry(t.Context(), tidings.Owner, id+1) // some cannot be read
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := dataDir(t)
			file := filepath.Join(dir, db.FileName)
			s := mustOpen(t, Config{Dir: dir, MaxChecked: -1})
			library(t, s)
			for i := range 30 {
				publish(t, s, channelURL(1), story{string(rune('a' + i)), "needle" + words(i, 500)})
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			whole, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			where := bytes.Index(whole, []byte("Story p"))
			if where < 0 {
				t.Fatal("the text is not in the file as it is")
			}
			flip(t, file, int64(where+3))
			s = mustOpen(t, Config{Dir: dir, MaxChecked: -1})
			if told := s.DB.Damage(); len(told) > 0 {
				t.Fatalf("the whole file was checked: %+v", told)
			}
			find(s)
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			s = mustOpen(t, Config{Dir: dir, MaxChecked: -1})
			if told := s.DB.Damage(); len(told) != 1 || !told[0].Repaired || told[0].Table != "revision" {
				t.Errorf("after the start: %+v", told)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			if _, err := os.Stat(file + ".suspect"); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("it is suspect still: %v", err)
			}
		})
	}
}
