package microformats

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// imply adds what the specification implies where an item does not mark it up: name, photo and url.
func (p *parser) imply(n *html.Node, o *open) {
	if o.hasItem {
		return
	}
	if !o.hasText && o.Properties["name"] == nil {
		o.Properties["name"] = []Value{{Text: p.impliedName(n)}}
	}
	if o.hasURL {
		return
	}
	if o.Properties["photo"] == nil {
		if from := impliedBy(n, isPhoto, false); from != nil {
			o.Properties["photo"] = []Value{p.addressOf(from)}
		}
	}
	if o.Properties["url"] == nil {
		if from := impliedBy(n, isLink, false); from != nil {
			o.Properties["url"] = []Value{p.addressOf(from)}
		}
	}
}

func isPhoto(n *html.Node) bool {
	return n.DataAtom == atom.Img && hasAttr(n, "src") || n.DataAtom == atom.Object && hasAttr(n, "data")
}

func isLink(n *html.Node) bool {
	return (n.DataAtom == atom.A || n.DataAtom == atom.Area) && hasAttr(n, "href")
}

func isNamed(n *html.Node) bool {
	said, ok := saidBy(n, text)
	return ok && said != "" && (n.DataAtom == atom.Img || n.DataAtom == atom.Area || n.DataAtom == atom.Abbr)
}

func hasAttr(n *html.Node, key string) bool {
	_, ok := attrOf(n, key)
	return ok
}

// impliedName returns the name of an item that has none.
func (p *parser) impliedName(n *html.Node) string {
	if from := impliedBy(n, isNamed, true); from != nil {
		said, _ := saidBy(from, text)
		return strings.TrimSpace(said)
	}
	return strings.TrimSpace(p.textOf(n))
}

// impliedBy returns the element that implies a property: that of the item itself, else its only child of the kind, else
// the only such child of its only child. Where only is true, that child has to be the only one of any kind.
func impliedBy(n *html.Node, is func(*html.Node) bool, only bool) *html.Node {
	if is(n) {
		return n
	}
	if found := onlyChild(n, is, only); found != nil {
		return found
	}
	child := onlyElement(n)
	if child == nil || isRoot(child) {
		return nil
	}
	return onlyChild(child, is, only)
}

// onlyChild returns the child that is of a kind and the only one of its name, or the only one at all.
func onlyChild(n *html.Node, is func(*html.Node) bool, only bool) *html.Node {
	if only {
		if child := onlyElement(n); child != nil && is(child) && !isRoot(child) {
			return child
		}
		return nil
	}
	var found *html.Node
	count := make(map[atom.Atom]int)
	for child := range n.ChildNodes() {
		if child.Type == html.ElementNode {
			count[child.DataAtom]++
			if found == nil && is(child) {
				found = child
			}
		}
	}
	if found == nil || count[found.DataAtom] > 1 || isRoot(found) {
		return nil
	}
	return found
}

// onlyElement returns the only element in n; nil if there are none, or several.
func onlyElement(n *html.Node) (only *html.Node) {
	for child := range n.ChildNodes() {
		if child.Type != html.ElementNode {
			continue
		}
		if only != nil {
			return nil
		}
		only = child
	}
	return only
}

func isRoot(n *html.Node) bool {
	roots, _ := classesOf(n)
	return len(roots) > 0
}
