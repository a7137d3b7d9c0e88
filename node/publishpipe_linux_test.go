package node

import (
	"errors"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"tidings"
)

// A pipe that nobody writes to, where a feed or an item's content is looked for, holds nothing up.
func TestAPipeIsNoFeedToPublish(t *testing.T) {
	dir := t.TempDir()
	if err := unix.Mkfifo(filepath.Join(dir, "hello.html"), 0o600); err != nil {
		t.Skip(err)
	}
	p := &publisher{node: &Node{config: Default()}}
	if _, err := p.read(t.Context(), filepath.Join(dir, "hello.html")); !errors.Is(err, tidings.ErrInvalid) {
		t.Errorf("reading it as a feed: %v", err)
	}
	c, err := openContents(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	if text, err := c.read("hello.html"); err == nil {
		t.Errorf("reading it as a content: %q", text)
	}
}
