//go:build unix

package publish

import (
	"errors"
	"io/fs"
	"path/filepath"
	"syscall"
	"testing"

	"tidings"
	"tidings/source/feed"
)

// A pipe in place of a feed, or among a site's files, is not opened: that would wait for its writer, for ever.
func TestPipesAreNotWaitedFor(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pipe := filepath.Join(dir, "index.html")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip("no pipes here:", err)
	}
	r := &reader{feed: feed.Default(), limit: 1 << 20}
	if _, err := r.read(t.Context(), pipe); !errors.Is(err, tidings.ErrInvalid) {
		t.Errorf("reading a feed from a pipe: %v", err)
	}
	c, err := openContents(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	if _, err := c.read("index.html"); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("reading a content from a pipe: %v", err)
	}
	if _, _, err := c.open(candidate{names: []string{"index.html"}, exact: 1}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("opening a pipe as a file: %v", err)
	}
}
