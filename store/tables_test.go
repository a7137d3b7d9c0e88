package store

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Each table is written by one part alone, so that what it promises can be read in one place.
func TestEachTableIsWrittenByOnePart(t *testing.T) {
	written := regexp.MustCompile("(?:INSERT INTO|INSERT OR \\w+ INTO|UPDATE OR \\w+|UPDATE|DELETE FROM) ([a-z_]+)[ `]")
	writers := make(map[string]string)
	err := filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, found := range written.FindAllStringSubmatch(string(text), -1) {
			table, part := found[1], filepath.Dir(path)
			if before, known := writers[table]; known && before != part {
				t.Errorf("table %s is written by %s and by %s", table, before, part)
			}
			writers[table] = part
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for table, part := range map[string]string{"channel": "content", "item": "content", "mark": "reader",
		"star": "reader", "past": "shared", "pin": "pushed"} {
		if writers[table] != part {
			t.Errorf("table %s is written by %q, not by %s", table, writers[table], part)
		}
	}
}
