package page

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// flattener walks a tree and gathers lines.
type flattener struct {
	rules rules
	total int  // text of all parts, see isChrome
	whole bool // the frame gives lines too, marked as such

	lines []line
	text  strings.Builder // of the line at hand, as it stands in the document
	kept  bool            // something in the line at hand is kept for a person
	mark  string          // what the line at hand begins with
	path  path            // of the innermost open block
}

// state is what an element passes on to those in it.
type state struct {
	verse  bool // in preformatted text
	cells  bool // in a row whose cells make one line
	chrome bool // in the frame of the page
	kept   bool // in what a person keeps: nothing is left out by default
	titled bool // in a heading or the like, with nothing but inline elements between
	part   bool // in an article or another part of the page that may have a header of its own
}

// inside returns what n passes on by being what it is.
func (s state) inside(n *html.Node) state {
	switch r := roles[n.DataAtom]; {
	case r == heading, n.DataAtom == atom.Summary, n.DataAtom == atom.Dt:
		s.titled = true
	case r != inline:
		s.titled = false
	}
	switch n.DataAtom {
	case atom.Article, atom.Main, atom.Section, atom.Aside, atom.Blockquote, atom.Figure, atom.Li:
		s.part = true
	}
	return s
}

// stateIn returns what those around n pass on to it.
func stateIn(n *html.Node) state {
	if n.Parent == nil {
		return state{}
	}
	return stateIn(n.Parent).inside(n.Parent)
}

// flatten returns the lines of parts. Without whole, the frame of the page is left out.
func flatten(parts []*html.Node, r rules, total int, whole bool) []line {
	f := flattener{rules: r, total: total, whole: whole}
	for _, part := range parts {
		f.path = pathOf(part)
		s := stateIn(part)
		f.walk(part, s) // a part that was selected is not asked whether it is frame
		f.endLine(s)
	}
	return f.lines
}

func (f *flattener) children(n *html.Node, s state) {
	s = s.inside(n)
	for c := range n.ChildNodes() {
		switch c.Type {
		case html.TextNode:
			f.text.WriteString(c.Data)
			f.kept = f.kept || s.kept
		case html.ElementNode:
			f.element(c, s)
		}
	}
}

// element decides whether n is walked.
func (f *flattener) element(n *html.Node, s state) {
	switch {
	case matches(f.rules.keep.selectors, n):
		s.kept = true
		f.walk(n, s)
	case matches(f.rules.ignore.selectors, n):
	case s.kept:
		f.walk(n, s)
	case roleOf(n, s) == never, isHidden(n):
		f.onlyKept(n, s)
	case s.chrome || !isChrome(n, f.total, s.part):
		f.walk(n, s)
	case f.whole:
		f.endLine(s)
		s.chrome = true
		f.walk(n, s)
		f.endLine(s)
	default:
		f.onlyKept(n, s)
	}
}

// onlyKept looks in what is left out for what a person keeps.
func (f *flattener) onlyKept(n *html.Node, s state) {
	if len(f.rules.keep.selectors) == 0 {
		return
	}
	s = s.inside(n)
	for c := range n.ChildNodes() {
		switch {
		case c.Type != html.ElementNode:
		case matches(f.rules.keep.selectors, c):
			f.element(c, s)
		default:
			f.onlyKept(c, s)
		}
	}
}

func (f *flattener) walk(n *html.Node, s state) {
	switch r := roleOf(n, s); {
	case r == image:
		if alt := collapse(attr(n, "alt")); alt != "" {
			f.text.WriteString("[" + alt + "]")
		}
	case r == br:
		f.lineBreak(s)
	case s.cells && r == cell:
		if hasCellBefore(n) {
			f.text.WriteString(" | ")
		}
		f.children(n, s)
	case s.cells && r != inline: // a block in a cell is only set apart
		f.text.WriteByte(' ')
		f.children(n, s)
		f.text.WriteByte(' ')
	case r == inline || r == never: // what is never text is here because a person keeps it
		f.children(n, s)
	default:
		f.block(n, r, s)
	}
}

func (f *flattener) lineBreak(s state) {
	switch {
	case s.cells:
		f.text.WriteByte(' ')
	case s.verse:
		f.text.WriteByte('\n')
	default:
		f.endLine(s)
	}
}

func (f *flattener) block(n *html.Node, r role, s state) {
	f.endLine(s)
	outer := f.path
	f.path = outer.within(n)
	switch r {
	case heading:
		f.mark = strings.Repeat("#", int(n.Data[1]-'0')) + " "
	case item:
		f.mark = "- "
	case verse:
		s.verse = true
	case row:
		s.cells = isFlatRow(n)
	}
	f.children(n, s)
	f.endLine(s)
	if r == heading || r == item {
		f.mark = "" // it had no text
	}
	f.path = outer
}

// endLine turns the text at hand into a line, or into several if it is preformatted.
func (f *flattener) endLine(s state) {
	text := f.text.String()
	f.text.Reset()
	switch {
	case text == "":
	case s.verse:
		for _, t := range splitLines(text, maxGathered-len(f.lines)) {
			f.add(indented(t), s)
		}
	case s.cells:
		if text = collapse(text); strings.Trim(text, " |") != "" {
			f.add(text, s)
		}
	default:
		f.add(collapse(text), s)
	}
	f.kept = false
}

func (f *flattener) add(text string, s state) {
	if text == "" {
		return
	}
	f.lines = append(f.lines, line{text: f.mark + text, path: f.path, chrome: s.chrome, kept: f.kept})
	f.mark = ""
}

const (
	maxRowText  = 2000 // bytes of a row that is one line
	maxRowNodes = 500
)

// isFlatRow reports whether the cells of a row are short enough, and plain enough, to
// make one line. The rows of tables that only lay a page out are not.
func isFlatRow(n *html.Node) bool {
	nodes, size := 0, 0
	for c := range n.Descendants() {
		nodes++
		switch c.DataAtom {
		case atom.Table, atom.Pre, atom.Hr, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Article,
			atom.Section, atom.Blockquote:
			return false
		}
		if c.Type == html.TextNode {
			size += textSize(c.Data)
		}
		if nodes > maxRowNodes || size > maxRowText {
			return false
		}
	}
	return true
}

func hasCellBefore(n *html.Node) bool {
	for p := n.PrevSibling; p != nil; p = p.PrevSibling {
		if roles[p.DataAtom] == cell {
			return true
		}
	}
	return false
}
