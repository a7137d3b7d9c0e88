// Package effort has how much tests are to do. There are three measures. ./test -short asks testing.Short. ./test does
// everything that may fail, on as many cases as find it. And there are all cases.
package effort

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"tidings/lab/dataset"
)

// All reports whether tests are to try all cases that they have: all seeds, sizes and histories. It is so under ./test
// -all, which sets TIDINGS_ALL.
func All() bool { return os.Getenv("TIDINGS_ALL") != "" }

// The archives of the histories that tests read have at most so many bytes, unless all are read.
const (
	maxArchive      = 256 << 10
	maxShortArchive = 48 << 10
)

// Histories returns the archives of the recorded histories of a folder that a test is to read, by name. It skips the
// test where there are no recorded documents.
func Histories(t testing.TB, folder string) []string {
	t.Helper()
	files, err := dataset.Histories(filepath.Join(dataset.NeedDir(t), folder))
	if err != nil {
		t.Fatal(err)
	}
	most := int64(maxArchive)
	switch {
	case testing.Short():
		most = maxShortArchive
	case All():
		return files
	}
	files = slices.DeleteFunc(files, func(file string) bool {
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		return info.Size() > most
	})
	if len(files) == 0 {
		t.Fatalf("no history in %s has an archive of at most %d bytes", folder, most)
	}
	return files
}
