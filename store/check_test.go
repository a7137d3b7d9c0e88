package store

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tidings/store/db"
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
