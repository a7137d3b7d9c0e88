package node

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
	c := Default()
	c.Data, c.NetworkKeyFile = t.TempDir(), file
	if err := c.Validate(); err != nil {
		t.Errorf("what was written cannot be read: %v", err)
	}
	if err := WriteNetworkKey(file); err == nil {
		t.Error("a key was replaced")
	}
	if err := WriteNetworkKey(filepath.Join(file, "x")); err == nil || errors.Is(err, fs.ErrExist) {
		t.Errorf("in a folder that is none: %v", err)
	}
}
