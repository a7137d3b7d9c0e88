package page

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxMicrodata bounds the items and properties of a page's microdata that are read, and the bytes of a property.
const (
	maxMicrodata = 10_000
	maxProperty  = 500
)

// microdata returns the items of a page's microdata in the form of JSON-LD: the texts of properties, and items within.
func microdata(root *html.Node) []any {
	m := microdataReader{left: maxMicrodata}
	m.read(root, nil)
	return m.top
}

type microdataReader struct {
	left int
	top  []any // the items that are no property of another
}

// read gathers what is in n for the item in which n stands; nil: none.
func (m *microdataReader) read(n *html.Node, in map[string]any) {
	for child := range n.ChildNodes() {
		if child.Type != html.ElementNode {
			continue
		}
		names := strings.Fields(attr(child, "itemprop"))
		if !hasAttr(child, "itemscope") {
			if len(names) > 0 && in != nil {
				m.add(in, names, propertyText(child))
			}
			m.read(child, in)
			continue
		}
		kind, _, _ := strings.Cut(strings.TrimSpace(attr(child, "itemtype")), " ")
		item := map[string]any{"@type": kind}
		m.read(child, item)
		if len(names) > 0 && in != nil {
			m.add(in, names, item)
		} else if m.left--; m.left >= 0 {
			m.top = append(m.top, item)
		}
	}
}

// add adds a value to properties of an item: one alone, or to the list of several.
func (m *microdataReader) add(in map[string]any, names []string, v any) {
	for _, name := range names {
		if m.left--; m.left < 0 || strings.HasPrefix(name, "@") {
			return
		}
		switch have := in[name].(type) {
		case nil:
			in[name] = v
		case []any:
			in[name] = append(have, v)
		default:
			in[name] = []any{have, v}
		}
	}
}

// propertyText returns the value of a property as HTML has it, and content wherever it stands, as shops write it.
func propertyText(n *html.Node) string {
	for _, key := range []string{"content", "href", "datetime", "value", "src"} {
		if key == "value" && n.DataAtom != atom.Data && n.DataAtom != atom.Meter {
			continue
		}
		if hasAttr(n, key) {
			return cutProperty(attr(n, key))
		}
	}
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode && d.Parent.DataAtom != atom.Script {
			b.WriteString(cutProperty(d.Data))
		}
		if b.Len() > maxProperty {
			break
		}
	}
	return cutProperty(b.String())
}

func cutProperty(s string) string { return s[:min(len(s), maxProperty)] }
