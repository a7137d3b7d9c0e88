package tidings_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Bounds of what one reader can keep in mind. Files of tests do not count.
const (
	maxMethods = 60 // of a type
	maxFiles   = 40 // of a package
)

// debts are the types and packages that exceed the bounds, with their present sizes. A size here may shrink, and never grow.
var debts = map[string]int{
	"delivery/api.handler":   63,
	"delivery/web.site":      67,
	"network/archive.Node":   100,
	"network/astrolabe.Node": 104,

	"network/feedtree.Node":              104,
	"network/newswire.Node":              69,
	"network/pastry.Node":                91,
	"network/scribe.Node":                129,
	"network/sim.World":                  123,
	"network/spidercast/overlay.Overlay": 80,
	"store.Store":                        75,
	"delivery/web":                       46,
	"network/live":                       49,
	"network/sim":                        41,
	"source/feed":                        41,
	"store":                              47,
}

// Types and packages stay small enough to be understood as a whole.
func TestTypesAndPackagesAreSmall(t *testing.T) {
	methods, files := make(map[string]int), make(map[string]int)
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (strings.HasPrefix(entry.Name(), ".") && path != "." || entry.Name() == "testdata"):
			return filepath.SkipDir
		case entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		pkg := filepath.ToSlash(filepath.Dir(path))
		files[pkg]++
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return fmt.Errorf("reading Go: %w", err)
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil {
				methods[pkg+"."+receiver(f.Recv.List[0].Type)]++
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	found := make(map[string]int)
	for _, sizes := range []struct {
		of   map[string]int
		most int
		what string
	}{{methods, maxMethods, "methods"}, {files, maxFiles, "files"}} {
		for _, name := range slices.Sorted(maps.Keys(sizes.of)) {
			size := sizes.of[name]
			if size <= sizes.most {
				continue
			}
			found[name] = size
			switch debt, known := debts[name]; {
			case !known:
				t.Errorf("%s has %d %s, more than %d: divide it", name, size, sizes.what, sizes.most)
			case size > debt:
				t.Errorf("%s has grown from %d to %d %s: divide it, it has too many already", name, debt, size, sizes.what)
			case size < debt:
				t.Errorf("%s has shrunk to %d %s: write that into debts, so that it stays so", name, size, sizes.what)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(debts)) {
		if found[name] == 0 {
			t.Errorf("%s is small enough now: take it out of debts", name)
		}
	}
}

// receiver returns the name of a method's type.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}
