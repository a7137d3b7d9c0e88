package web

import (
	"html/template"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"tidings/markup"
)

var (
	headings = elements(atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6)
	// Landmarks are of the page alone. Lists of terms are no lists here, see dt and dd.
	landmarks = elements(atom.Article, atom.Aside, atom.Dl, atom.Footer, atom.Header, atom.Main, atom.Nav, atom.Section)
	// Media come from other hosts. They are not loaded, but can be opened.
	media = map[atom.Atom]string{atom.Img: "Picture", atom.Video: "Video", atom.Audio: "Sound"}
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
// level above: sanitised whichever way it came, every element closed, headings in steps, lists
// whole, no picture loaded, every link to another host or to nothing.
func content(text string, above int) template.HTML {
	nodes, ok := parse(text)
	if !ok {
		return template.HTML("<p>" + html.EscapeString(plain(textOf(text, 100_000), 100_000)) + "</p>")
	}
	c := fitter{heading: above}
	for _, n := range nodes {
		c.node(n)
	}
	return template.HTML(c.out.String())
}

// parse reads what may stay of a text as the inside of a <div>. Documents that the parser refuses, for
// their depth, give false.
func parse(text string) ([]*html.Node, bool) {
	if len(text) > maxContent {
		return nil, false
	}
	div := &html.Node{Type: html.ElementNode, Data: "div", DataAtom: atom.Div}
	nodes, err := html.ParseFragment(strings.NewReader(markup.Sanitize(text)), div)
	return nodes, err == nil
}

// fitter writes a parsed item to stand in the page. The parser bounds the depth of the tree.
type fitter struct {
	out       strings.Builder
	heading   int  // level of the latest heading
	inLink    bool // links do not nest
	inHeading bool
}

func (c *fitter) node(n *html.Node) {
	switch n.Type {
	case html.TextNode:
		c.text(n.Data)
	case html.ElementNode:
		c.element(n)
	}
}

func (c *fitter) text(s string) {
	c.out.WriteString(html.EscapeString(strings.Map(func(r rune) rune {
		if isDirection(r) {
			return -1
		}
		return r
	}, s)))
}

func (c *fitter) children(n *html.Node) {
	for k := n.FirstChild; k != nil; k = k.NextSibling {
		c.node(k)
	}
}

func (c *fitter) element(n *html.Node) {
	a := n.DataAtom
	switch {
	case headings[a]:
		c.headingElement(n)
	case a == atom.A:
		c.anchor(n)
	case media[a] != "":
		c.media(n)
	case a == atom.Picture, a == atom.Source, a == atom.Bdo: // the last turns the page's own words around too
		c.children(n)
	case a == atom.Ul || a == atom.Ol:
		c.list(n)
	case a == atom.Li || landmarks[a]: // the list that an li belongs to writes it; this one has none
		c.wrap("div", "", n)
	case a == atom.Dt:
		c.wrap("div", ` class="term"`, n)
	case a == atom.Dd:
		c.wrap("div", ` class="meaning"`, n)
	case a == atom.Table:
		c.out.WriteString(`<div class="wide" tabindex="0" role="group" aria-label="Table">`)
		c.wrap("table", attributes(n), n)
		c.out.WriteString("</div>")
	case a == atom.Th && !hasText(n):
		c.wrap("td", attributes(n), n)
	case a == atom.Br || a == atom.Hr || a == atom.Wbr:
		c.out.WriteString("<" + n.Data + ">")
	default:
		c.wrap(n.Data, attributes(n), n)
	}
}

func (c *fitter) wrap(name, attributes string, n *html.Node) {
	c.out.WriteString("<" + name + attributes + ">")
	c.children(n)
	c.out.WriteString("</" + name + ">")
}

// attributes writes an element's attributes.
func attributes(n *html.Node) string {
	var b strings.Builder
	for _, a := range n.Attr {
		b.WriteString(" " + a.Key + `="` + html.EscapeString(a.Val) + `"`)
	}
	return b.String()
}

// headingElement keeps the order of headings but leaves no level out, as those who
// move through a page by its headings need it.
func (c *fitter) headingElement(n *html.Node) {
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

func (c *fitter) list(n *html.Node) {
	c.out.WriteString("<" + n.Data + attributes(n) + ">")
	for k := n.FirstChild; k != nil; k = k.NextSibling {
		switch {
		case k.Type == html.ElementNode && k.DataAtom == atom.Li:
			c.wrap("li", attributes(k), k)
		case k.Type == html.ElementNode, k.Type == html.TextNode && strings.TrimSpace(k.Data) != "":
			c.out.WriteString("<li>")
			c.node(k)
			c.out.WriteString("</li>")
		}
	}
	c.out.WriteString("</" + n.Data + ">")
}

func (c *fitter) anchor(n *html.Node) {
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

func (c *fitter) openLink(url, class string) {
	c.out.WriteString(`<a href="` + html.EscapeString(url) + `"` + class + ` rel="noopener noreferrer nofollow" target="_blank">`)
}

// media shows what would be loaded from another host as a link to it.
func (c *fitter) media(n *html.Node) {
	source := attribute(n, "src")
	for k := n.FirstChild; k != nil && source == ""; k = k.NextSibling {
		source = attribute(k, "src") // <video><source src>
	}
	to := linkTo(source)
	name := media[n.DataAtom]
	if alt := plain(attribute(n, "alt")+" "+attribute(n, "title"), 200); alt != "" {
		name += ": " + alt
	} else if to.URL == "" {
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
