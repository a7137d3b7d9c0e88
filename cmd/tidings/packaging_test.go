package main

import (
	"compress/gzip"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Packages install files that are made of the present commands, and name no place of the machine that made them.
func TestPackagesHaveTheManualPageAndCompletions(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "tidings") // by this name TestMain runs the program
	if err := os.Symlink(self, program); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "../../packaging/generate", program,
		dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for name, wants := range map[string][]string{
		"man/man1/tidings.1.gz":                  {".TH TIDINGS 1 ", "subscribe", "~/", "patch"},
		"bash-completion/completions/tidings":    {"complete -o default -o bashdefault -C tidings tidings\n"},
		"fish/vendor_completions.d/tidings.fish": {"complete -f -c tidings "},
	} {
		file, err := os.Open(filepath.Join(dir, "share", name))
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		var from io.Reader = file
		if strings.HasSuffix(name, ".gz") {
			if from, err = gzip.NewReader(file); err != nil {
				t.Fatal(err)
			}
		}
		text, err := io.ReadAll(from)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range wants {
			if !strings.Contains(string(text), want) {
				t.Errorf("%s lacks %q:\n%.300s", name, want, text)
			}
		}
		if strings.Contains(string(text), dir) || strings.Contains(string(text), "/home/you") {
			t.Errorf("%s names where it was made:\n%.300s", name, text)
		}
	}
}
