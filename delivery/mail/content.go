package mail

import (
	"html/template"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"tidings/markup"
)

// cutMarkup cuts HTML to at most limit bytes, and not within a tag.
func cutMarkup(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	text = strings.ToValidUTF8(text[:limit], "")
	if open := strings.LastIndexByte(text, '<'); open > strings.LastIndexByte(text, '>') {
		text = text[:open]
	}
	return text + "…"
}

// contentOf returns HTML of strangers as it may stand in a mail: sanitised as on the page, with every element closed,
// and without anything that would be loaded. Of a picture its text stays. What nests too deep to be parsed is shown as
// text.
func contentOf(content string) template.HTML {
	nodes, err := html.ParseFragment(strings.NewReader(markup.Sanitize(content)),
		&html.Node{Type: html.ElementNode, Data: "div", DataAtom: atom.Div})
	if err != nil {
		return paragraph(lines(markup.Text(content, maxPlain)))
	}
	var b strings.Builder
	for _, n := range nodes {
		if n = withoutMedia(n); n == nil {
			continue
		}
		if err := html.Render(&b, n); err != nil {
			return paragraph(lines(markup.Text(content, maxPlain)))
		}
	}
	return template.HTML(b.String())
}

// withoutMedia returns a node without pictures, sound and video below it; nil if nothing stays of it.
func withoutMedia(n *html.Node) *html.Node {
	if n.Type == html.ElementNode {
		switch n.DataAtom {
		case atom.Img:
			return pictureText(n)
		case atom.Audio, atom.Video, atom.Source:
			return nil
		}
	}
	for c := n.FirstChild; c != nil; {
		next := c.NextSibling
		switch kept := withoutMedia(c); {
		case kept == nil:
			n.RemoveChild(c)
		case kept != c:
			n.InsertBefore(kept, c)
			n.RemoveChild(c)
		}
		c = next
	}
	return n
}

// pictureText returns what a picture shows, in brackets; nil if its author does not say.
func pictureText(n *html.Node) *html.Node {
	for _, a := range n.Attr {
		if a.Key != "alt" {
			continue
		}
		if alt := markup.Line(a.Val, maxAlt); alt != "" {
			return &html.Node{Type: html.TextNode, Data: "[" + alt + "]"}
		}
	}
	return nil
}

const maxAlt = 200 // characters of what a picture shows
