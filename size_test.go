package tidings_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Bounds of what one reader can keep in mind. Files of tests do not count. Types of a package that embed, or hold a
// pointer to, the same unexported type of that package count as one: the sum of their methods and of that type's.
const (
	maxMethods = 60 // of a type
	maxFiles   = 40 // of a package
	maxOfStore = 30 // methods of the store, and of each of its parts
	maxShared  = 10 // files of the root package: a type that not all layers share belongs elsewhere
)

// debts are the types and packages that exceed the bounds, with their present sizes. A size here may shrink, and never
// grow.
var debts = map[string]int{
	"network/astrolabe.Node": 68,

	"network/sim.World": 123,
	"network/corona/plan.view and those that share it":    115,
	"network/live.inbox and those that share it":          63,
	"network/live.loop and those that share it":           159,
	"network/routers/rappel.core and those that share it": 97,
	"network/routers/rappel.tree and those that share it": 96,
	"network/live": 49,
}

// Types and packages stay small enough to be understood as a whole.
func TestTypesAndPackagesAreSmall(t *testing.T) {
	methods, files := make(map[string]int), make(map[string]int)
	sharing := make(map[string]map[string]bool) // which types hold a pointer to an unexported type, by that
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
			for holder, held := range pointersIn(d) {
				for _, name := range held {
					if sharing[pkg+"."+name] == nil {
						sharing[pkg+"."+name] = make(map[string]bool)
					}
					sharing[pkg+"."+name][pkg+"."+holder] = true
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	together := make(map[string]int)
	for name, holders := range sharing {
		if len(holders) > 1 {
			together[name+" and those that share it"] = sumOf(methods, name, holders)
		}
	}
	found := make(map[string]int)
	for _, sizes := range []struct {
		of   map[string]int
		most int
		what string
	}{{methods, maxMethods, "methods"}, {together, maxMethods, "methods"}, {files, maxFiles, "files"}} {
		for _, name := range slices.Sorted(maps.Keys(sizes.of)) {
			size := sizes.of[name]
			most := sizes.most
			if strings.HasPrefix(name, "store") && strings.HasSuffix(name, ".Store") {
				most = maxOfStore
			}
			if name == "." {
				most = maxShared
			}
			if size <= most {
				continue
			}
			found[name] = size
			switch debt, known := debts[name]; {
			case !known:
				t.Errorf("%s has %d %s, more than %d: divide it", name, size, sizes.what, most)
			case size > debt:
				t.Errorf("%s has grown from %d to %d %s: divide it, it has too many already", name, debt, size,
					sizes.what)
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

// sumOf returns how many methods a type has with those that hold it, which are one that stands in several places.
func sumOf(methods map[string]int, name string, holders map[string]bool) int {
	sum := methods[name]
	for holder := range holders {
		if holder != name {
			sum += methods[holder]
		}
	}
	return sum
}

// pointersIn returns which structs of a declaration embed or hold a pointer to an unexported type of their package.
func pointersIn(d ast.Decl) map[string][]string {
	held := make(map[string][]string)
	decl, ok := d.(*ast.GenDecl)
	if !ok {
		return held
	}
	for _, spec := range decl.Specs {
		typ, ok := spec.(*ast.TypeSpec)
		if !ok {
			continue
		}
		fields, ok := typ.Type.(*ast.StructType)
		if !ok {
			continue
		}
		for _, f := range fields.Fields.List {
			star, ok := f.Type.(*ast.StarExpr)
			if !ok {
				continue
			}
			if name, ok := star.X.(*ast.Ident); ok && !name.IsExported() && types.Universe.Lookup(name.Name) == nil {
				held[typ.Name.Name] = append(held[typ.Name.Name], name.Name)
			}
		}
	}
	return held
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
