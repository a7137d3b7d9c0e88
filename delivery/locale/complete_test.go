package locale_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tidings"
	"tidings/delivery/locale"
	"tidings/delivery/mail"
	"tidings/delivery/notify"
	"tidings/delivery/web/shell"
)

// Each language has every text of templates, code and scripts, and none that nothing shows.
func TestLanguagesAreWhole(t *testing.T) {
	texts, counted := make(map[string]string), make(map[string]string) // where they are
	walk := func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil || entry.IsDir():
			return err
		case filepath.Ext(path) == ".html":
			source, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			these, counts := locale.TextsOf(string(source))
			for _, text := range these {
				texts[text] = path
			}
			for _, c := range counts {
				counted[c] = path
			}
		case filepath.Ext(path) == ".go" && !strings.HasSuffix(path, "_test.go"):
			return textsOfCode(path, texts, counted)
		}
		return nil
	}
	for _, folder := range []string{"../web", "../mail", "../notify"} {
		if err := filepath.WalkDir(folder, walk); err != nil {
			t.Fatal(err)
		}
	}
	for _, kind := range tidings.TargetKinds {
		d := notify.Describe(kind)
		texts[d.Label], texts[d.URL] = "notify", "notify"
		if d.Secret != "" {
			texts[d.Secret] = "notify"
		}
	}
	for _, text := range mail.PageTexts() {
		texts[text] = "mail"
	}
	ofScripts, countedByScripts := shell.ScriptTexts()
	for _, text := range ofScripts {
		texts[text] = "scripts"
	}
	for _, c := range countedByScripts {
		counted[c[0]+"|"+c[1]] = "scripts"
	}
	if len(texts) < 500 || len(counted) < 10 {
		t.Fatalf("%d texts and %d that are counted: they are not found", len(texts), len(counted))
	}
	for _, l := range locale.All()[1:] {
		own, ownCounted := l.Keys()
		missing(t, l.Tag()+" lacks", texts, own)
		missing(t, l.Tag()+" lacks, of what is counted,", counted, ownCounted)
		unused(t, l.Tag()+" has, and nothing shows,", texts, own)
		unused(t, l.Tag()+" counts, and nothing shows,", counted, ownCounted)
	}
}

func missing(t *testing.T, what string, wanted map[string]string, has []string) {
	t.Helper()
	for _, text := range slices.Sorted(maps.Keys(wanted)) {
		if !slices.Contains(has, text) {
			t.Errorf("%s %q (%s)", what, text, wanted[text])
		}
	}
}

func unused(t *testing.T, what string, wanted map[string]string, has []string) {
	t.Helper()
	for _, text := range has {
		if _, ok := wanted[text]; !ok {
			t.Errorf("%s %q", what, text)
		}
	}
}

// textArguments are which arguments of calls of a name are texts.
var textArguments = map[string][]int{"Text": {0}, "Good": {0, 1}, "Wait": {0, 1}, "Bad": {0, 1}, "Idle": {0, 1}}

// textsOfCode adds the texts of a file of Go code: the literals that are given to a Locale, or to Words.
func textsOfCode(path string, texts, counted map[string]string) error {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		fun, ok := call.Fun.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		for _, i := range textArguments[fun.Sel.Name] {
			if i < len(call.Args) {
				if text := literal(call.Args[i]); text != "" {
					texts[text] = path
				}
			}
		}
		if name := fun.Sel.Name; (name == "Count" || name == "Form") && len(call.Args) == 3 {
			if one, many := literal(call.Args[1]), literal(call.Args[2]); one != "" {
				counted[one+"|"+many] = path
			}
		}
		return true
	})
	return nil
}

// literal returns the string that an expression is: a literal, or several that are added.
func literal(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		if text, err := strconv.Unquote(e.Value); err == nil && e.Kind == token.STRING {
			return text
		}
	case *ast.BinaryExpr:
		if a, b := literal(e.X), literal(e.Y); e.Op == token.ADD && a != "" && b != "" {
			return a + b
		}
	}
	return ""
}
