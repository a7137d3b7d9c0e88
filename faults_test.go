package tidings_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// faultsFile is the list of hostile inputs and faults. Its rows begin with a number and the input; below stand what
// must happen, the tests and what is open.
const faultsFile = "docs/faults.md"

// numbers is a list of numbers in a sentence.
const numbers = `\d+(?:(?:,| and|, and) \d+)*`

// noTest stands in the column of tests where a row has none.
const noTest = "no test"

var (
	// citations are "hostile 27, 28", "TestHostile42" and "rows 12 and 37 of the hostile inputs".
	citations = regexp.MustCompile(`(?i)hostile,? ?` + numbers + `|rows? ` + numbers + ` of the hostile inputs`)
	number    = regexp.MustCompile(`\d+`)
	// continued is where a comment goes on in the next line, in Go and in scenes.
	continued = regexp.MustCompile(`\n\s*(?://|#) ?`)
	testFunc  = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Benchmark)\w+)\(`)
	// faultRow is a row of faultsFile: its number, and what stands below its first lines.
	faultRow  = regexp.MustCompile(`(?m)^- \*\*(\d+)\*\* .*\n(?:  [^ -].*\n)*((?:  - .*\n(?:    .*\n)*)*)`)
	faultPart = regexp.MustCompile(`(?m)^  - ([A-Z][a-z ]+): (.*\n(?:    .*\n)*)`)
)

// TestFaultsNameWhatThereIs holds that docs/faults.md names tests, scenes and scripts that exist, or says that there is
// none.
func TestFaultsNameWhatThereIs(t *testing.T) {
	tests := testsByDir(t)
	for n, held := range faultRows(t) {
		if held == noTest {
			continue
		}
		for _, why := range missingTests(tests, held) {
			t.Errorf("row %s: %s", n, why)
		}
	}
}

// TestFaultsHaveTheRowsThatAreCited holds that every row number cited in code, in a test's name or in a scene has its
// row.
func TestFaultsHaveTheRowsThatAreCited(t *testing.T) {
	rows := faultRows(t)
	cited := 0
	walk(t, func(file string) {
		if path.Ext(file) != ".go" && !strings.Contains(file, "/testdata/scenes/") {
			return
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatalf("reading what cites rows: %v", err)
		}
		for _, citation := range citations.FindAllString(continued.ReplaceAllString(string(text), " "), -1) {
			for _, n := range number.FindAllString(citation, -1) {
				cited++
				if _, ok := rows[n]; !ok {
					t.Errorf("%s cites %q: %s has no row %s", file, citation, faultsFile, n)
				}
			}
		}
	})
	if cited == 0 {
		t.Error("nothing cites a row")
	}
}

// faultRows reads the list: by the numbers of its rows, what each says of tests.
func faultRows(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile(faultsFile)
	if err != nil {
		t.Fatalf("reading the list of faults: %v", err)
	}
	rows := make(map[string]string)
	for _, m := range faultRow.FindAllStringSubmatch(string(text), -1) {
		parts := make(map[string]string)
		for _, p := range faultPart.FindAllStringSubmatch(m[2], -1) {
			parts[p[1]] = strings.Join(strings.Fields(p[2]), " ")
		}
		if parts["Must happen"] == "" || parts["Tests"] == "" {
			t.Errorf("row %s lacks \"Must happen\" or \"Tests\"", m[1])
		}
		if _, twice := rows[m[1]]; twice {
			t.Errorf("row %s is there twice", m[1])
		}
		rows[m[1]] = parts["Tests"]
	}
	if starts := strings.Count(string(text), "\n- **"); len(rows) == 0 || len(rows) != starts {
		t.Errorf("%s has %d rows, and %d lines that begin like one", faultsFile, len(rows), starts)
	}
	if strings.Contains(string(text), "\n| 1") {
		t.Errorf("%s has rows in tables: each is an entry of a list", faultsFile)
	}
	return rows
}

// missingTests returns what is wrong with a cell that names tests: "package: TestA, TestB; other, third: TestC".
func missingTests(tests map[string][]string, cell string) (wrong []string) {
	for part := range strings.SplitSeq(cell, ";") {
		packages, list, ok := strings.Cut(part, ":")
		if !ok {
			wrong = append(wrong, fmt.Sprintf("%q is neither %q nor a package and its tests", strings.TrimSpace(part),
				noTest))
			continue
		}
		for pkg := range strings.SplitSeq(packages, ",") {
			dir, why := dirOf(tests, strings.TrimSpace(pkg))
			if why != "" {
				wrong = append(wrong, fmt.Sprintf("package %q: %s", strings.TrimSpace(pkg), why))
				continue
			}
			for name := range strings.SplitSeq(list, ",") {
				if name = strings.TrimSpace(name); !isTest(tests, dir, name) {
					wrong = append(wrong, fmt.Sprintf("there is no %q in %s", name, dir))
				}
			}
		}
	}
	return wrong
}

// testsByDir lists the tests, fuzz targets and benchmarks of each directory.
func testsByDir(t *testing.T) map[string][]string {
	t.Helper()
	tests := make(map[string][]string)
	walk(t, func(file string) {
		if !strings.HasSuffix(file, "_test.go") {
			return
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatalf("reading tests: %v", err)
		}
		for _, m := range testFunc.FindAllStringSubmatch(string(text), -1) {
			tests[path.Dir(file)] = append(tests[path.Dir(file)], m[1])
		}
	})
	return tests
}

// dirOf returns the directory whose path ends with pkg, or why there is not one such. Packages of experiments are
// called after what they measure, which alone is meant where no more of the path is said.
func dirOf(tests map[string][]string, pkg string) (dir, why string) {
	for d := range tests {
		measures := strings.HasPrefix(d, "lab/experiments/") && !strings.HasPrefix(pkg, "experiments/")
		if d != pkg && !strings.HasSuffix(d, "/"+pkg) || measures {
			continue
		}
		if dir != "" {
			return "", "several have that name; say more of its path"
		}
		dir = d
	}
	if dir == "" {
		return "", "there is none with tests"
	}
	return dir, ""
}

// isTest reports whether dir has the test called name, or the file if name is a path below its testdata.
func isTest(tests map[string][]string, dir, name string) bool {
	if strings.Contains(name, "/") {
		info, err := os.Stat(path.Join(dir, "testdata", name))
		return err == nil && info.Mode().IsRegular()
	}
	return slices.Contains(tests[dir], name)
}

// walk calls do with each file of the repository, by its path from here with slashes.
func walk(t *testing.T, do func(file string)) {
	t.Helper()
	err := filepath.WalkDir(".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist): // what another test has made and removed
			return nil
		case err != nil:
			return err
		case d.IsDir() && d.Name() != "." && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir
		case d.Type().IsRegular():
			do(filepath.ToSlash(p))
		}
		return nil
	})
	if err != nil {
		t.Fatalf("walking the repository: %v", err)
	}
}
