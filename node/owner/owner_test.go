//go:build unix

package owner

import (
	"os"
	"path/filepath"
	"testing"
)

// Of a file's mode, the bits for the user decide. An owner that the mode excludes is excluded even if others are not.
func TestCanRead(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	own, known := Of(file)
	if !known {
		t.Fatal("it belongs to nobody")
	}
	other := ID{own.User + 1, own.Group + 1}
	for _, test := range []struct {
		who  ID
		mode os.FileMode
		want bool
	}{
		{other, 0o600, false}, {other, 0o640, false}, {other, 0o604, true},
		{ID{own.User + 1, own.Group}, 0o640, true}, {ID{own.User + 1, own.Group}, 0o604, false},
		{ID{Root, own.Group}, 0o000, true},
	} {
		if err := os.Chmod(file, test.mode); err != nil {
			t.Fatal(err)
		}
		if got, err := test.who.CanRead(file); err != nil || got != test.want {
			t.Errorf("%+v of %+v with mode %o: %v, %v", test.who, own, test.mode, got, err)
		}
	}
	dir := filepath.Dir(file)
	for mode, want := range map[os.FileMode]bool{0o705: true, 0o704: false, 0o700: false} {
		if err := os.Chmod(dir, mode); err != nil {
			t.Fatal(err)
		}
		if got, err := other.CanRead(dir); err != nil || got != want {
			t.Errorf("a directory with mode %o: %v, %v", mode, got, err)
		}
	}
	if _, err := own.CanRead(filepath.Join(dir, "none")); err == nil {
		t.Error("it can read what is not there")
	}
}
