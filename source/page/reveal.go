package page

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// openShadows makes the templates whose inside browsers show, declarative shadow roots, blocks like any other.
func openShadows(root *html.Node) {
	for n := range root.Descendants() {
		if n.DataAtom == atom.Template && hasAttr(n, "shadowrootmode") {
			becomeBlock(n)
		}
	}
}

// becomeBlock makes an element one that begins and ends a line.
func becomeBlock(n *html.Node) {
	n.Data, n.DataAtom = atom.Div.String(), atom.Div
}

// ignoresAll reports whether it is by what a person ignores that parts have no lines.
func ignoresAll(parts []*html.Node, r rules, total int) bool {
	if len(r.ignore.selectors) == 0 {
		return false
	}
	r.ignore.selectors = nil
	return len(flatten(parts, r, total, true)) > 0
}

// otherwise returns the lines of what is hidden, until a script shows it, in a page that shows nothing; else of what
// is there for browsers without scripts. It changes the tree.
func (d *Document) otherwise(parts []*html.Node, r rules, total int) []line {
	for _, other := range []struct {
		change func(*html.Node)
		note   string
	}{
		{reveal, "kept what is hidden: nothing else is there"},
		{openFallbacks(), "read what is for browsers without scripts: nothing else is there"},
	} {
		for _, part := range parts {
			other.change(part)
			for n := range part.Descendants() {
				other.change(n)
			}
		}
		if lines := flatten(parts, r, total, true); len(lines) > 0 {
			d.Notes = append(d.Notes, other.note)
			return lines
		}
	}
	return nil
}

// reveal removes from an element what hides it. What is no text for people stays hidden.
func reveal(n *html.Node) {
	if n.Type != html.ElementNode || !isHidden(n) {
		return
	}
	n.Attr = slices.DeleteFunc(n.Attr, func(a html.Attribute) bool {
		return a.Key == "hidden" || a.Key == "aria-hidden" || a.Key == "style"
	})
	if n.DataAtom == atom.Dialog {
		becomeBlock(n)
	}
}

// maxFallbacks bounds the elements of a document for browsers without scripts that are opened.
const maxFallbacks = 10_000

// openFallbacks returns what opens the first of such elements.
func openFallbacks() func(*html.Node) {
	left := maxFallbacks
	return func(n *html.Node) {
		if left > 0 && (n.DataAtom == atom.Noscript || n.DataAtom == atom.Noframes) {
			left--
			openFallback(n)
		}
	}
}

// openFallback makes a noscript or noframes element a block with the elements that it holds as text.
func openFallback(n *html.Node) {
	becomeBlock(n)
	text := n.FirstChild
	if text == nil || text.NextSibling != nil || text.Type != html.TextNode {
		return
	}
	n.RemoveChild(text)
	for _, child := range parseInside(text.Data) {
		if child.Parent != nil {
			child.Parent.RemoveChild(child)
		}
		n.AppendChild(child)
	}
}

// parseInside returns the elements that text makes in a block.
func parseInside(text string) []*html.Node {
	if !explodes(text) {
		inside, err := html.ParseFragment(strings.NewReader(text),
			&html.Node{Type: html.ElementNode, Data: "div", DataAtom: atom.Div})
		if err == nil {
			return inside
		}
	}
	return slices.Collect(parseFlat(text).ChildNodes())
}
