package db

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// No statement is compiled again because of a number that it is given: see Each.
func TestLimitsDoNotCompileAnew(t *testing.T) {
	files, err := filepath.Glob("../*.go")
	parts, failed := filepath.Glob("../*/*.go")
	if err := errors.Join(err, failed); err != nil || len(files) == 0 || len(parts) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	limits := 0
	for _, file := range append(files, parts...) {
		if strings.HasSuffix(file, "_test.go") || file == "../db/query.go" {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		limits += strings.Count(string(text), "LIMIT +?")
		if strings.Contains(string(text), "LIMIT ?") {
			t.Errorf("%s: LIMIT ? compiles its statement at each call; write LIMIT +?", file)
		}
	}
	if limits == 0 {
		t.Error("there is no LIMIT +? at all")
	}
}
