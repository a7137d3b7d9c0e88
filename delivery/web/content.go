package web

import (
	"fmt"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"tidings"
	"tidings/delivery/web/wording"
	"tidings/markup"
)

var (
	headings = elements(atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6)
	// Landmarks are of the page alone. Lists of terms are no lists here, see dt and dd.
	landmarks = elements(atom.Article, atom.Aside, atom.Dl, atom.Footer, atom.Header, atom.Main, atom.Nav, atom.Section)
	// Media come from other hosts. They are not loaded, but can be opened.
	media = map[atom.Atom]string{atom.Img: "Picture", atom.Video: "Video", atom.Audio: "Sound"}
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

// content returns an item's markup, fit to stand inside the page below a heading of level above. It is sanitised
// whichever way it came: every element closed, headings in steps, lists whole, every link to another host or to
// nothing. Pictures are shown by way of the node, or as links if pictures is nil. Sound and video are played like files
// of an item, or are links if play returns nil. Nothing is loaded from elsewhere.
func content(text string, above int, pictures Pictures, play func(address, kind string) *player) template.HTML {
	nodes, ok := parse(text)
	if !ok {
		return template.HTML("<p>" + html.EscapeString(wording.Plain(markup.Text(text, 100_000), 100_000)) + "</p>")
	}
	c := fitter{heading: above, pictures: pictures, play: play}
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
	pictures  Pictures // nil: they are links
	play      func(address, kind string) *player
	players   int // so far
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
		if markup.IsDirection(r) {
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
	case a == atom.Img && c.pictures != nil:
		c.picture(n)
	case (a == atom.Audio || a == atom.Video) && c.player(n):
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

// headingElement keeps the order of headings and skips no level, because assistive technology navigates by headings.
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
	to := wording.LinkTo(attribute(n, "href"))
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
	c.out.WriteString(`<a href="` + html.EscapeString(url) + `"` + class +
		` rel="noopener noreferrer nofollow" target="_blank">`)
}

// largestTracker is up to how many pixels wide and high a picture says nothing, and is there to count readers.
const largestTracker = 2

// picture shows a picture by way of the node, in a link to where it comes from.
func (c *fitter) picture(n *html.Node) {
	to := wording.LinkTo(attribute(n, "src"))
	alt := wording.Plain(wording.Fallback(attribute(n, "alt"), attribute(n, "title")), 300)
	if to.URL == "" {
		if alt != "" {
			c.media(n)
		}
		return
	}
	width, height := pixels(n, "width"), pixels(n, "height")
	if max(width, height) >= 0 && max(width, height) <= largestTracker {
		return
	}
	link := !c.inLink
	if link {
		c.openLink(to.URL, ` class="picture"`)
	}
	c.out.WriteString(pictureTag(c.pictures, to.URL, alt, width, height))
	if link {
		c.out.WriteString("</a>")
	}
}

// pictureTag returns the element of a picture. Its size is that of the picture where it is known, or else what its
// publisher says.
func pictureTag(pictures Pictures, address, alt string, width, height int) string {
	if w, h := pictures.Size(address); w > 0 {
		width, height = w, h
	}
	size := ""
	if width > 0 && height > 0 {
		size = fmt.Sprintf(` width="%d" height="%d"`, width, height)
	}
	return fmt.Sprintf(`<img src="%s" alt="%s"%s loading="lazy" decoding="async">`,
		html.EscapeString(pictures.Path(address)), html.EscapeString(alt), size)
}

// maxSide bounds a side of a picture that its publisher states, in pixels.
const maxSide = 20_000

// pixels returns a side of a picture as its publisher states it; -1 if it states nothing that makes sense.
func pixels(n *html.Node, side string) int {
	size, err := strconv.Atoi(strings.TrimSuffix(attribute(n, side), "px"))
	if err != nil || size < 0 || size > maxSide {
		return -1
	}
	return size
}

// enclosedPicture returns the element of a picture that an item carries beside its text; "" for anything else.
func enclosedPicture(pictures Pictures, e tidings.Enclosure) template.HTML {
	to := wording.LinkTo(e.URL)
	if pictures == nil || to.URL == "" || !strings.HasPrefix(e.Type, "image/") ||
		strings.HasPrefix(e.Type, "image/svg") {
		return ""
	}
	return template.HTML(pictureTag(pictures, to.URL, "", 0, 0))
}

// maxPlayers bounds the players in one text. More are links.
const maxPlayers = 20

// player writes what plays sound or video of a text, and a link to it; false if nothing does.
func (c *fitter) player(n *html.Node) bool {
	to := wording.LinkTo(sourceOf(n))
	if to.URL == "" || c.inLink || c.inHeading || c.play == nil || c.players >= maxPlayers {
		return false
	}
	p := c.play(to.URL, n.Data)
	if p == nil {
		return false
	}
	c.players++
	poster := wording.LinkTo(attribute(n, "poster")).URL
	fmt.Fprintf(&c.out, `<div class="player" data-player="%s"><%s controls preload="none" src="%s" aria-label="%s"`,
		html.EscapeString(p.Key), n.Data, html.EscapeString(p.Path), html.EscapeString(p.Name))
	if p.Video {
		c.out.WriteString(" playsinline")
		if poster != "" && c.pictures != nil {
			c.out.WriteString(` poster="` + html.EscapeString(c.pictures.Path(poster)) + `"`)
		}
	}
	c.out.WriteString("></" + n.Data + "></div>")
	c.media(n)
	return true
}

// sourceOf returns the address of what an element would load.
func sourceOf(n *html.Node) string {
	source := attribute(n, "src")
	for k := n.FirstChild; k != nil && source == ""; k = k.NextSibling {
		source = attribute(k, "src") // <video><source src>
	}
	return source
}

// media shows what would be loaded from another host as a link to it.
func (c *fitter) media(n *html.Node) {
	to := wording.LinkTo(sourceOf(n))
	name := media[n.DataAtom]
	if alt := wording.Plain(attribute(n, "alt")+" "+attribute(n, "title"), 200); alt != "" {
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
