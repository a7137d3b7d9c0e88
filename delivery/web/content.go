package web

import (
	"html/template"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// What the elements of an item become. What is in none of these lists gives way to what it holds.
var (
	keptElements = elements(atom.P, atom.Br, atom.Hr, atom.Ul, atom.Ol, atom.Li, atom.Blockquote, atom.Pre, atom.Code,
		atom.Samp, atom.Kbd, atom.Var, atom.Em, atom.Strong, atom.B, atom.I, atom.U, atom.S, atom.Del, atom.Ins, atom.Sub,
		atom.Sup, atom.Small, atom.Mark, atom.Cite, atom.Q, atom.Dfn, atom.Abbr, atom.Table, atom.Thead, atom.Tbody,
		atom.Tfoot, atom.Tr, atom.Th, atom.Td, atom.Caption, atom.Figure, atom.Figcaption, atom.Div)
	droppedElements = elements(atom.Script, atom.Style, atom.Template, atom.Noscript, atom.Head, atom.Title, atom.Svg,
		atom.Math, atom.Form, atom.Button, atom.Input, atom.Select, atom.Textarea, atom.Option, atom.Object, atom.Applet,
		atom.Frame, atom.Frameset, atom.Noembed, atom.Noframes, atom.Xmp, atom.Plaintext, atom.Meta, atom.Link, atom.Base,
		atom.Map, atom.Canvas, atom.Dialog)
	headings = elements(atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6)
	// Media come from other hosts. They are not loaded, but can be opened.
	media = map[atom.Atom]string{atom.Img: "Picture", atom.Video: "Video", atom.Audio: "Sound", atom.Iframe: "Embedded page", atom.Embed: "Embedded media"}
	// Blocks end a line where markup is read as text.
	blocks = elements(atom.P, atom.Br, atom.Hr, atom.Ul, atom.Ol, atom.Li, atom.Dl, atom.Dt, atom.Dd, atom.Blockquote,
		atom.Pre, atom.Table, atom.Tr, atom.Caption, atom.Figure, atom.Figcaption, atom.Div, atom.Section, atom.Article,
		atom.Header, atom.Footer, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6)
)

func elements(list ...atom.Atom) map[atom.Atom]bool {
	set := make(map[atom.Atom]bool, len(list))
	for _, a := range list {
		set[a] = true
	}
	return set
}

// maxContent bounds the markup of an item that is shown, in bytes. More is shown as text.
const maxContent = 4 << 20

// content returns an item's markup, fit to stand inside the page below a heading of
// level above: only what may stay, every element closed, headings in steps, lists
// whole, no picture loaded, every link to another host or to nothing.
func content(markup string, above int) template.HTML {
	nodes, ok := parse(markup)
	if !ok {
		return template.HTML("<p>" + html.EscapeString(plain(textOf(markup, 100_000), 100_000)) + "</p>")
	}
	c := cleaner{heading: above}
	for _, n := range nodes {
		c.node(n)
	}
	return template.HTML(c.out.String())
}

// parse reads markup as the inside of a <div>. Documents that the parser refuses, for
// their depth, give false.
func parse(markup string) ([]*html.Node, bool) {
	if len(markup) > maxContent {
		return nil, false
	}
	div := &html.Node{Type: html.ElementNode, Data: "div", DataAtom: atom.Div}
	nodes, err := html.ParseFragment(strings.NewReader(markup), div)
	return nodes, err == nil
}

// cleaner writes a parsed item. The parser bounds the depth of the tree.
type cleaner struct {
	out       strings.Builder
	heading   int  // level of the latest heading
	inLink    bool // links do not nest
	inHeading bool
}

func (c *cleaner) node(n *html.Node) {
	switch n.Type {
	case html.TextNode:
		c.text(n.Data)
	case html.ElementNode:
		c.element(n)
	}
}

func (c *cleaner) text(s string) {
	c.out.WriteString(html.EscapeString(strings.Map(func(r rune) rune {
		if isDirection(r) {
			return -1
		}
		return r
	}, s)))
}

func (c *cleaner) children(n *html.Node) {
	for k := n.FirstChild; k != nil; k = k.NextSibling {
		c.node(k)
	}
}

func (c *cleaner) element(n *html.Node) {
	a := n.DataAtom
	switch {
	case n.Namespace != "" || droppedElements[a]:
	case headings[a]:
		c.headingElement(n)
	case a == atom.A:
		c.anchor(n)
	case media[a] != "":
		c.media(n)
	case a == atom.Ul || a == atom.Ol:
		c.list(n)
	case a == atom.Li: // the list it belongs to writes it; this one has none
		c.wrap("div", "", n)
	case a == atom.Dt:
		c.wrap("div", ` class="term"`, n)
	case a == atom.Dd:
		c.wrap("div", ` class="meaning"`, n)
	case a == atom.Table:
		c.out.WriteString(`<div class="wide" tabindex="0" role="group" aria-label="Table">`)
		c.wrap("table", "", n)
		c.out.WriteString("</div>")
	case a == atom.Th && !hasText(n):
		c.wrap("td", spans(n), n)
	case a == atom.Th || a == atom.Td:
		c.wrap(n.Data, spans(n), n)
	case a == atom.Br || a == atom.Hr:
		c.out.WriteString("<" + n.Data + ">")
	case keptElements[a]:
		c.wrap(n.Data, "", n)
	case blocks[a]:
		c.wrap("div", "", n)
	default:
		c.children(n)
	}
}

func (c *cleaner) wrap(name, attributes string, n *html.Node) {
	c.out.WriteString("<" + name + attributes + ">")
	c.children(n)
	c.out.WriteString("</" + name + ">")
}

// headingElement keeps the order of headings but leaves no level out, as those who
// move through a page by its headings need it.
func (c *cleaner) headingElement(n *html.Node) {
	if !hasText(n) {
		c.children(n)
		return
	}
	own := int(n.Data[1] - '0')
	c.heading = min(max(own+1, 2), c.heading+1, 6)
	c.inHeading = true
	c.wrap("h"+strconv.Itoa(c.heading), "", n)
	c.inHeading = false
}

func (c *cleaner) list(n *html.Node) {
	c.out.WriteString("<" + n.Data)
	if start, err := strconv.Atoi(attribute(n, "start")); err == nil && n.DataAtom == atom.Ol && start > 0 && start < 1e6 {
		c.out.WriteString(` start="` + strconv.Itoa(start) + `"`)
	}
	c.out.WriteString(">")
	for k := n.FirstChild; k != nil; k = k.NextSibling {
		switch {
		case k.Type == html.ElementNode && k.DataAtom == atom.Li:
			c.wrap("li", "", k)
		case k.Type == html.ElementNode && !droppedElements[k.DataAtom], k.Type == html.TextNode && strings.TrimSpace(k.Data) != "":
			c.out.WriteString("<li>")
			c.node(k)
			c.out.WriteString("</li>")
		}
	}
	c.out.WriteString("</" + n.Data + ">")
}

func (c *cleaner) anchor(n *html.Node) {
	to := linkTo(attribute(n, "href"))
	if to.URL == "" || c.inLink {
		c.children(n)
		return
	}
	empty := !hasText(n) && !hasMedia(n)
	if empty && (c.inHeading || strings.Contains(to.URL, "#")) {
		return // sites put a link to each heading beside it, which their style sheets show as a sign
	}
	c.inLink = true
	c.openLink(to.URL, "")
	c.children(n)
	if empty {
		c.text(to.Host)
	}
	c.out.WriteString("</a>")
	c.inLink = false
}

func (c *cleaner) openLink(url, class string) {
	c.out.WriteString(`<a href="` + html.EscapeString(url) + `"` + class + ` rel="noopener noreferrer nofollow" target="_blank">`)
}

// media shows what would be loaded from another host as a link to it.
func (c *cleaner) media(n *html.Node) {
	source := attribute(n, "src")
	for k := n.FirstChild; k != nil && source == ""; k = k.NextSibling {
		source = attribute(k, "src") // <video><source src>
	}
	to := linkTo(source)
	name := media[n.DataAtom]
	if alt := plain(attribute(n, "alt")+" "+attribute(n, "title"), 200); alt != "" {
		name += ": " + alt
	} else if to.URL == "" || isPixel(n) {
		return
	}
	if to.Host != "" {
		name += " (" + to.Host + ")"
	}
	if to.URL == "" || c.inLink {
		c.out.WriteString(`<span class="media">`)
		c.text(name)
		c.out.WriteString("</span>")
		return
	}
	c.openLink(to.URL, ` class="media"`)
	c.text(name)
	c.out.WriteString("</a>")
}

// isPixel reports whether a picture is there to count readers.
func isPixel(n *html.Node) bool {
	w, h := attribute(n, "width"), attribute(n, "height")
	return (w == "0" || w == "1") && (h == "0" || h == "1")
}

func spans(n *html.Node) string {
	var b strings.Builder
	for _, name := range []string{"colspan", "rowspan"} {
		if v, err := strconv.Atoi(attribute(n, name)); err == nil && v > 1 && v <= 100 {
			b.WriteString(" " + name + `="` + strconv.Itoa(v) + `"`)
		}
	}
	return b.String()
}

func attribute(n *html.Node, name string) string {
	i := slices.IndexFunc(n.Attr, func(a html.Attribute) bool { return a.Namespace == "" && a.Key == name })
	if i < 0 {
		return ""
	}
	return n.Attr[i].Val
}

func hasText(n *html.Node) bool {
	if n.Type == html.TextNode {
		return strings.TrimSpace(n.Data) != ""
	}
	if droppedElements[n.DataAtom] {
		return false
	}
	for k := n.FirstChild; k != nil; k = k.NextSibling {
		if hasText(k) {
			return true
		}
	}
	return false
}

func hasMedia(n *html.Node) bool {
	for k := n.FirstChild; k != nil; k = k.NextSibling {
		if media[k.DataAtom] != "" || hasMedia(k) {
			return true
		}
	}
	return false
}

// hostOf returns the host of an address, as it is shown; "" if there is none.
func hostOf(address string) string {
	if len(address) > maxURL {
		return ""
	}
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return hostText(u)
}
