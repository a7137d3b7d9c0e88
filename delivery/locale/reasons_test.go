package locale_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"tidings/delivery/locale"
)

// layers are the packages with reasons that a page shows. Of some packages it shows every error, of the others only
// what is wrong with input. All other errors are for the log.
var layers = []struct {
	dir    string
	whole  bool     // all errors, not only those of input, and hints
	words  []string // files in which each text is for people
	only   bool     // in the package's other files none is
	checks bool     // only why channels are checked
}{
	{dir: ".", whole: true},
	{dir: "egress", whole: true},
	{dir: "source", whole: true, words: []string{
		"watchdog.go", "slot.go", "reissued.go", "preview.go", "poll.go", "readpage.go",
	}},
	{dir: "source/fetch", whole: true, words: []string{
		"bounds.go", "cookies.go", "errors.go", "explain.go", "trouble.go", "verdict.go",
		"redirect.go", "words.go",
	}},
	{dir: "source/page", whole: true, words: []string{"decode.go", "html.go", "page.go", "suspect.go"}},
	{dir: "source/feed", words: []string{"charset.go", "feed.go", "json.go", "jsonlist.go", "scan.go", "url.go",
		"xml.go"}},
	{dir: "source/microformats", words: []string{"feed.go"}},
	{dir: "source/article", words: []string{"article.go"}},
	{dir: "source/condition", whole: true},
	{dir: "source/query", whole: true, words: []string{"parse.go", "parsecompare.go", "scan.go", "warn.go"}},
	{dir: "source/websub", whole: true},
	{dir: "node/channels", words: []string{"advice.go", "channels.go", "preview.go"}},
	{dir: "node/chat"},
	{dir: "node/coop", words: []string{"believe.go", "penalties.go", "poller.go", "reconcile.go", "report.go",
		"turns.go"}},
	{dir: "node/filters"},
	{dir: "node/fulltext", words: []string{"fulltext.go"}},
	{dir: "node/doctor", words: []string{"problems.go"}, only: true},
	{dir: "node/files"},
	{dir: "node/hub", checks: true},
	{dir: "node/member"},
	{dir: "node/notifications", words: []string{"notifications.go"}},
	{dir: "node/publish", words: []string{"halt.go"}, only: true},
	{dir: "node/push", words: []string{"shown.go"}},
	{dir: "node/queries"},
	{dir: "node/trust"},
	{dir: "node/zones", words: []string{"place.go"}, only: true},
	{dir: "network/corona/version/update", words: []string{"trace.go"}},
	{dir: "store/outbox"},
	{dir: "store/pushed"},
	{dir: "store/reader"},
	{dir: "delivery/auth"},
	{dir: "delivery/mail", whole: true, words: []string{"failure.go"}},
	{dir: "delivery/notify", whole: true, words: []string{"failure.go", "validate.go"}},
	{dir: "delivery/opml", whole: true, words: []string{"own.go", "parse.go"}},
	{dir: "delivery/passkeys", words: []string{"handler.go"}},
	{dir: "delivery/web"},
	{dir: "delivery/web/filters"},
	{dir: "delivery/web/networkroom"},
	{dir: "delivery/web/targetform"},
	{dir: "delivery/webpush"},
}

// unshown are the beginnings of reasons that no page shows, and why.
var unshown = map[string]string{
	"plan of checks: ":           "a mistake of a setting, which ends the start",
	"settings for fetching: ":    "a mistake of a setting, which ends the start",
	"not the memory of an orig":  "for the log",
	"feed limits: ":              "a mistake of a setting, which ends the start",
	"beginning to check":         "for the log",
	"taking what was found":      "for the log",
	"writing penalties":          "for the log",
	"keeping in which zone":      "for the log",
	"reading in which zone":      "for the log",
	"reading the certificate of": "for the log",
	"storing a subscription":     "for the log",
	"removing a subscription":    "for the log",
	"fulltext: ":                 "a mistake of a setting, which ends the start",
	"writing a message as JSON":  "for the log",
	"writing a mail":             "for the log",
	"writing OPML":               "for the log",
	"no reading of a":            "for the log",
	"%d lines: ":                 "for the log",
	"<p>":                        "of an item, which all share",
	"publishing halted":          "a name of a setting",
	"page: ":                     "a mistake of a setting, which ends the start",
	"learning noise":             "for the log",
	"reading noise":              "for the log",
	"not a known encoding":       "for the log",
}

// oneWord are those that stand in places of others, where their packages write them.
var oneWord = map[string]string{
	"page":    ".",
	"feed":    ".",
	"query":   ".",
	"zone":    ".",
	"twice":   "source/fetch",
	"text":    "source/query",
	"number":  "source/query",
	"time":    "source/query",
	"invalid": ".",
	"nothing on the page matches --select %s": "source/page",
	"read without repairs":                    "source",
	"not a web address":                       "delivery/web",
	"no known format":                         "source/feed",
	"a web page":                              "source/feed",
}

// Each language has every reason that layers below can give a page, and none that nothing gives.
func TestReasonsAreWhole(t *testing.T) {
	reasons := maps.Clone(oneWord) // where they are
	for _, l := range layers {
		paths, err := filepath.Glob(filepath.Join("../..", l.dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		for _, path := range paths {
			words := slices.Contains(l.words, filepath.Base(path))
			if strings.HasSuffix(path, "_test.go") || l.only && !words {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			c := collector{whole: l.whole, words: words, checks: l.checks}
			ast.Inspect(file, c.visit)
			for _, reason := range c.found {
				reasons[reason] = path
				found++
			}
		}
		if found == 0 {
			t.Errorf("%s gives no reasons: leave it out", l.dir)
		}
	}
	for reason := range reasons {
		for start := range unshown {
			if strings.HasPrefix(reason, start) {
				delete(reasons, reason)
			}
		}
	}
	if len(reasons) < 300 {
		t.Fatalf("%d reasons: they are not found", len(reasons))
	}
	for _, l := range locale.All()[1:] {
		missing(t, l.Tag()+" lacks the reason", reasons, l.Reasons())
		unused(t, l.Tag()+" has, and nothing gives, the reason", reasons, l.Reasons())
	}
}

// collector collects reasons from a file of code.
type collector struct {
	whole, words, checks bool
	found                []string
}

// errorCalls are the calls that make errors of all kinds, with the argument that is their format.
var errorCalls = map[string][]int{
	"New": {0}, "Errorf": {0}, "refuse": {0}, "costError": {0},
	"slowError": {0}, "ProxyError": {0}, "fail": {1, 2}, "expected": {0},
}

// checkCalls are the calls that have a channel checked, with the argument that says why.
var checkCalls = map[string]int{"Check": 1, "CheckWhole": 1, "Now": 2, "begin": 1, "plan": 1, "Or": 1}

// reasonFields are the fields of structs that hold reasons.
var reasonFields = []string{"Hint", "Error", "Why", "NextWhy", "Reason", "reason", "Regular", "instead"}

// wordFields are the same in files of words.
var wordFields = []string{"Text", "What"}

func (c *collector) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.CallExpr:
		name := ""
		switch fun := n.Fun.(type) {
		case *ast.SelectorExpr:
			name = fun.Sel.Name
			if from, ok := fun.X.(*ast.Ident); ok && (from.Name == "log" || from.Name == "Log") {
				return false
			}
			if from, ok := fun.X.(*ast.SelectorExpr); ok && strings.EqualFold(from.Sel.Name, "log") {
				return false
			}
		case *ast.Ident:
			name = fun.Name
		}
		switch arguments := errorCalls[name]; {
		case checkCalls[name] > 0 && len(n.Args) > checkCalls[name]:
			c.add(n.Args[checkCalls[name]])
		case c.checks:
		case name == "note" && len(n.Args) > 0: // of how a document was read
			c.add(n.Args[0])
		case name == "Said" && c.words:
			c.add(n.Args[0])
		case name == "Invalidf":
			c.add(n.Args[0])
		case name == "WithHint":
			c.add(n.Args[1])
		case name == "append" && c.words && len(n.Args) == 2:
			c.add(n.Args[1])
		case name == "add" && c.words && len(n.Args) == 3: // of bounds, with formats
			c.add(n.Args[1])
			c.add(n.Args[2])
		case c.whole || c.words:
			for _, i := range arguments {
				if i < len(n.Args) {
					c.add(n.Args[i])
				}
			}
		}
	case *ast.KeyValueExpr:
		if field, ok := n.Key.(*ast.Ident); ok && slices.Contains(reasonFields, field.Name) {
			c.add(n.Value)
		}
		if field, ok := n.Key.(*ast.Ident); ok && c.words && slices.Contains(wordFields, field.Name) {
			c.add(n.Value)
		}
	case *ast.CompositeLit:
		if c.words || c.whole {
			c.addFailure(n)
		}
	case *ast.ReturnStmt:
		for _, result := range n.Results {
			c.addWords(result)
		}
	case *ast.AssignStmt:
		for _, value := range n.Rhs {
			if n.Tok == token.ADD_ASSIGN {
				value = &ast.BinaryExpr{X: within, Op: token.ADD, Y: value}
			}
			c.addWords(value)
		}
	case *ast.ValueSpec:
		for i, value := range n.Values {
			if strings.HasSuffix(n.Names[i].Name, "Why") {
				c.add(value)
			} else {
				c.addWords(value)
			}
		}
	}
	return true
}

// addFailure adds what a tidings.Failure says was being done.
func (c *collector) addFailure(n *ast.CompositeLit) {
	fields := make(map[string]ast.Expr)
	for _, e := range n.Elts {
		if e, ok := e.(*ast.KeyValueExpr); ok {
			if name, ok := e.Key.(*ast.Ident); ok {
				fields[name.Name] = e.Value
			}
		}
	}
	switch op := fields["Op"]; {
	case op == nil:
	case fields["Address"] == nil:
		c.add(op)
	default:
		c.add(&ast.BinaryExpr{X: op, Op: token.ADD, Y: &ast.BasicLit{Kind: token.STRING, Value: `" %u"`}})
	}
}

// within stands for a text to which another is added.
var within = &ast.BasicLit{Kind: token.STRING, Value: `"%w"`}

func (c *collector) addWords(e ast.Expr) {
	if c.words {
		c.add(e)
	}
}

var (
	anyVerb    = regexp.MustCompile(`%(?:\[\d\])?[0-9.]*([a-z%])`)
	verbAlone  = regexp.MustCompile(`%[a-z]`)
	wordInText = regexp.MustCompile(`[a-z]{2,}`)
)

// add adds the reason that an expression stands for, in the form of files of texts: %s for a name, %d for a number, %w
// for a reason within it.
func (c *collector) add(e ast.Expr) {
	format := formatOf(e)
	format = anyVerb.ReplaceAllStringFunc(format, func(verb string) string {
		switch last := verb[len(verb)-1]; last {
		case 'v', 'w':
			return "%w"
		case 'd', 'u', '%':
			return "%" + string(last)
		}
		return "%s"
	})
	format = strings.TrimRight(format, ": ")
	bare := verbAlone.ReplaceAllString(format, "")
	if !strings.Contains(strings.TrimSpace(format), " ") || !wordInText.MatchString(bare) {
		return
	}
	if first := []rune(format)[0]; !unicode.IsLower(first) && first != '%' && first != '"' && first != '-' {
		if !c.whole && !c.words {
			return
		}
	}
	c.found = append(c.found, format)
}

// formatOf returns the format of an expression, or of several that are added. It has verbs for the parts that are not
// literal.
func formatOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		return strings.ReplaceAll(literal(e), "%", "%")
	case *ast.ParenExpr:
		return formatOf(e.X)
	case *ast.BinaryExpr:
		if e.Op != token.ADD {
			return ""
		}
		x, y := formatOf(e.X), formatOf(e.Y)
		if x == "" {
			x = "%s"
		}
		if y == "" {
			y = "%s"
		}
		if x == "%s" && y == "%s" {
			return ""
		}
		return x + y
	case *ast.CallExpr:
		if fun, ok := e.Fun.(*ast.SelectorExpr); ok && fun.Sel.Name == "Sprintf" && len(e.Args) > 0 {
			return formatOf(e.Args[0])
		} else if ok && fun.Sel.Name == "Error" && len(e.Args) == 0 {
			return "%w"
		}
	}
	return ""
}
