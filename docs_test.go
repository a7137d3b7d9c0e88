package tidings_test

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// mapFile is the map of the code. It has the tree of packages in a block of its own, pictures, and tables.
const mapFile = "ARCHITECTURE.md"

var (
	// quoted is what stands between backticks in a line.
	quoted = regexp.MustCompile("`([^`]+)`")
	// located is a quoted text that names a file or a package by its path from here.
	located = regexp.MustCompile(`^(?:[\w.-]+/)+[\w.-]+$|^[\w-]+\.(?:go|md)$`)
	// heldBy is a cell that names tests, as the cells of faultsFile do.
	heldBy = regexp.MustCompile(`\| ([\w/.]+: (?:Test|Fuzz)\w+[^|]*) \|$`)
)

// TestTheMapNamesWhatThereIs holds that files, packages and tests that the map names exist.
func TestTheMapNamesWhatThereIs(t *testing.T) {
	tests := testsByDir(t)
	named := 0
	for _, line := range mapLines(t) {
		for _, m := range quoted.FindAllStringSubmatch(line, -1) {
			if !located.MatchString(m[1]) {
				continue
			}
			named++
			if _, err := os.Stat(m[1]); err != nil {
				t.Errorf("%s names %s: %v", mapFile, m[1], err)
			}
		}
		cell := heldBy.FindStringSubmatch(line)
		if cell == nil {
			if strings.Contains(line, " Test") {
				t.Errorf("%s: %q does not end with a cell of packages and their tests", mapFile, line)
			}
			continue
		}
		named++
		for _, why := range missingTests(tests, cell[1]) {
			t.Errorf("%s: %s", mapFile, why)
		}
	}
	if named == 0 {
		t.Error("nothing is named")
	}
}

// TestTheMapHasAllPackages holds that the tree of the map is that of the code: each layer and each package in one has
// its place there. What is further down may have.
func TestTheMapHasAllPackages(t *testing.T) {
	var tree []string
	for _, line := range mapTree(t) {
		head, _, _ := strings.Cut(line, "  ")
		first, others, _ := strings.Cut(head, ", ")
		tree = append(tree, first)
		for other := range strings.SplitSeq(others, ", ") {
			if other != "" {
				tree = append(tree, path.Join(path.Dir(first), other))
			}
		}
	}
	for _, folder := range tree {
		switch files, err := filepath.Glob(path.Join(folder, "*.go")); {
		case err != nil:
			t.Fatal(err)
		case len(files) == 0:
			t.Errorf("%s has %s, which is no package", mapFile, folder)
		}
	}
	for _, pkg := range packages(t) {
		layer, own, below := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(pkg.ImportPath, "tidings"), "/"), "/")
		if below {
			parts := strings.Split(own, "/")
			depth := 1
			if parts[0] == "routers" { // a folder of packages alone
				depth = 2
			}
			layer = path.Join(append([]string{layer}, parts[:depth]...)...)
		}
		if layer != "" && !slices.Contains(tree, layer) {
			t.Errorf("%s lacks %s", mapFile, layer)
		}
	}
}

// mapLines returns the lines of the map.
func mapLines(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile(mapFile)
	if err != nil {
		t.Fatalf("reading the map: %v", err)
	}
	return strings.Split(string(text), "\n")
}

// mapTree returns the lines of the map's first block, which is the tree.
func mapTree(t *testing.T) []string {
	t.Helper()
	lines := mapLines(t)
	begin := slices.Index(lines, "```")
	if begin < 0 {
		t.Fatalf("%s has no tree", mapFile)
	}
	length := slices.Index(lines[begin+1:], "```")
	if length <= 0 {
		t.Fatalf("the tree of %s has no end", mapFile)
	}
	return lines[begin+1:][:length]
}
