package network_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// worlds are the packages that make the world that protocols live in. What is below them is
// free as well.
var worlds = []string{"sim", "live", "routertest"}

// isFree reports whether a folder holds no protocol, but a world or what only tests import:
// engine/enginetest.
func isFree(folder string) bool {
	folder = filepath.ToSlash(folder)
	return slices.Contains(worlds, folder) || path.Base(folder) == path.Base(path.Dir(folder))+"test" ||
		path.Base(folder) == "testdata"
}

// forbiddenImports are what a protocol does without, each with the reason.
var forbiddenImports = map[string]string{
	"sync":         "a protocol is called one thing at a time: there is nothing to lock",
	"sync/atomic":  "a protocol is called one thing at a time: there is nothing to share",
	"math/rand":    "its chance does not come from the seed; Env.Rand does",
	"crypto/rand":  "its chance does not come from the seed; Env.Rand does",
	"hash/maphash": "its seed differs from run to run",
	"net":          "a protocol reaches others by Env.Send alone",
	"net/http":     "a protocol reaches others by Env.Send alone",
	"os":           "a protocol has no files and no environment; what it keeps it is handed",
	"os/exec":      "a protocol starts nothing",
	"log":          "a protocol does not log: it traces",
	"log/slog":     "a protocol does not log: it traces",
	"runtime":      "what a protocol does must not depend on the machine",
	"unsafe":       "addresses in memory differ from run to run",
	"context":      "nothing in a protocol waits, so there is nothing to cancel",
}

// forbiddenNames are what a protocol must not use of a package that it may import otherwise.
// "*" stands for all functions but those in allowedNames.
var forbiddenNames = map[string]struct {
	names []string
	why   string
}{
	"time": {
		[]string{"Now", "Since", "Until", "After", "AfterFunc", "Sleep", "NewTimer", "NewTicker", "Tick", "Local",
			"LoadLocation"},
		"time comes from Env.Now, Env.Wall and Env.After, or a run would not depend on its seed alone",
	},
	"math/rand/v2": {[]string{"*"}, "the package's own source is seeded by the machine; Env.Rand is seeded by the run"},
	"fmt": {
		[]string{"Print", "Printf", "Println", "Scan", "Scanf", "Scanln"},
		"a protocol does not talk to people: it traces",
	},
	"maps": {
		[]string{"Keys", "Values", "All"},
		"the order of a map differs from run to run; sort at once (slices.Sorted) or keep a slice",
	},
}

// allowedNames are exceptions to "*": types, and functions that draw nothing.
var allowedNames = map[string][]string{
	"math/rand/v2": {"Rand", "Source", "PCG", "ChaCha8", "Zipf", "New", "NewPCG", "NewChaCha8", "NewZipf"},
}

// Protocols are plain objects that act through their Env alone. That is what lets one seed
// repeat a run and one loop drive a node.
func TestProtocolsActThroughTheirEnv(t *testing.T) {
	checked := 0
	err := filepath.WalkDir(".", func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && isFree(file):
			return filepath.SkipDir
		case entry.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go"):
			return nil
		}
		checked++
		for _, broken := range violations(t, file, nil) {
			t.Error(broken)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if checked == 0 {
		t.Fatal("no files were looked at")
	}
}

// violations returns what a file does that a protocol must not. source is its text, or nil
// to read it.
func violations(t *testing.T, name string, source any) (found []string) {
	t.Helper()
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatalf("reading %s: %v", name, err)
	}
	report := func(node ast.Node, format string, args ...any) {
		found = append(found, fmt.Sprintf("%s: ", files.Position(node.Pos()))+fmt.Sprintf(format, args...))
	}
	imported := make(map[string]string) // by the name in the file
	for _, spec := range file.Imports {
		target, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if why := forbiddenImports[target]; why != "" {
			report(spec, "imports %s: %s", target, why)
		}
		name := nameOf(target, spec.Name)
		imported[name] = target
		if _, partly := forbiddenNames[target]; partly && name == "." {
			report(spec, "imports %s without a name, which hides what is used of it", target)
		}
	}
	sorted := make(map[ast.Node]bool) // what is sorted where it is made
	ast.Inspect(file, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.CallExpr:
			if isSort(node.Fun, imported) {
				if made, ok := node.Args[0].(*ast.CallExpr); ok {
					sorted[made.Fun] = true
				}
			}
		case *ast.GoStmt:
			report(node, "starts a goroutine: what takes long goes to Env.Work")
		case *ast.SelectStmt:
			report(node, "selects: nothing in a protocol waits")
		case *ast.ChanType:
			report(node, "has a channel of Go: nothing in a protocol waits")
		case *ast.SelectorExpr:
			if pkg, ok := node.X.(*ast.Ident); ok && !sorted[node] && forbidden(imported[pkg.Name], node.Sel.Name) {
				report(node, "uses %s.%s: %s", imported[pkg.Name], node.Sel.Name,
					forbiddenNames[imported[pkg.Name]].why)
			}
		}
		return true
	})
	return found
}

// nameOf returns what an import is called in its file.
func nameOf(target string, given *ast.Ident) string {
	if given != nil {
		return given.Name
	}
	name := target[strings.LastIndexByte(target, '/')+1:]
	if target == "math/rand/v2" {
		return "rand"
	}
	return name
}

// isSort reports whether fun is slices.Sorted or one of its relatives.
func isSort(fun ast.Expr, imported map[string]string) bool {
	of, ok := fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	pkg, ok := of.X.(*ast.Ident)
	return ok && imported[pkg.Name] == "slices" && strings.HasPrefix(of.Sel.Name, "Sorted")
}

func forbidden(target, name string) bool {
	names := forbiddenNames[target].names
	return slices.Contains(names, name) || slices.Contains(names, "*") && !slices.Contains(allowedNames[target], name)
}

func TestViolationsAreSeen(t *testing.T) {
	for _, test := range []struct {
		source string
		want   []string // a part of each violation, in order
	}{
		{`import "time"; var x time.Duration = time.Second; func f(t time.Time) time.Time { return t.Add(x) }`, nil},
		{`import "math/rand/v2"; func f(r *rand.Rand) int { return rand.New(rand.NewPCG(1, 2)).IntN(3) }`, nil},
		{`import "maps"; var x = maps.Clone(map[int]int{})`, nil},
		{`import ("maps"; "slices"); func f(m map[int]int) []int { return slices.Sorted(maps.Keys(m)) }`, nil},
		{`type now struct{ Now int }; func f(time now) int { return time.Now }`, nil},
		{`import "sync"; var x sync.Mutex`, []string{"imports sync:"}},
		{`import "time"; var x = time.Now`, []string{"uses time.Now"}},
		{`import clock "time"; func f() { clock.Sleep(1); <-clock.After(1) }`,
			[]string{"uses time.Sleep", "uses time.After"}},
		{`import . "time"; var x = Now()`, []string{"imports time without a name"}},
		{`import "math/rand"; var x = rand.Int()`, []string{"imports math/rand:"}},
		{`import "math/rand/v2"; var x, y = rand.IntN(3), rand.Perm(2)`,
			[]string{"uses math/rand/v2.IntN", "uses math/rand/v2.Perm"}},
		{`import ("os"; "net"; "net/http"; "log"; "log/slog"; "sync/atomic")`,
			[]string{"imports os:", "imports net:", "imports net/http:", "imports log:", "imports log/slog:",
				"imports sync/atomic:"}},
		{`func f() { go f() }`, []string{"starts a goroutine"}},
		{`func f(c chan int) { select {} }`, []string{"has a channel", "selects"}},
		{`import "fmt"; func f() { fmt.Println() }`, []string{"uses fmt.Println"}},
		{`import "maps"; func f(m map[int]int) { for range maps.Keys(m) {} }`, []string{"uses maps.Keys"}},
	} {
		got := violations(t, "protocol.go", "package p; "+test.source)
		if !slices.EqualFunc(got, test.want, strings.Contains) {
			t.Errorf("%s\n\tgives %q\n\twant %q", test.source, got, test.want)
		}
	}
}
