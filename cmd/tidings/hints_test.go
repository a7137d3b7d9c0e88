package main

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	lab "tidings/cmd/tidings-lab/commands"
)

// named finds the commands that texts for people name: the words that commands may be, and the flags behind them.
var named = regexp.MustCompile("(?:: |`|>)(tidings(?:-lab)?) ((?:[a-z][a-z-]*)(?: [a-z][a-z-]*)*)((?: --[a-z-]+)*)")

// Hints, help and pages name commands and flags that there are.
func TestHintsNameWhatThereIs(t *testing.T) {
	parsers := parsersOf(t)
	found := 0
	err := filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && slices.Contains([]string{"testdata", ".git", "artefacts"}, entry.Name()):
			return filepath.SkipDir
		case entry.IsDir():
			return nil
		case strings.HasSuffix(path, "_test.go") ||
			!slices.Contains([]string{".go", ".html", ".js"}, filepath.Ext(path)):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, m := range named.FindAllStringSubmatch(string(text), -1) {
			found++
			if missing := lacks(parsers[m[1]].Model.Node, strings.Fields(m[2]), strings.Fields(m[3])); missing != "" {
				t.Errorf("%s names %q: there is no %s", path, strings.TrimLeft(m[0], ": `>"), missing)
			}
		}
		return nil
	})
	if err != nil || found < 100 {
		t.Errorf("%d commands were found: %v", found, err)
	}
	for text, want := range map[string]string{"lst": "lst", "key mend": "mend", "key new the rest": "",
		"list --wide": "--wide", "list --json": "", "up --help": ""} {
		words, flags, dashed := strings.Cut(text, " --")
		if dashed {
			flags = "--" + flags
		}
		if got := lacks(parsers["tidings"].Model.Node, strings.Fields(words), strings.Fields(flags)); got != want {
			t.Errorf("%s: %q is missing", text, got)
		}
	}
}

// parsersOf returns the command lines of the project's programs, by name.
func parsersOf(t testing.TB) map[string]*kong.Kong {
	product, _, err := newParser(new(commands), &program{env: func(string) string { return "" }}, io.Discard,
		io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	laboratory, err := lab.Parser(io.Discard, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]*kong.Kong{"tidings": product, "tidings-lab": laboratory}
}

// lacks returns the first word or flag of a command that there is not; "" if all are there. Words behind a command that
// has no further ones are its arguments, or prose.
func lacks(node *kong.Node, words, flags []string) string {
	for _, word := range words {
		at := slices.IndexFunc(node.Children, func(n *kong.Node) bool { return n.Name == word })
		if at < 0 && len(node.Children) > 0 {
			return word
		}
		if at < 0 {
			break
		}
		node = node.Children[at]
	}
	for _, flag := range flags {
		if !slices.ContainsFunc(slices.Concat(node.AllFlags(false)...),
			func(f *kong.Flag) bool { return "--"+f.Name == flag }) {
			return flag
		}
	}
	return ""
}
