package member

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestNetworkKeyFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "key")
	if err := WriteNetworkKey(file); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if key, err := ReadNetworkKey(file); err != nil || len(key) == 0 {
		t.Errorf("what was written cannot be read: %v", err)
	}
	if err := WriteNetworkKey(file); err == nil {
		t.Error("a key was replaced")
	}
	if err := WriteNetworkKey(filepath.Join(file, "x")); err == nil || errors.Is(err, fs.ErrExist) {
		t.Errorf("in a folder that is none: %v", err)
	}
}
