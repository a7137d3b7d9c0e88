package feedtest

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// field is what an item of a format can say beside its title and link.
type field int

const (
	hasID field = 1 << iota
	hasText
	hasPublished
	hasUpdated
	hasAuthor
	hasCategories
	hasFiles
	hasModules // elements of other namespaces
)

// format is a kind of document.
type format struct {
	name, kind, contentType string
	has                     field
	item                    string // its element
	single                  bool   // the document is an item
	write                   func(f *format, c *channel) string

	open, close string // of a document in XML; open ends where attributes may follow
}

const (
	rdfSpace  = `xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"`
	modules   = ` xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:media="http://search.yahoo.com/mrss/" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" xmlns:atom="http://www.w3.org/2005/Atom"`
	atomSpace = `http://www.w3.org/2005/Atom`
	all2      = hasID | hasText | hasPublished | hasAuthor | hasCategories | hasFiles
)

var formats = []format{
	{name: "RSS 2.0", kind: "rss", contentType: "application/rss+xml", has: all2 | hasModules, item: "item",
		write: writeRSS,
		open:  `<rss version="2.0"` + modules, close: "</channel></rss>"},
	{name: "RSS 0.90", kind: "rdf", contentType: "application/rdf+xml", item: "item", write: writeRSS,
		open: `<rdf:RDF ` + rdfSpace + ` xmlns="http://my.netscape.com/rdf/simple/0.9/"`, close: "</rdf:RDF>"},
	{name: "RSS 0.91", kind: "rss", contentType: "text/xml", has: hasText, item: "item", write: writeRSS,
		open: `<rss version="0.91"`, close: "</channel></rss>"},
	{name: "RSS 0.92", kind: "rss", contentType: "text/xml", has: hasText | hasCategories | hasFiles, item: "item",
		write: writeRSS,
		open:  `<rss version="0.92"`, close: "</channel></rss>"},
	{name: "RSS 0.93", kind: "rss", contentType: "text/xml", has: hasText | hasCategories | hasFiles | hasPublished,
		item: "item", write: writeRSS,
		open: `<rss version="0.93"`, close: "</channel></rss>"},
	{name: "RSS 0.94", kind: "rss", contentType: "text/xml", has: hasText | hasCategories | hasFiles | hasPublished,
		item: "item", write: writeRSS,
		open: `<rss version="0.94"`, close: "</channel></rss>"},
	{name: "RSS 2.1", kind: "rss", contentType: "application/xml", has: all2 | hasModules, item: "item",
		write: writeRSS,
		open:  `<rss version="2.1"` + modules, close: "</channel></rss>"},
	{name: "RSS without version", kind: "rss", contentType: "text/html", has: all2, item: "item", write: writeRSS,
		open: `<rss`, close: "</channel></rss>"},
	{name: "RSS 2.0 in a namespace", kind: "rss", contentType: "application/rss+xml", has: all2, item: "item",
		write: writeRSS,
		open:  `<rss version="2.0" xmlns="http://backend.userland.com/rss2"`, close: "</channel></rss>"},
	{name: "RSS 1.0", kind: "rdf", contentType: "application/rdf+xml",
		has: hasText | hasPublished | hasAuthor | hasCategories | hasModules, item: "item", write: writeRDF,
		open: `<rdf:RDF ` + rdfSpace + ` xmlns="http://purl.org/rss/1.0/"` + modules, close: "</rdf:RDF>"},
	{name: "RSS 1.1", kind: "cdf", contentType: "application/rdf+xml",
		has: hasText | hasPublished | hasAuthor | hasCategories | hasModules, item: "item", write: writeRDF,
		open: `<Channel ` + rdfSpace + ` xmlns="http://purl.org/net/rss1.1#"` + modules, close: "</items></Channel>"},
	{name: "Atom 1.0", kind: "atom", contentType: "application/atom+xml", has: all2 | hasUpdated | hasModules,
		item: "entry", write: writeAtom,
		open: `<feed xmlns="` + atomSpace + `"` + modules, close: "</feed>"},
	{name: "Atom 1.0 with a prefix", kind: "atom", contentType: "application/atom+xml", has: all2 | hasUpdated,
		item: "a:entry", write: writeAtom,
		open: `<a:feed xmlns:a="` + atomSpace + `"`, close: "</a:feed>"},
	{name: "Atom 0.3", kind: "atom", contentType: "application/atom+xml",
		has: hasID | hasText | hasPublished | hasUpdated | hasAuthor, item: "entry", write: writeAtom,
		open: `<feed version="0.3" xmlns="http://purl.org/atom/ns#"`, close: "</feed>"},
	{name: "Atom entry", kind: "atom", contentType: "application/atom+xml;type=entry", has: all2 | hasUpdated,
		item: "entry", single: true, write: writeAtom,
		open: `<entry xmlns="` + atomSpace + `"`, close: "</entry>"},
	{name: "CDF", kind: "cdf", contentType: "application/x-cdf", has: hasText | hasUpdated, item: "ITEM",
		write: writeCDF,
		open:  `<CHANNEL HREF="https://origin.example/"`, close: "</CHANNEL>"},
	{name: "JSON Feed 1.1", kind: "json feed", contentType: "application/feed+json", has: all2 | hasUpdated,
		write: writeJSON},
	{name: "JSON Feed 1.0", kind: "json feed", contentType: "application/json", has: all2 | hasUpdated,
		write: writeJSON},
	{name: "JSON list", kind: "json list", contentType: "application/json",
		has: hasID | hasText | hasPublished | hasUpdated | hasAuthor | hasCategories, write: writeJSONList},
}

func (f *format) isXML() bool  { return f.item != "" }
func (f *format) isAtom() bool { return f.kind == "atom" }

// prefix returns what stands before the names of the elements, with its colon.
func (f *format) prefix() string {
	return f.item[:strings.IndexByte(f.item, ':')+1]
}

// can reports whether items of the format have all the fields.
func (f *format) can(fields field) bool { return f.has&fields == fields }

// reads returns what a reader gets of a story.
func (f *format) reads(s story) Item {
	it := s.Item
	if !f.can(hasID) || it.ID == "" {
		it.ID = it.URL
	}
	if !f.can(hasText) {
		it.Text, it.Links = "", nil
	}
	if !f.can(hasPublished) {
		it.Published = time.Time{}
	}
	if !f.can(hasUpdated) && !s.restated {
		it.Updated = time.Time{}
	}
	if !f.can(hasAuthor) {
		it.Author = ""
	}
	if !f.can(hasCategories) {
		it.Categories = nil
	}
	if !f.can(hasFiles) {
		it.Files = nil
	}
	if f.name == "CDF" {
		it.Updated = it.Updated.Truncate(time.Minute)
	}
	return it
}

// element writes an element, unless there is nothing to write.
func element(name, attrs, inside string) string {
	if inside == "" && attrs == "" {
		return ""
	}
	return fmt.Sprintf("<%s%s>%s</%s>\n", name, attrs, inside, name)
}

// said returns a text as it stands in the document.
func said(c *channel, as, text string) string {
	switch {
	case as != "":
		return as
	case c.cdata && text != "":
		return "<![CDATA[" + text + "]]>"
	}
	return escape(text)
}

// titled returns a plain title as it stands in the document.
func titled(c *channel, as, title string) string {
	if as == "" && c.cdata && title != "" {
		return "<![CDATA[" + title + "]]>"
	}
	if as != "" {
		return as
	}
	return escape(title)
}

func (s *story) link() string {
	if s.href != "" {
		return s.href
	}
	return escape(s.URL)
}

func (s *story) stamp(layout string) string {
	if s.date != "" || s.Published.IsZero() {
		return s.date
	}
	return s.Published.Format(layout)
}

// writeRSS writes RSS 0.90, whose items stand beside the channel, and 0.91 to 2.x.
func writeRSS(f *format, c *channel) string {
	var b strings.Builder
	b.WriteString(f.open + c.attrs + ">\n<channel>\n" + c.lead + element("title", "", titled(c, "", c.title)) +
		element("link", "", c.site) + element("description", "", "About it all"))
	if f.kind == "rdf" {
		b.WriteString("</channel>\n")
	}
	for _, s := range c.stories {
		b.WriteString("<item" + s.attrs + ">" + s.lead + element("title", "", titled(c, s.head, s.Title)))
		b.WriteString(element("link", "", s.link()))
		if f.can(hasText) {
			b.WriteString(element("description", "", said(c, s.body, s.html)))
		}
		if f.can(hasPublished) {
			b.WriteString(element("pubDate", "", s.stamp(time.RFC1123Z)))
		}
		if f.can(hasID) && s.ID != "" {
			b.WriteString(element("guid", ` isPermaLink="false"`, escape(s.ID)))
		}
		if f.can(hasAuthor) && s.Author != "" {
			b.WriteString(element("author", "", "mail@example.org ("+escape(s.Author)+")"))
		}
		if f.can(hasCategories) {
			for _, term := range s.Categories {
				b.WriteString(element("category", "", escape(term)))
			}
		}
		if f.can(hasFiles) {
			for _, file := range s.Files {
				fmt.Fprintf(&b, "<enclosure url=\"%s\" length=\"%d\" type=\"%s\"/>\n", escape(file.URL), file.Length,
					file.Type)
			}
		}
		b.WriteString(s.extra + "</item>\n")
	}
	b.WriteString(c.last + f.close + "\n")
	return b.String()
}

// writeRDF writes RSS 1.0, and 1.1, which has the items within the channel.
func writeRDF(f *format, c *channel) string {
	var b strings.Builder
	inside := f.name == "RSS 1.1"
	b.WriteString(f.open + c.attrs)
	if inside {
		b.WriteString(` rdf:about="https://origin.example/about">`)
	} else {
		b.WriteString(">\n<channel rdf:about=\"https://origin.example/about\">")
	}
	b.WriteString(c.lead + element("title", "", titled(c, "", c.title)) + element("link", "",
		c.site) + element("description", "", "About it all"))
	if inside {
		b.WriteString(`<items rdf:parseType="Collection">`)
	} else {
		b.WriteString(
			"<items><rdf:Seq><rdf:li rdf:resource=\"https://origin.example/story/1\"/></rdf:Seq></items></channel>\n")
	}
	for _, s := range c.stories {
		about := ""
		if !s.unlinked {
			about = ` rdf:about="` + escape(s.URL) + `"`
		}
		b.WriteString("<item" + about + s.attrs + ">" + s.lead + element("title", "", titled(c, s.head, s.Title)))
		b.WriteString(element("link", "", s.link()) + element("description", "", said(c, s.body, s.html)))
		b.WriteString(element("dc:date", "", s.stamp(time.RFC3339)) + element("dc:creator", "", escape(s.Author)))
		for _, term := range s.Categories {
			b.WriteString(element("dc:subject", "", escape(term)))
		}
		b.WriteString(s.extra + "</item>\n")
	}
	b.WriteString(c.last + f.close + "\n")
	return b.String()
}

// writeAtom writes Atom 0.3 and 1.0.
func writeAtom(f *format, c *channel) string {
	p := f.prefix()
	old := f.name == "Atom 0.3"
	published, updated, html := p+"published", p+"updated", ` type="html"`
	if old {
		published, updated, html = "issued", "modified", ` type="text/html" mode="escaped"`
	}
	var b strings.Builder
	if !f.single {
		b.WriteString(f.open + c.attrs + ">\n" + c.lead + element(p+"title", "", titled(c, "", c.title)) +
			"<" + p + `link rel="alternate" type="text/html" href="` + c.site + `"/>` +
			element(p+"id", "", "tag:origin.example,2024:feed") + element(updated, "", epoch.Format(time.RFC3339)))
	}
	for _, s := range c.stories {
		if f.single {
			b.WriteString(f.open + c.attrs + s.attrs + ">\n")
		} else {
			b.WriteString("<" + f.item + s.attrs + ">\n")
		}
		b.WriteString(s.lead)
		b.WriteString(element(p+"title", s.htyp, titled(c, s.head, s.Title)) + element(p+"id", "", escape(s.ID)))
		if !s.unlinked {
			fmt.Fprintf(&b, "<%slink rel=\"alternate\" type=\"text/html\" href=\"%s\"/>\n", p, s.link())
		}
		b.WriteString(element(published, "", s.stamp(time.RFC3339)))
		if !s.Updated.IsZero() {
			b.WriteString(element(updated, "", s.Updated.Format(time.RFC3339)))
		}
		if s.Author != "" {
			b.WriteString(element(p+"author", "", element(p+"name", "", escape(s.Author))))
		}
		if s.typ == "" {
			s.typ = html
		}
		if s.html != "" {
			b.WriteString(element(p+"content", s.typ, said(c, s.body, s.html)))
		}
		if f.can(hasCategories) {
			for _, term := range s.Categories {
				fmt.Fprintf(&b, "<%scategory term=\"%s\"></%[1]scategory>\n", p, escape(term))
			}
		}
		if f.can(hasFiles) {
			for _, file := range s.Files {
				fmt.Fprintf(&b, "<%slink rel=\"enclosure\" href=\"%s\" length=\"%d\" type=\"%s\"/>\n", p,
					escape(file.URL), file.Length, file.Type)
			}
		}
		b.WriteString(s.extra)
		if !f.single {
			b.WriteString("</" + f.item + ">\n")
		}
	}
	b.WriteString(c.last + f.close + "\n")
	return b.String()
}

// writeCDF writes Microsoft's Channel Definition Format.
func writeCDF(f *format, c *channel) string {
	var b strings.Builder
	b.WriteString(f.open + c.attrs + ">\n" + c.lead + element("TITLE", "", titled(c, "", c.title)))
	for _, s := range c.stories {
		b.WriteString("<ITEM")
		if !s.unlinked {
			b.WriteString(` HREF="` + s.link() + `"`)
		}
		if !s.Updated.IsZero() {
			b.WriteString(` LASTMOD="` + s.Updated.Format("2006-01-02T15:04") + `"`)
		}
		b.WriteString(s.attrs + ">" + s.lead + element("TITLE", "", titled(c, s.head, s.Title)) + element("ABSTRACT",
			"", said(c, s.body, s.html)) + s.extra + "</ITEM>\n")
	}
	b.WriteString(c.last + f.close + "\n")
	return b.String()
}

// object is a JSON object of which empty values are left out.
type object map[string]any

func (o object) set(name, value string) {
	if value != "" {
		o[name] = value
	}
}

func marshal(o object) string {
	out, err := json.MarshalIndent(o, "", " ")
	if err != nil {
		panic(err) // of strings, numbers, lists and objects
	}
	return string(out)
}

// writeJSON writes JSON Feed 1.0 and 1.1.
func writeJSON(f *format, c *channel) string {
	version := strings.TrimPrefix(f.name, "JSON Feed ")
	items := []object{}
	for _, s := range c.stories {
		o := object{}
		o.set("id", s.ID)
		o.set("title", s.Title)
		o.set("content_html", s.html)
		if !s.unlinked {
			o.set("url", unescapes.Replace(s.link()))
		}
		o.set("date_published", s.stamp(time.RFC3339))
		if !s.Updated.IsZero() {
			o.set("date_modified", s.Updated.Format(time.RFC3339))
		}
		switch {
		case s.Author == "":
		case version == "1.0":
			o["author"] = object{"name": s.Author}
		default:
			o["authors"] = []object{{"name": s.Author, "url": "https://origin.example/people"}}
		}
		if len(s.Categories) > 0 {
			o["tags"] = s.Categories
		}
		var files []object
		for _, file := range s.Files {
			files = append(files, object{"url": file.URL, "mime_type": file.Type, "size_in_bytes": file.Length})
		}
		if files != nil {
			o["attachments"] = files
		}
		items = append(items, o)
	}
	whole := object{"title": c.title, "home_page_url": c.site, "items": items}
	if version == "1.0" {
		whole["version"] = "https://jsonfeed.org/version/1" // behind the items, as names are sorted
		return marshal(whole)
	}
	return `{"version": "https://jsonfeed.org/version/1.1",` + strings.TrimPrefix(marshal(whole), "{")
}

// writeJSONList writes a list of news as programs publish it for one another.
func writeJSONList(f *format, c *channel) string {
	items := []object{}
	for _, s := range c.stories {
		o := object{"position": s.serial, "tags": s.Categories}
		o.set("uuid", s.ID)
		o.set("headline", s.Title)
		o.set("body", s.html)
		if !s.unlinked {
			o.set("link", unescapes.Replace(s.link()))
		}
		o.set("author", s.Author)
		if s.date != "" {
			o["published_at"] = s.date
		} else if !s.Published.IsZero() {
			o["published_at"] = s.Published.Unix()
		}
		if !s.Updated.IsZero() {
			o["updated_at"] = s.Updated.UnixMilli()
		}
		items = append(items, o)
	}
	return marshal(object{"title": c.title, "articles": items})
}
