package microformats

import (
	"errors"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// value reads an element as a property with a prefix.
func (p *parser) value(by prefix, n *html.Node) Value {
	switch by {
	case address:
		return p.addressOf(n)
	case moment:
		return Value{Text: p.momentOf(n)}
	case embedded:
		return Value{HTML: p.inner(n), Text: strings.TrimSpace(p.textOf(n))}
	}
	return Value{Text: p.plainOf(n)}
}

// plainOf reads a p-* property.
func (p *parser) plainOf(n *html.Node) string {
	if parts := p.valueParts(n); len(parts) > 0 {
		return strings.TrimSpace(strings.Join(parts, ""))
	}
	if said, ok := saidBy(n, text); ok {
		return said
	}
	return strings.TrimSpace(p.textOf(n))
}

// addressOf reads a u-* property.
func (p *parser) addressOf(n *html.Node) Value {
	if ref, ok := saidBy(n, address); ok {
		v := Value{Text: p.absolute(ref)}
		if n.DataAtom == atom.Img {
			v.Alt = attr(n, "alt")
		}
		return v
	}
	if parts := p.valueParts(n); len(parts) > 0 {
		return Value{Text: p.absolute(strings.Join(parts, ""))}
	}
	if said, ok := saidBy(n, text); ok { // abbr, data, input
		return Value{Text: p.absolute(said)}
	}
	return Value{Text: p.absolute(p.textOf(n))}
}

// momentOf reads a dt-* property.
func (p *parser) momentOf(n *html.Node) string {
	if parts := p.momentParts(n); parts != "" {
		return parts
	}
	if said, ok := saidBy(n, moment); ok {
		return said
	}
	return strings.TrimSpace(p.textOf(n))
}

// saidBy returns the attribute by which an element states its value, where it has one.
func saidBy(n *html.Node, by prefix) (string, bool) {
	key := ""
	switch by {
	case text:
		switch n.DataAtom {
		case atom.Abbr, atom.Link:
			key = "title"
		case atom.Data, atom.Input:
			key = "value"
		case atom.Img, atom.Area:
			key = "alt"
		}
	case moment:
		switch n.DataAtom {
		case atom.Time, atom.Ins, atom.Del:
			key = "datetime"
		case atom.Abbr:
			key = "title"
		case atom.Data, atom.Input:
			key = "value"
		}
	case address:
		switch n.DataAtom {
		case atom.A, atom.Area, atom.Link:
			key = "href"
		case atom.Img, atom.Audio, atom.Source, atom.Iframe:
			key = "src"
		case atom.Video:
			if said, ok := attrOf(n, "src"); ok {
				return said, true
			}
			key = "poster"
		case atom.Object:
			key = "data"
		}
	}
	if key == "" {
		return "", false
	}
	return attrOf(n, key)
}

// valueParts returns the parts of a property that are marked with the class "value" or "value-title" (value class
// pattern), not those of properties within.
func (p *parser) valueParts(n *html.Node) (parts []string) {
	p.eachPart(n, func(part *html.Node, isTitle bool) {
		switch said, ok := saidBy(part, text); {
		case isTitle:
			parts = append(parts, attr(part, "title"))
		case ok:
			parts = append(parts, said)
		default:
			parts = append(parts, p.textOf(part))
		}
	})
	return parts
}

// momentParts puts the parts of a moment together: a date, a time and a zone, each of which may stand alone. Empty:
// there are none.
func (p *parser) momentParts(n *html.Node) string {
	var date, clock, zone string
	p.eachPart(n, func(part *html.Node, isTitle bool) {
		said, ok := saidBy(part, moment)
		switch {
		case isTitle:
			said = attr(part, "title")
		case !ok:
			if said, ok = saidBy(part, text); !ok {
				said = p.textOf(part)
			}
		}
		said = strings.TrimSpace(said)
		switch {
		case said == "":
		case said == "Z", said[0] == '+', said[0] == '-':
			zone = firstOf(zone, said)
		case strings.ContainsAny(said, "T ") && strings.Contains(said, ":") && strings.Contains(said, "-"):
			date = firstOf(date, said) // all of it
		case strings.Contains(said, ":") || strings.HasSuffix(strings.ToLower(said), "m"):
			clock = firstOf(clock, said)
		default:
			date = firstOf(date, said)
		}
	})
	if date == "" {
		return clock
	}
	if clock != "" {
		date += " " + clock
	}
	if zone != "" {
		date += zone
	}
	return date
}

func firstOf(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

// eachPart calls f for each part of a property's value.
func (p *parser) eachPart(n *html.Node, f func(part *html.Node, isTitle bool)) {
	for child := range n.ChildNodes() {
		if child.Type != html.ElementNode {
			continue
		}
		if p.text--; p.text < 0 {
			return
		}
		isValue, isTitle, ends := false, false, false
		for class := range strings.FieldsSeq(attr(child, "class")) {
			isValue = isValue || class == "value"
			isTitle = isTitle || class == "value-title"
		}
		if roots, props := classesOf(child); len(roots)+len(props) > 0 {
			ends = true
		}
		switch {
		case ends:
		case isValue, isTitle:
			f(child, isTitle && !isValue)
		default:
			p.eachPart(child, f)
		}
	}
}

// textOf returns the text in an element, as far as there is room for it: without scripts and styles, with pictures as
// their alternative text.
func (p *parser) textOf(n *html.Node) string {
	var b strings.Builder
	for d := range inside(n) {
		piece := ""
		switch {
		case d.Type == html.TextNode:
			piece = d.Data
		case d.DataAtom == atom.Img:
			if alt, ok := attrOf(d, "alt"); ok {
				piece = alt
			} else if src := attr(d, "src"); src != "" {
				piece = " " + p.absolute(src) + " "
			}
		}
		if p.text -= len(piece) + 1; p.text < 0 {
			break
		}
		b.WriteString(piece)
	}
	return b.String()
}

// inside yields what stands in n and is text for people, in its order.
func inside(n *html.Node) func(yield func(*html.Node) bool) {
	return func(yield func(*html.Node) bool) { insideOf(n, yield) }
}

func insideOf(n *html.Node, yield func(*html.Node) bool) bool {
	for child := range n.ChildNodes() {
		switch child.DataAtom {
		case atom.Script, atom.Style, atom.Template:
			continue
		}
		if !yield(child) || !insideOf(child, yield) {
			return false
		}
	}
	return true
}

// linkCost is how many bytes of text cost as much time to read as a link.
const linkCost = 64

// linkAttrs are the attributes that hold addresses.
var linkAttrs = map[string]bool{"href": true, "src": true, "cite": true, "data": true, "poster": true}

// inner returns the markup in an element, its links made absolute; nothing if there is no room for all of it. It
// changes the links in the tree.
func (p *parser) inner(n *html.Node) string {
	for d := range inside(n) {
		if p.text--; p.text < 0 {
			return ""
		}
		for i, a := range d.Attr {
			if linkAttrs[a.Key] && a.Val != "" {
				p.text -= linkCost
				d.Attr[i].Val = p.absolute(a.Val)
			}
		}
	}
	out := bounded{left: &p.text}
	for child := range n.ChildNodes() {
		if html.Render(&out, child) != nil {
			return ""
		}
	}
	return strings.TrimSpace(out.String())
}

// bounded is a text that grows no further than there is room for.
type bounded struct {
	strings.Builder
	left *int
}

var errFull = errors.New("there is no room for more text")

// Write is io.Writer's.
func (b *bounded) Write(text []byte) (int, error) {
	if *b.left -= len(text); *b.left < 0 {
		return 0, errFull
	}
	return b.Builder.Write(text)
}
