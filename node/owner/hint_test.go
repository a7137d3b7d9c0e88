package owner

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"tidings"
)

// A hint names the owner of what may not be written.
func TestWithOwner(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{dir, filepath.Join(dir, "none", "there")} {
		hint := tidings.HintOf(
			WithOwner(fmt.Errorf("locking: %w", &fs.PathError{Op: "open", Path: path, Err: fs.ErrPermission})))
		if !strings.Contains(hint, dir+" belongs to ") {
			t.Errorf("%s: the hint is %q", path, hint)
		}
	}
	other := errors.New("another")
	if err := WithOwner(other); err != other {
		t.Error(err)
	}
}
