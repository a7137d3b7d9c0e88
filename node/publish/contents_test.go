package publish

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tidings"
)

func TestContentFiles(t *testing.T) {
	for _, c := range []struct{ url, id, want string }{
		{"https://b.example/2026/03/hello/", "tag:b.example,2026:hello",
			"2026/03/hello/index.html 2026/03/hello.html hello.html tag-b.example-2026-hello.html"},
		{"https://b.example/p/x.html?a=b", "7", "p/x.html x.html 7.html"},
		{"https://b.example/", "", "index.html"},
		{"https://b.example/../../etc/passwd", "../../etc/passwd",
			"etc/passwd/index.html etc/passwd.html passwd.html ..-..-etc-passwd.html"},
		{"", "..", ""},
	} {
		if got := strings.Join(contentFiles(&tidings.Item{URL: c.url, ID: c.id}), " "); got != c.want {
			t.Errorf("%s %s: %s", c.url, c.id, got)
		}
	}
}

// A directory of contents gives what is in it, and nothing else.
func TestContentsStayInTheirDirectory(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "secret.html"), "secret")
	writeFile(t, filepath.Join(dir, "site/a.html"), "<p>A")
	writeFile(t, filepath.Join(dir, "site/b.html"), strings.Repeat("x", maxFullContent+1))
	writeFile(t, filepath.Join(dir, "site/d/index.html"),
		"<!doctype html><html><body>all<main><p onclick='x()'>M</p></main></body></html>")
	if err := errors.Join(os.Symlink("../secret.html", filepath.Join(dir, "site/c.html")),
		os.Mkdir(filepath.Join(dir, "site/e.html"), 0o700)); err != nil {
		t.Fatal(err)
	}
	c, err := openContents(filepath.Join(dir, "site"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	for place, want := range map[string]string{"a": "<p>A</p>", "b": "", "c": "", "d": "<p>M</p>", "e": "",
		"../secret": ""} {
		if got := c.of(&tidings.Item{URL: "https://b.example/" + place}); got != want {
			t.Errorf("%s: %q", place, got)
		}
	}
	if _, err := openContents(filepath.Join(dir, "none")); !errors.Is(err, tidings.ErrInvalid) {
		t.Errorf("no directory: %v", err)
	}
}
