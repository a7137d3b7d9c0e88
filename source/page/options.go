package page

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"

	"tidings"
)

const (
	maxOptions = 32  // of each kind
	maxOption  = 500 // bytes
)

// rules is tidings.PageOptions made ready.
type rules struct {
	selection selection
	prices    bool
	ignore    mixed
	keep      mixed
}

// mixed is options that are CSS selectors or regular expressions.
type mixed struct {
	selectors []cascadia.Sel
	patterns  []*regexp.Regexp
}

// Validate reports what is wrong with o, in one line of plain words for the first option that cannot be used. The error
// is tidings.ErrInvalid.
//
// Select holds CSS selectors, XPaths ("/" or "xpath:" before the path) and JSONPaths (RFC 9535, from "$" on). JSONPaths
// are for JSON documents, the others for web pages; they cannot be combined.
//
// Ignore and Keep hold CSS selectors or regular expressions. /Between slashes/ is a regular expression. Otherwise a
// text is a selector if it reads as one, and all of its element names exist in HTML. Everything else is a regular
// expression. So "table.ads", "#clock" and "time" are selectors, "Last updated.*" and "Total" are expressions.
//
// An expression (RE2; case counts unless it begins with "(?i)") is searched for in each line. Ignore removes what
// matches and drops a line of which nothing is left. Keep keeps a whole line of which a part matches.
func Validate(o tidings.PageOptions) error {
	_, err := compile(o)
	return err
}

func compile(o tidings.PageOptions) (rules, error) {
	var r rules
	r.prices = o.Prices
	if o.Entries && (o.Prices || len(o.Select)+len(o.Ignore)+len(o.Keep)+len(o.NotifyIf) > 0) {
		return r, tidings.Invalidf("a page is read as a feed of its entries, or by parts: give one of both")
	}
	if n := max(len(o.Select), len(o.Ignore), len(o.Keep)); n > maxOptions {
		return r, tidings.Invalidf("%d options of one kind for a page, at most %d", n, maxOptions)
	}
	for _, s := range o.Select {
		if err := r.selection.add(s); err != nil {
			return r, invalid("select", s, err)
		}
	}
	if err := r.selection.validate(); err != nil {
		return r, tidings.Invalidf("--select: %v", err)
	}
	for _, s := range o.Ignore {
		if err := r.ignore.add(s); err != nil {
			return r, invalid("ignore", s, err)
		}
	}
	for _, s := range o.Keep {
		if err := r.keep.add(s); err != nil {
			return r, invalid("keep", s, err)
		}
	}
	return r, nil
}

func invalid(name, option string, err error) error {
	return tidings.Invalidf("--%s %q: %v", name, shorten(collapse(option), 80), err)
}

func (m *mixed) add(s string) error {
	if !isPattern(s) {
		sel, err := selector(s)
		m.selectors = append(m.selectors, sel...)
		return err
	}
	if err := checkSize(s); err != nil {
		return err
	}
	if len(s) > 2 && s[0] == '/' && s[len(s)-1] == '/' {
		s = s[1 : len(s)-1]
	}
	p, err := regexp.Compile(s)
	if err != nil {
		return fmt.Errorf("not a CSS selector, and as a regular expression: %s",
			strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	if p.MatchString("") {
		return fmt.Errorf("the regular expression matches every line, even an empty one")
	}
	m.patterns = append(m.patterns, p)
	return nil
}

func checkSize(s string) error {
	switch {
	case strings.TrimSpace(s) == "":
		return fmt.Errorf("empty")
	case len(s) > maxOption:
		return fmt.Errorf("too long: %d bytes, at most %d", len(s), maxOption)
	}
	return nil
}

func selector(s string) (cascadia.SelectorGroup, error) {
	if err := checkSize(s); err != nil {
		return nil, err
	}
	group, err := cascadia.ParseGroup(s)
	if err != nil {
		return nil, fmt.Errorf("not a CSS selector: %v", err)
	}
	return group, nil
}

var (
	// notNames is what in a selector are no element names.
	notNames = regexp.MustCompile(`"[^"]*"|'[^']*'|\[[^\]]*\]|\([^)]*\)|[.#:]+[\w-]+`)
	names    = regexp.MustCompile(`[\pL_][\pL\pN_-]*`)
)

func isPattern(s string) bool {
	if len(s) > maxOption || len(s) > 2 && s[0] == '/' && s[len(s)-1] == '/' {
		return true
	}
	if _, err := cascadia.ParseGroup(s); err != nil {
		return true
	}
	for _, name := range names.FindAllString(notNames.ReplaceAllString(s, " "), -1) {
		if !strings.Contains(name, "-") && !isElement(name) {
			return true
		}
	}
	return false
}

func matches(list []cascadia.Sel, n *html.Node) bool {
	for _, s := range list {
		if s.Match(n) {
			return true
		}
	}
	return false
}

// withoutHTML returns the lines of a document that is not HTML.
func (r rules) withoutHTML(text string, form form) ([]line, error) {
	switch s := r.selection; {
	case r.prices:
		return nil, noOffers()
	case s.isEmpty():
		return textLines(text, form), nil
	case form != formJSON:
		return nil, fmt.Errorf("%w: it is no web page and no JSON document", s.noMatch())
	case len(s.json) == 0:
		return nil, fmt.Errorf("%w: it is a JSON document, which has JSONPaths, such as $.items[*].price", s.noMatch())
	default:
		return s.selectJSON(text)
	}
}

// clean drops what the defaults and the person's expressions leave out of the lines.
// If the defaults leave nothing at all, they are not followed: a page that is only a
// counter is watched for its counter.
func (r rules) clean(lines []line) []line {
	cleaned := make([]line, 0, min(len(lines), 1<<16))
	filter := newLineFilter()
	for i, l := range lines {
		l.kept = l.kept || r.keep.inLine(l.text)
		switch {
		case l.kept:
		case i > 0 && filter.isStampInTwo(lines[i-1].text, l.text):
			l.text = ""
		default:
			l.text = filter.without(l.text)
		}
		if l.text != "" {
			cleaned = append(cleaned, l)
		}
	}
	if len(cleaned) == 0 {
		cleaned = lines
	}
	if len(r.ignore.patterns) == 0 {
		return cleaned
	}
	rest := cleaned[:0:0]
	for _, l := range cleaned {
		if l.text = r.ignore.without(l.text); l.text != "" {
			rest = append(rest, l)
		}
	}
	return rest
}

func (m mixed) inLine(text string) bool {
	for _, p := range m.patterns {
		if p.MatchString(text) {
			return true
		}
	}
	return false
}

func (m mixed) without(text string) string {
	for _, p := range m.patterns {
		if p.MatchString(text) {
			text = tidy(text, p.ReplaceAllString(text, ""))
		}
	}
	return text
}
