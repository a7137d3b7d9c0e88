package wholefile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// A file is replaced whole, created only where none exists, and read up to a bound. Other users cannot read it,
// and nothing else is left.
func TestWholeFiles(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := Create(file, []byte("one")); err != nil {
		t.Fatal(err)
	}
	if err := Create(file, []byte("two")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("created twice: %v", err)
	}
	if b, err := Read(file, 3); err != nil || string(b) != "one" {
		t.Errorf("%q, %v", b, err)
	}
	if _, err := Read(file, 2); err == nil {
		t.Error("more was read than may be")
	}
	if err := Write(file, []byte("three")); err != nil {
		t.Fatal(err)
	}
	if b, err := Read(file, 5); err != nil || string(b) != "three" {
		t.Errorf("%q, %v", b, err)
	}
	if info, err := os.Stat(file); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
	if err := Write(filepath.Join(dir, "none", "file"), nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("into a directory that is not there: %v", err)
	}
}
