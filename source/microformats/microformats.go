// Package microformats reads microformats2 of a web page, by the parsing specification of microformats.org, and makes a
// feed of the entries that a page marks up (h-feed, h-entry).
//
// [Parse] returns the items of a tree: their types, their properties by name, what the specification implies for
// properties that are not marked up, and the items within. [Feed] makes a feed of it.
//
// It promises, for any tree that package page makes: time linear in the tree, except for texts that stand in several
// properties, of which [maxText] bytes are read in all; at most [maxItems] items with [maxValues] values each. Nothing
// is fetched. Texts are as they stand in the page: a caller that shows them makes them safe, as package feed does.
//
// Left out of the specification: classic microformats (hentry, hfeed), because pages with them have feeds, the
// languages of texts, and the relations of links.
package microformats

import (
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Bounds of reading a page.
const (
	maxText    = 32 << 20 // bytes of all texts and markup, repeated ones counted as often
	maxItems   = 10_000
	maxValues  = 500 // properties and items within an item
	maxClasses = 50  // of an element; of these, those that count
	maxClass   = 100 // bytes
)

// Item is an element with a root class (h-*).
type Item struct {
	Types      []string           // its root classes, as "h-entry"
	ID         string             // the element's id; may be empty
	Properties map[string][]Value // by name without prefix
	Children   []*Item            // the items within that are no property
}

// Value is one value of a property.
type Value struct {
	Text string // plain text; of a URL property (u-*): an absolute address, unless it cannot be read
	HTML string // of embedded markup (e-*): the inner markup, its links absolute
	Alt  string // of a picture: its alternative text
	Item *Item  // the item that is the value; nil: none
}

// Is reports whether the item has a root class.
func (it *Item) Is(class string) bool { return slices.Contains(it.Types, class) }

// Text returns the first value of a property that is not empty.
func (it *Item) Text(name string) string {
	for _, v := range it.Properties[name] {
		if v.Text != "" {
			return v.Text
		}
	}
	return ""
}

// Parse returns the items of a page whose address is pageURL, those within others excepted.
func Parse(root *html.Node, pageURL string) []*Item {
	base, err := url.Parse(pageURL)
	if err != nil {
		base = &url.URL{}
	}
	p := parser{base: base, text: maxText, items: maxItems}
	if href, ok := baseOf(root); ok {
		p.base = p.resolved(href)
	}
	top := &open{Item: new(Item)}
	p.walk(root, top)
	return top.Children
}

// parser is one reading of a page.
type parser struct {
	base  *url.URL
	text  int // bytes of texts that may still be read
	items int // that may still be made
}

// open is an item while its element is being read.
type open struct {
	*Item
	values int // so far, children included
	// What keeps the specification from implying properties.
	hasText, hasURL, hasItem bool
}

// add adds a value to a property, if there is room.
func (o *open) add(prop property, v Value) {
	if o.values++; o.values > maxValues {
		return
	}
	o.Properties[prop.name] = append(o.Properties[prop.name], v)
	switch prop.prefix {
	case text, embedded:
		o.hasText = true
	case address:
		o.hasURL = true
	}
}

// walk reads the elements below n, in the item in whose element n stands.
func (p *parser) walk(n *html.Node, in *open) {
	for child := range n.ChildNodes() {
		if child.Type != html.ElementNode || child.DataAtom == atom.Template {
			continue
		}
		roots, props := classesOf(child)
		switch {
		case len(roots) > 0 && p.items > 0:
			p.items--
			p.within(child, in, props, p.item(child, roots))
		default:
			if in.Types != nil { // the page itself has no properties
				p.properties(child, in, props)
			}
			p.walk(child, in)
		}
	}
}

// properties adds what an element says to the item in which it stands. Properties of one prefix share a value.
func (p *parser) properties(n *html.Node, in *open, props []property) {
	var v Value
	for i, prop := range props {
		if i == 0 || prop.prefix != props[i-1].prefix {
			v = p.value(prop.prefix, n)
		}
		in.add(prop, v)
	}
}

// within adds an item to the one in which it stands: to its properties, or else to its children.
func (p *parser) within(n *html.Node, in *open, props []property, it *Item) {
	in.hasItem = true
	if len(props) == 0 || in.Types == nil {
		most := maxValues
		if in.Types == nil || in.Is("h-feed") {
			most = maxItems
		}
		if in.values++; in.values <= most {
			in.Children = append(in.Children, it)
		}
		return
	}
	for _, prop := range props {
		v := p.value(prop.prefix, n)
		switch prop.prefix {
		case text:
			v.Text = firstOf(it.Text("name"), v.Text)
		case address:
			v.Text = firstOf(it.Text("url"), v.Text)
		}
		v.Item = it
		in.add(prop, v)
	}
}

// item reads an element with root classes.
func (p *parser) item(n *html.Node, roots []string) *Item {
	o := &open{Item: &Item{Types: roots, ID: attr(n, "id"), Properties: make(map[string][]Value)}}
	p.walk(n, o)
	p.imply(n, o)
	return o.Item
}

// prefix says how the value of a property is read.
type prefix string

const (
	text     prefix = "p"
	address  prefix = "u"
	moment   prefix = "dt"
	embedded prefix = "e"
)

// property is a class that names a property.
type property struct {
	prefix prefix
	name   string
}

// classesOf returns an element's root classes, and its properties, those of one prefix side by side.
func classesOf(n *html.Node) (roots []string, props []property) {
	classes := attr(n, "class")
	if !strings.Contains(classes, "-") {
		return nil, nil
	}
	for class := range strings.FieldsSeq(classes) {
		before, name, ok := strings.Cut(class, "-")
		if !ok || len(class) > maxClass || !isName(name) {
			continue
		}
		switch prop := (property{prefix: prefix(before), name: name}); prop.prefix {
		case "h":
			if len(roots) < maxClasses && !slices.Contains(roots, class) {
				roots = append(roots, class)
			}
		case text, address, moment, embedded:
			same := func(other property) bool { return other.prefix == prop.prefix && other.name == prop.name }
			if len(props) < maxClasses && !slices.ContainsFunc(props, same) {
				props = append(props, prop)
			}
		}
	}
	slices.SortFunc(roots, strings.Compare)
	slices.SortStableFunc(props, func(a, b property) int { return strings.Compare(string(a.prefix), string(b.prefix)) })
	return roots, props
}

// isName reports whether the part of a class behind its prefix is a name: words of letters a to z, joined by hyphens,
// perhaps behind a vendor's prefix, which may have digits. So "p-4" and "h-10" of style sheets are none, nor "h-Entry".
func isName(name string) bool {
	for i, word := range strings.Split(name, "-") {
		vendor := i == 0 && strings.Contains(name, "-") && strings.Trim(word, "0123456789") != ""
		if word == "" {
			return false
		}
		for _, c := range []byte(word) {
			if (c < 'a' || c > 'z') && (!vendor || c < '0' || c > '9') {
				return false
			}
		}
	}
	return true
}

// resolved returns an address as a whole one; the page's own if it cannot be read.
func (p *parser) resolved(ref string) *url.URL {
	if len(ref) > maxAddress {
		return p.base
	}
	u, err := p.base.Parse(strings.TrimSpace(ref))
	if err != nil {
		return p.base
	}
	return u
}

// maxAddress bounds an address in bytes.
const maxAddress = 8 << 10

// absolute returns an address as a whole one. One that cannot be read stays as it is, and one that is too long is none.
func (p *parser) absolute(ref string) string {
	ref = strings.TrimSpace(ref)
	if len(ref) > maxAddress {
		return ""
	}
	u, err := p.base.Parse(ref)
	if err != nil {
		return ref
	}
	return u.String()
}

// baseOf returns where the links of a page lead to, as it says.
func baseOf(root *html.Node) (href string, ok bool) {
	for n := range root.Descendants() {
		switch {
		case n.Type != html.ElementNode:
		case n.DataAtom == atom.Base:
			if href = attr(n, "href"); href != "" {
				return href, true
			}
		case n.DataAtom == atom.Body:
			return "", false
		}
	}
	return "", false
}

func attr(n *html.Node, key string) string {
	value, _ := attrOf(n, key)
	return value
}

// attrOf returns an attribute, and whether there is one.
func attrOf(n *html.Node, key string) (string, bool) {
	for _, a := range n.Attr {
		if a.Key == key && a.Namespace == "" {
			return a.Val, true
		}
	}
	return "", false
}
