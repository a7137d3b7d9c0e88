package identity

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tidings"
)

// hostile 80: a byte of the key's file changes. The key is put right by the ID that the node had. If that is unknown,
// or more has changed, an error names the file and the remedy. A key that has been moved away or made anew is none.
func TestHostile80KeyFile(t *testing.T) {
	dir := t.TempDir()
	key, err := Of(dir)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, KeyFile)
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	change := func(where ...int) {
		text := bytes.Clone(whole)
		for _, at := range where {
			text[at] ^= 3
		}
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	wrong := func(what string, err error) {
		t.Helper()
		if err == nil || !strings.Contains(tidings.Reason(err), file) ||
			!strings.Contains(tidings.HintOf(err), "from a copy") {
			t.Errorf("%s: %q, %q", what, err, tidings.HintOf(err))
		}
	}
	for at := 0; at < len(whole); at += 5 {
		change(at)
		_, err := Check(dir, ID(key))
		if again, failed := Of(dir); err != nil || failed != nil || ID(again) != ID(key) {
			t.Fatalf("byte %d: %v, %v", at, err, failed)
		}
	}
	change(40, 60)
	_, err = Check(dir, ID(key))
	wrong("two bytes", err)
	change(2)
	_, err = Check(dir, "")
	wrong("an ID that is not known", err)
	change()
	_, err = Check(dir, strings.Repeat("ab", 20))
	if wrong("another node's key", err); !errors.Is(err, ErrOther) {
		t.Error(err)
	}
	if mended, err := Check(dir, ""); mended || err != nil {
		t.Error(mended, err)
	}
	other, err := Of(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := Replace(dir, key, other); err != nil {
		t.Fatal(err)
	}
	if mended, err := Check(dir, ID(key)); mended || err != nil {
		t.Errorf("a key that was replaced: %v, %v", mended, err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if mended, err := Check(dir, ID(key)); mended || err != nil {
		t.Errorf("a key that was moved away: %v, %v", mended, err)
	}
}
