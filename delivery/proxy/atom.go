package proxy

import (
	"bytes"
	"encoding/xml"
	"strconv"
	"strings"
	"time"

	"tidings"
)

// renderAtom writes d as an Atom feed (RFC 4287, section 4).
func renderAtom(d document) []byte {
	x := &xmlWriter{}
	x.WriteString(xml.Header)
	x.open("feed", "xmlns", "http://www.w3.org/2005/Atom", "xml:base", first(d.home, d.via, d.self))
	x.element("id", d.id)
	x.element("title", first(d.title, d.via))
	x.element("updated", date(d.updated))
	x.link("self", d.self, "type", "application/atom+xml")
	x.link("hub", d.hub)
	x.link("alternate", d.home, "type", "text/html")
	x.link("via", d.via)
	x.person(first(d.title, d.via), d.home)
	x.element("generator", "Tidings")
	for _, e := range d.entries {
		x.entry(e)
	}
	x.close("feed")
	return x.Bytes()
}

// withdrawnScheme names the category of entries that turned out to be false.
const withdrawnScheme = "urn:tidings:state"

func (x *xmlWriter) entry(e entry) {
	x.open("entry")
	x.element("id", e.id)
	x.element("title", e.title)
	x.element("updated", date(e.updated))
	if !e.published.IsZero() {
		x.element("published", date(e.published))
	}
	x.link("alternate", e.link)
	for _, file := range e.enclosures {
		length := ""
		if file.Length > 0 {
			length = strconv.FormatInt(file.Length, 10)
		}
		x.link("enclosure", webURL(file.URL), "type", file.Type, "length", length)
	}
	if e.author != "" {
		x.person(e.author, "")
	}
	if e.withdrawn {
		x.open("category", "term", "withdrawn", "scheme", withdrawnScheme, "label", "Withdrawn")
		x.close("category")
	}
	for _, s := range e.subjects() {
		x.open("category", "term", clean(first(s.Code, s.Name)), "scheme", webURL(s.Scheme), "label", clean(s.Name))
		x.close("category")
	}
	for _, category := range e.tags() {
		if category = clean(category); category != "" {
			x.open("category", "term", category)
			x.close("category")
		}
	}
	if e.source != nil {
		x.open("source")
		x.element("id", channelID(e.source.URL))
		x.element("title", sourceTitle(e.source))
		if e.author == "" { // else readers show that of the whole feed
			x.person(sourceTitle(e.source), "")
		}
		x.link("via", webURL(tidings.PublicURL(e.source.URL)))
		x.close("source")
	}
	if e.summary != "" {
		x.element("summary", e.summary, "type", "html")
	}
	x.element("content", e.content, "type", "html")
	if e.news != nil {
		x.element("news:item", newsJSON(e.news), "xmlns:news", newsSpace)
	}
	x.close("entry")
}

func date(t time.Time) string {
	if t = writable(t); t.IsZero() {
		t = time.Unix(0, 0).UTC() // Atom wants a date; readers know this one as "none"
	}
	return t.Format(time.RFC3339)
}

func first(texts ...string) string {
	for _, s := range texts {
		if s = clean(s); s != "" {
			return s
		}
	}
	return ""
}

// xmlWriter writes well-formed XML whatever its texts hold.
type xmlWriter struct{ bytes.Buffer }

// open writes a start tag; attributes come in pairs, empty ones are left out.
func (x *xmlWriter) open(name string, attributes ...string) {
	x.WriteString("<" + name)
	for i := 0; i+1 < len(attributes); i += 2 {
		if attributes[i+1] != "" {
			x.WriteString(" " + attributes[i] + `="`)
			x.text(attributes[i+1])
			x.WriteByte('"')
		}
	}
	x.WriteByte('>')
}

func (x *xmlWriter) close(name string) { x.WriteString("</" + name + ">\n") }

func (x *xmlWriter) element(name, text string, attributes ...string) {
	x.open(name, attributes...)
	x.text(text)
	x.close(name)
}

// xmlEscaper is all that text and attributes need once they are clean. It is several
// times as fast as xml.EscapeText, on which most of an answer's time would go.
var xmlEscaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;")

func (x *xmlWriter) text(s string) {
	_, _ = xmlEscaper.WriteString(x, clean(s)) // a Buffer accepts everything
}

func (x *xmlWriter) link(rel, href string, attributes ...string) {
	if href != "" {
		x.open("link", append([]string{"rel", rel, "href", href}, attributes...)...)
		x.close("link")
	}
}

func (x *xmlWriter) person(name, uri string) {
	x.open("author")
	x.element("name", name)
	if uri != "" {
		x.element("uri", uri)
	}
	x.close("author")
}
