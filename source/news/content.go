package news

import (
	"html"
	"strings"

	"tidings/source/feed"
)

// cut cuts a text to MaxText bytes.
func (p *parser) cut(what, s string) string {
	if len(s) <= p.cfg.MaxText {
		return s
	}
	p.note("the %s is longer than %d bytes: the rest is cut", what, p.cfg.MaxText)
	return strings.ToValidUTF8(s[:p.cfg.MaxText], "")
}

// newlines makes every end of a line a "\n", and leaves out byte order marks, as Decode does.
var newlines = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\ufeff", "")

// markup makes a content of HTML. The result stays what it is if it is read again.
func (p *parser) markup(s string) string {
	s = p.cut("content", strings.TrimSpace(newlines.Replace(s)))
	return strings.TrimSpace(newlines.Replace(feed.Sanitize(s, ""))) // a reference can hide what newlines replaces
}

// plain makes a content of plain text.
func (p *parser) plain(s string) string {
	s = strings.TrimSpace(newlines.Replace(s))
	return p.markup(strings.ReplaceAll(html.EscapeString(s), "\n", "<br>\n"))
}

// voidElements are the elements of HTML that have no end tag.
var voidElements = set("br hr img col wbr source area base embed input link meta param track")

// leftOut are elements of NITF that hold no text for readers.
var leftOut = set("nitf-table-metadata alternate-code")

// htmlNames are the elements that HTML names otherwise than NITF does.
var htmlNames = map[string]string{"hl2": "h2", "bq": "blockquote", "block": "div", "nitf-table": "div",
	"media-caption": "figcaption", "media-producer": "figcaption"}

// classNames are the elements that NITF lacks and Write writes as a block or em of that class.
var classNames = set(`h1 h3 h4 h5 h6 figure figcaption section article aside header footer main nav details summary address
	b i u s strong small big tt code kbd samp var mark span abbr cite dfn del ins bdi bdo time strike center ruby rt rp
	picture audio video source wbr`)

func set(words string) map[string]bool {
	m := make(map[string]bool)
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// toHTML writes what is in an element of NITF or XHTML as HTML.
func (n *node) toHTML() string {
	var b strings.Builder
	if n != nil {
		for _, k := range n.kids {
			k.writeHTML(&b)
		}
	}
	return b.String()
}

func (n *node) writeHTML(b *strings.Builder) {
	switch {
	case n.name == "":
		b.WriteString(html.EscapeString(n.text))
		return
	case leftOut[n.name]:
		return
	case n.name == "media":
		n.writeMedia(b)
		return
	}
	name := n.name
	if class := n.attr("class"); (name == "block" || name == "em") && classNames[class] {
		name = class
	} else if other := htmlNames[name]; other != "" {
		name = other
	}
	b.WriteString("<" + name)
	for _, a := range n.attrs {
		if a.Name.Space == "" {
			b.WriteString(" " + a.Name.Local + `="` + html.EscapeString(a.Value) + `"`)
		}
	}
	b.WriteString(">")
	if voidElements[name] {
		return
	}
	for _, k := range n.kids {
		k.writeHTML(b)
	}
	b.WriteString("</" + name + ">")
}

// imageAttrs are the attributes of media-reference that an image has under the second name.
var imageAttrs = map[string]string{"source": "src", "alternate-text": "alt", "name": "title", "width": "width",
	"height": "height"}

// writeMedia writes a picture as an image, with its caption if it has one, and other media as a link.
func (n *node) writeMedia(b *strings.Builder) {
	caption := n.all("media-caption", "media-producer")
	if len(caption) > 0 {
		b.WriteString("<figure>")
	}
	for _, ref := range n.all("media-reference") {
		attrs := ""
		for _, a := range ref.attrs {
			if name := imageAttrs[a.Name.Local]; name != "" {
				attrs += " " + name + `="` + html.EscapeString(a.Value) + `"`
			}
		}
		source := html.EscapeString(ref.attr("source"))
		if n.attr("media-type") == "image" || strings.HasPrefix(ref.attr("mime-type"), "image/") {
			b.WriteString("<img" + attrs + ">")
		} else if webURL(ref.attr("source")) != "" {
			b.WriteString(`<a href="` + source + `">` + source + "</a>")
		}
	}
	for _, c := range caption {
		c.writeHTML(b)
	}
	if len(caption) > 0 {
		b.WriteString("</figure>")
	}
}
