package page

import (
	"fmt"
	"strings"

	"github.com/andybalholm/cascadia"
	"github.com/antchfx/xpath"
	"golang.org/x/net/html"
)

// selection is what PageOptions.Select asks for: parts of a web page, by CSS selectors and XPaths, or values of a JSON
// document, by JSONPaths.
type selection struct {
	css   []cascadia.Sel
	xpath []*xpath.Expr
	json  []jsonPath

	xpaths, paths []string // as given: of xpath, and of json
	given         []string // all
}

// xpathPrefix begins an XPath that does not begin with a slash.
const xpathPrefix = "xpath:"

// add adds what is asked for. How it begins says what it is: "$" a JSONPath, "/" or "xpath:" an XPath, anything else a
// CSS selector.
func (s *selection) add(option string) error {
	if err := checkSize(option); err != nil {
		return err
	}
	s.given = append(s.given, option)
	option = strings.TrimSpace(option)
	path, isXPath := strings.CutPrefix(option, xpathPrefix)
	switch {
	case option[0] == '$':
		p, err := parseJSONPath(option)
		s.json, s.paths = append(s.json, p), append(s.paths, option)
		return err
	case isXPath, option[0] == '/':
		expr, err := compileXPath(path)
		s.xpath, s.xpaths = append(s.xpath, expr), append(s.xpaths, option)
		return err
	}
	sel, err := selector(option)
	s.css = append(s.css, sel...)
	return err
}

// compileXPath reads an XPath. The library panics at some that are none.
func compileXPath(s string) (expr *xpath.Expr, err error) {
	defer func() {
		if failure := recover(); failure != nil {
			err = fmt.Errorf("not an XPath: %.200v", failure)
		}
	}()
	if expr, err = xpath.Compile(s); err != nil {
		return nil, fmt.Errorf("not an XPath: %w", err)
	}
	return expr, nil
}

func (s selection) isEmpty() bool { return len(s.given) == 0 }

// validate reports what cannot be asked for at once.
func (s selection) validate() error {
	if len(s.json) > 0 && len(s.json) < len(s.given) {
		return fmt.Errorf(
			"JSONPaths are for JSON documents, and CSS selectors and XPaths for web pages: give one kind alone")
	}
	return nil
}

// parts returns the parts of a page that are asked for: the outermost elements in the document's order, and then what
// is no element.
func (s selection) parts(root *html.Node) ([]*html.Node, error) {
	if s.isEmpty() {
		return []*html.Node{root}, nil
	}
	if len(s.json) > 0 {
		return nil, fmt.Errorf("%w: it is a web page, and JSONPaths are for JSON documents", s.noMatch())
	}
	by := make(map[*html.Node]bool)
	var others []*html.Node
	for i, expr := range s.xpath {
		elements, more, err := byXPath(root, expr)
		if err != nil {
			return nil, invalid("select", s.xpaths[i], err)
		}
		for n := range elements {
			by[n] = true
		}
		others = append(others, more...)
	}
	parts := append(outermost(root, func(n *html.Node) bool {
		return by[n] || n.Type == html.ElementNode && matches(s.css, n)
	}), others...)
	if len(parts) == 0 {
		return nil, s.noMatch()
	}
	return parts, nil
}

// noMatch says that nothing is there of what is asked for.
func (s selection) noMatch() error {
	var quoted []string
	for _, option := range s.given {
		quoted = append(quoted, fmt.Sprintf("%q", shorten(collapse(option), 80)))
	}
	return fmt.Errorf("%w %s", ErrNoMatch, strings.Join(quoted, " or "))
}

// outermost returns the outermost nodes that match, in document order.
func outermost(n *html.Node, match func(*html.Node) bool) (found []*html.Node) {
	if match(n) {
		return []*html.Node{n}
	}
	for child := range n.ChildNodes() {
		found = append(found, outermost(child, match)...)
	}
	return found
}
