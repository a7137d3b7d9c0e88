package publish

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"tidings"
)

// The file of an enclosure is found by its address, and nothing outside of the directory is.
func TestWhichFileIsAnEnclosures(t *testing.T) {
	dir := t.TempDir()
	for name, size := range map[string]int{"site/audio/1.mp3": 1, "site/2.mp3": 2, "site/audio/3.mp3": 3,
		"site/3.mp3": 4, "secret.mp3": 5, "site/a b.mp3": 6, "site/folder/x": 7} {
		file := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700),
			os.WriteFile(file, make([]byte, size), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(dir, "secret.mp3"), filepath.Join(dir, "site", "link.mp3")); err != nil {
		t.Fatal(err)
	}
	c, err := openContents(filepath.Join(dir, "site"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	for _, test := range []struct {
		url  string
		says int64 // as long the feed says that it is
		size int64 // 0: there is none
	}{
		{"https://blog.example/audio/1.mp3", 0, 1},
		{"https://cdn.example/audio/1.mp3?t=5", 9, 1},
		{"https://blog.example/audio/2.mp3", 2, 2},
		{"https://blog.example/audio/2.mp3", 3, 0}, // another of that name
		{"https://blog.example/audio/2.mp3", 0, 0},
		{"https://blog.example/audio/3.mp3", 4, 3},
		{"https://blog.example/a%20b.mp3", 0, 6},
		{"https://blog.example/../secret.mp3", 5, 0},
		{"https://blog.example/%2e%2e/secret.mp3", 5, 0},
		{"https://blog.example/link.mp3", 5, 0},
		{"https://blog.example/folder", 7, 0},
		{"https://blog.example/", 1, 0},
		{"https://blog.example", 1, 0},
		{"::", 1, 0},
	} {
		size := int64(0)
		for _, of := range candidatesOf(&tidings.Item{Enclosures: []tidings.Enclosure{{URL: test.url, Length: test.says}}}) {
			if f, info, err := c.open(of); err == nil {
				size = info.Size()
				_ = f.Close()
			}
		}
		if size != test.size {
			t.Errorf("of %s there is a file of %d bytes, not %d", test.url, size, test.size)
		}
	}
}
