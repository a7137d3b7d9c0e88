package feedtest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// twist is what makes a document other than plain.
type twist struct {
	name  string
	legal bool // the specifications allow it

	// Where it can be made.
	needs      field // fields that items must have
	json       bool  // in JSON too; every twist can be made in XML
	only       func(f *format) bool
	unicode    bool // only where every character can be encoded
	likeASCII  bool // only where ASCII characters are the same bytes
	utf8       bool // only in UTF-8 that is not declared otherwise
	undeclared bool // there is no XML declaration, or the twist writes its own

	// How it is made: in what is meant, in the text, and in the bytes; and what is read then, if not what was meant.
	before func(f *format, c *channel)
	text   func(f *format, s string) string
	bytes  func(b []byte) []byte
	after  func(d *Document)
}

func (t *twist) fits(f *format, cs *charset) bool {
	switch {
	case !f.isXML() && !t.json, !f.can(t.needs), t.only != nil && !t.only(f):
		return false
	case t.unicode && !cs.unicode(), t.likeASCII && !cs.likeASCII(), t.utf8 && cs.name != "UTF-8":
		return false
	case t.undeclared && cs.name != "UTF-8":
		return false
	}
	return true
}

var plain = twist{name: "plain", legal: true, json: true}

// Kinds of formats.
func isRSS(f *format) bool  { return strings.HasPrefix(f.name, "RSS") }
func isRSS2(f *format) bool { return f.name == "RSS 2.0" || f.name == "RSS 2.1" }
func isAtom1(f *format) bool {
	return strings.HasPrefix(f.name, "Atom 1.0") || f.single
}
func isUnprefixed(f *format) bool { return f.item != "a:entry" }
func isList(f *format) bool       { return !f.single }

// each makes a twist of every story.
func each(change func(f *format, s *story)) func(*format, *channel) {
	return func(f *format, c *channel) {
		for i := range c.stories {
			change(f, &c.stories[i])
		}
	}
}

// head gives every title a beginning, as it stands in the document and as it is read.
func head(raw, read string) func(*format, *channel) {
	return each(func(_ *format, s *story) {
		s.head = raw + " " + escape(s.Title)
		s.Title = strings.TrimSpace(read + " " + s.Title)
	})
}

// lead puts markup before the first element of every item.
func lead(markup string) func(*format, *channel) {
	return each(func(_ *format, s *story) { s.lead = markup })
}

// replacing replaces texts of the document.
func replacing(pairs ...string) func(*format, string) string {
	return func(_ *format, s string) string { return strings.NewReplacer(pairs...).Replace(s) }
}

func prefixed(before string) func(*format, string) string {
	return func(_ *format, s string) string { return before + s }
}

func suffixed(after string) func(*format, string) string {
	return func(_ *format, s string) string { return s + after }
}

// lastItem returns where the last item starts.
func lastItem(f *format, s string) int { return strings.LastIndex(s, "<"+f.item) }

// cut ends the document within its last item, behind the first place of mark in it. The item may have half a text, so
// that it must not be reported.
func cut(mark string) (func(*format, string) string, func(*Document)) {
	text := func(f *format, s string) string {
		at := lastItem(f, s)
		return s[:at+strings.Index(s[at:], mark)+len(mark)]
	}
	return text, func(d *Document) { d.Items = d.Items[:len(d.Items)-1] }
}

func cutAt(name, mark string) twist {
	t := twist{name: name, only: func(f *format) bool { return !f.single && (mark != "CDATA[" || f.can(hasText)) }}
	t.text, t.after = cut(mark)
	if mark == "CDATA[" {
		t.before = func(_ *format, c *channel) { c.cdata = true }
	}
	return t
}

// upper writes the names of elements that have no prefix in upper case.
func upper(_ *format, s string) string {
	var b strings.Builder
	for {
		i := strings.IndexByte(s, '<')
		if i < 0 {
			b.WriteString(s)
			return b.String()
		}
		b.WriteString(s[:i])
		n := i + 1 + strings.IndexAny(s[i+1:], " >\n")
		if name := s[i:n]; strings.ContainsAny(name, ":!?") {
			b.WriteString(name)
		} else {
			b.WriteString(strings.ToUpper(name))
		}
		s = s[n:]
	}
}

// twists are the twists that were seen. Where there is a number, so many of the some
// 3,000 documents in XML had it.
var twists = []twist{
	// Before and after the root.
	{name: "blanks before the declaration (14)", text: prefixed("\n \t\r\n")},
	{name: "the warning of a program before the feed (1)",
		text: prefixed(
			"<br />\n<b>Warning</b>: include() [function.include]: failed in <b>/var/www/x.php</b> on line <b>7</b><br />\n"),
		only: isUnprefixed}, // whose root nothing identifies from afar
	{name: "a comment before the root", legal: true, undeclared: true,
		text: prefixed("<!-- generated: <rss> <feed> <html> -->\n")},
	{name: "a style sheet (12)", legal: true, undeclared: true,
		text: prefixed(
			"<?xml version='1.0' encoding='utf-8' standalone='yes'?><?xml-stylesheet type=\"text/xsl\" href=\"/x.xsl?a=>\"?>")},
	{name: "the declaration twice (1)", undeclared: true,
		text: prefixed("<?xml version=\"1.0\"?>\n<?xml version=\"1.0\" encoding=\"utf-8\"?>\n")},
	{name: "a declaration with blanks around its signs (1)", legal: true, undeclared: true,
		text: prefixed("<?xml version = '1.0'  encoding = 'UTF-8' ?>\n")},
	{name: "XML 1.1", undeclared: true, text: prefixed("<?xml version=\"1.1\"?>")},
	{name: "a document type (9)", legal: true, undeclared: true,
		text: prefixed(
			"<?xml version=\"1.0\"?><!DOCTYPE rss PUBLIC \"-//Netscape Communications//DTD RSS 0.91//EN\" \"http://my.netscape.com/publish/formats/rss-0.91.dtd\">\n")},
	{name: "declared entities (2)", undeclared: true,
		text: prefixed(
			"<!DOCTYPE x [<!ENTITY % HTMLlat1 PUBLIC \"-//x\" \"http://x.example/a>b.ent\"> <!ENTITY nbsp \"&#160;\"> <!ELEMENT rss ANY>]>\n")},
	{name: "comments after the root (8)", legal: true,
		text: suffixed("<!-- ph=1 -->\n<!-- cached at 12:00 & \"so\" -->")},
	{name: "text after the root (1)", text: suffixed("\nServed in 0.3 s & 4 <b>queries</b></body></html>")},
	{name: "zero bytes after the root", text: suffixed("\x00\x00\x00")},
	{name: "an open comment after the items", only: isList, before: func(_ *format, c *channel) {
		c.last = "<!-- the end"
	}},
	{name: "comments and instructions among the elements (many)", legal: true, before: func(f *format, c *channel) {
		lead("<!-- <title>no</title> --><?php echo 'x' ?>")(f, c)
		c.lead = "<!-- <item><title>no</title></item> -->"
	}},
	{name: "text among the elements", before: lead("stray text & more")},
	{name: "a mark twice", unicode: true, text: prefixed("\ufeff\ufeff")},
	{name: "marks among the text", unicode: true, before: each(func(_ *format, s *story) {
		s.head = "\ufeff" + escape(s.Title) + "\ufeff"
	})},

	// Elements that do not end, or not where they should.
	{name: "items without an end (1)", only: isList, text: func(f *format, s string) string {
		return strings.ReplaceAll(s, "</"+f.item+">", "")
	}},
	{name: "a root without an end (4)", text: func(f *format, s string) string {
		return strings.TrimSuffix(s, f.close+"\n")
	}, only: isList},
	{name: "an element without an end in items (6)", before: lead("<x>")},
	{name: "crossed tags (7)", before: lead("<x1><x2></x1></x2>")},
	{name: "an end without a start (2)", before: lead("</x>")},
	{name: "an empty element of another vocabulary", legal: true, before: lead(`<y xmlns="urn:x" a="1"/>`),
		only: isUnprefixed},
	cutAt("cut off in a title (1)", "title>"),
	cutAt("cut off in a tag", "<"),
	cutAt("cut off in an attribute", `="`),
	cutAt("cut off in a section (1)", "CDATA["),
	{name: "cut off between items (1)", only: isList, text: func(f *format, s string) string {
		end := "</" + f.item + ">"
		return s[:strings.LastIndex(s, end)+len(end)]
	}},
	{name: "an open section in the last item", needs: hasText, only: isList, after: func(d *Document) {
		d.Items = d.Items[:len(d.Items)-1]
	},
		before: func(_ *format, c *channel) { c.stories[len(c.stories)-1].body = "<![CDATA[never closed" }},

	// Attributes.
	{name: "attributes twice", before: each(func(f *format, s *story) { s.attrs = ` a="1" a="2"` })},
	{name: "attributes without quotes or value", before: each(func(f *format, s *story) { s.attrs = ` a=b/c c` })},
	{name: "attributes in single quotes with blanks (3)", legal: true, before: each(func(f *format, s *story) {
		s.attrs = " xml:lang = 'de'\n\tid\n=\n'a\">b'"
	})},

	// Characters and references.
	{name: "named entities (170)", before: head("caf&eacute; &mdash; &copy;&nbsp;&hellip; &Auml;&sup2;",
		"café — © … Ä²")},
	{name: "entities nobody knows", before: head("&nosuch; &x; &;", "&nosuch; &x; &;")},
	{name: "bare ampersands (66)", before: head("AT&T & Co & &", "AT&T & Co & &")},
	{name: "bare ampersands in links (11)", before: each(func(f *format, s *story) {
		s.href = s.URL + "?a=1&b=2&copy=3"
		s.URL = s.href
	})},
	{name: "a stray less-than (2)", before: head("1 < 2 <3", "1 < 2 <3")},
	{name: "numeric references (90)", legal: true, before: head("&#x42;&#66; &#233; &#x2014; &#38; &#128640;",
		"BB é — & 🚀")},
	{name: "a reference in upper case (1)", before: head("&#X42;", "B")},
	{name: "references to windows-1252 (8)", before: head("&#147;x&#148; &#8217;", "“x” ’")},
	{name: "references to control characters", before: head("a&#1;&#x1b;b", "ab")},
	{name: "a reference to a surrogate (1)", before: head("a&#xD800;b", "a\ufffdb")},
	{name: "a reference beyond Unicode", before: head("a&#x110000;b", "a\ufffdb")},
	{name: "zero bytes (1)", likeASCII: true, before: each(func(_ *format, s *story) {
		s.head = "\x00" + escape(s.Title) + "\x00"
	})},
	{name: "control characters (6)", likeASCII: true, before: each(func(_ *format, s *story) {
		s.head = "\x01\x0b\x0c" + escape(s.Title) + "\x1f\x7f"
	})},
	{name: "controls of ISO 8859-1 meant as windows-1252 (3)", unicode: true, before: head("\u0093x\u0094", "“x”")},
	{name: "noncharacters", unicode: true, before: head("a\uffffb\ufdd0c", "abc")},
	{name: "composed of several characters", unicode: true, legal: true, json: true,
		before: head("e\u0301 👨‍👩‍👧 नमस्ते", "e\u0301 👨‍👩‍👧 नमस्ते")},
	{name: "bytes of windows-1252 in UTF-8 (5)", utf8: true, before: head("BYTES", "é “x”"),
		bytes: func(b []byte) []byte {
			return bytes.ReplaceAll(b, []byte("BYTES"), []byte("\xe9 \x93x\x94"))
		}},
	{name: "overlong bytes", utf8: true, before: head("BYTES", "a\ufffdb"), bytes: func(b []byte) []byte {
		return bytes.ReplaceAll(b, []byte("BYTES"), []byte("a\xc0\xbcb"))
	}},
	{name: "line ends of Windows", legal: true, json: true, text: replacing("\n", "\r\n")},
	{name: "line ends of old Macs", legal: true, text: replacing("\n", "\r")},
	{name: "all on one line", legal: true, json: true, text: replacing("\n", "")},
	{name: "blanks around texts (many)", legal: true, text: func(f *format, s string) string {
		return strings.NewReplacer("title>", "title>\n\t ", "</title>", "\n </title>", "link>", "link>\n ", "</link>",
			"\n\t</link>").Replace(strings.ReplaceAll(s, "</", "</"))
	}, only: func(f *format) bool { return isRSS(f) }},

	// Sections.
	{name: "sections (128)", legal: true, before: func(_ *format, c *channel) { c.cdata = true }},
	{name: "sections in pieces", legal: true, before: each(func(_ *format, s *story) {
		s.head = "<![CDATA[]]><![CDATA[a]]>b<![CDATA[c ]]>" + escape(s.Title)
		s.Title = "abc " + s.Title
	})},
	{name: "a section that holds the end of one", legal: true, needs: hasText, before: each(func(_ *format, s *story) {
		s.body = "<![CDATA[<p>a[b[0]]]]><![CDATA[>0</p>]]>"
		s.Text, s.Links = "a[b[0]]>0", nil
	})},
	{name: "a section within another (1)", needs: hasText, before: each(func(_ *format, s *story) {
		s.body = "<![CDATA[<p>a</p><script><![CDATA[x]]></script>]]>"
		s.Text, s.Links = Unsaid, nil
	})},

	// Names and namespaces.
	{name: "elements in upper case (24)", text: upper, only: func(f *format) bool {
		return isRSS(f) && f.kind == "rss"
	}},
	{name: "undeclared prefixes (10)", needs: hasModules, text: replacing(modules, ""), before: module},
	{name: "misspelt namespaces", needs: hasModules,
		text: replacing("purl.org/dc/elements/1.1/", "purl.org/DC/Elements/1.1", "search.yahoo.com/mrss/",
			"search.yahoo.com/mrss/ns#", "purl.org/rss/1.0/modules/content/", "purl.org/rss/1.0/modules/content"),
		before: module},
	{name: "prefixes of its own (20)", legal: true, needs: hasModules,
		text:   replacing("xmlns:dc=", "xmlns:d-0=", "dc:", "d-0:", "xmlns:content=", "xmlns:_c=", "content:", "_c:"),
		before: module},
	{name: "prefixes declared where they are used (9)", legal: true, only: isUnprefixed,
		before: each(func(f *format, s *story) {
			if f.can(hasText) && isRSS2(f) {
				s.extra = `<c0:encoded xmlns:c0="http://purl.org/rss/1.0/modules/content/">` + escape(s.html) +
					`</c0:encoded>`
				return
			}
			s.extra = `<q:x xmlns:q="urn:q">no</q:x>`
		})},
	{name: "modules (180)", legal: true, needs: hasModules, before: module},
	{name: "elements of the same name in other vocabularies (60)", legal: true, before: func(f *format, c *channel) {
		lead(`<g:title xmlns:g="urn:g">no</g:title><g:id xmlns:g="urn:g">no</g:id><g:link xmlns:g="urn:g">http://no.example/</g:link><g:guid xmlns:g="urn:g">no</g:guid><slash:comments xmlns:slash="http://purl.org/rss/1.0/modules/slash/">7</slash:comments><g:updated xmlns:g="urn:g">2001-01-01T00:00:00Z</g:updated>`)(f, c)
	}},
	{name: "titles of media and podcasts (30)", legal: true, needs: hasModules,
		before: lead(`<media:title>no</media:title><itunes:title>no</itunes:title><media:thumbnail url="http://no.example/a.jpg"/><itunes:duration>1:00</itunes:duration>`)},
	{name: "Atom in RSS (40)", legal: true, needs: hasModules, only: isRSS2, before: func(f *format, c *channel) {
		c.lead = `<atom:link rel="self" type="application/rss+xml" href="https://origin.example/dir/feed"/>`
		each(func(_ *format, s *story) {
			s.Updated, s.restated = s.Published.Add(time.Hour), true
			s.extra = element("atom:updated", "", s.Updated.Format(time.RFC3339)) +
				`<atom:link rel="related" href="https://no.example/"/>`
		})(f, c)
	}},
	{name: "the source of an entry (12)", legal: true, only: isAtom1, before: each(func(f *format, s *story) {
		s.lead = strings.NewReplacer("</", "</"+f.prefix(), "<",
			"<"+f.prefix()).Replace(`<source><title>no</title><id>no</id><updated>2001-01-01T00:00:00Z</updated><link href="http://no.example/"/><author><name>no</name></author></source>`)
	})},
	{name: "an image and a form before the channel's title (30)", legal: true,
		only: func(f *format) bool { return f.kind == "rss" }, before: func(f *format, c *channel) {
			c.lead = "<image><title>no</title><url>http://no.example/a.png</url><link>http://no.example/</link></image><textInput><title>no</title><name>q</name><link>http://no.example/</link></textInput>"
		}},
	{name: "items outside of the channel", only: func(f *format) bool { return f.kind == "rss" },
		text: func(f *format, s string) string {
			return strings.Replace(strings.Replace(s, "<item", "</channel><item", 1), "</channel></rss>", "</rss>", 1)
		}},

	// What items lack, or write in another way.
	{name: "no guid", legal: true, json: false, only: isRSS, before: each(func(_ *format, s *story) { s.ID = "" })},
	{name: "no link (60)", legal: true, needs: hasID, json: true, only: func(f *format) bool {
		return !f.single && f.kind != "json list"
	}, before: each(func(f *format, s *story) { s.unlinked, s.URL = true, "" })},
	{name: "no title (90)", legal: true, needs: hasText, json: true, only: func(f *format) bool {
		return f.kind != "json list"
	}, before: each(func(f *format, s *story) { s.Title = "" })},
	{name: "no text (200)", legal: true, needs: hasText, json: true, before: each(func(f *format, s *story) {
		s.html, s.body, s.Text, s.Links = "", "", "", nil
	})},
	{name: "no items (15)", legal: true, json: true, only: func(f *format) bool {
		return !f.single && f.kind != "json list"
	}, before: func(_ *format, c *channel) { c.stories = nil }},
	{name: "items that say nothing (9)", only: isList, before: func(f *format, c *channel) {
		c.last = "<" + f.item + "></" + f.item + "><" + f.item + "/>"
	}},
	{name: "hundreds of items", legal: true, json: true, only: isList, before: func(_ *format, c *channel) {
		r := rand.New(rand.NewPCG(1, 1))
		for i := range 300 {
			c.stories = append(c.stories, newStory(r, ascii, 200_000+i))
		}
	}, utf8: true},
	{name: "a text of 100,000 characters", legal: true, json: true, needs: hasText, utf8: true,
		before: func(_ *format, c *channel) {
			s := &c.stories[0]
			s.html = strings.Repeat("<p>long words</p>", 100_000/10)
			s.Text, s.Links = visible(s.html), nil
		}},

	// Markup in texts.
	{name: "HTML in titles, escaped (20)", before: each(func(f *format, s *story) {
		s.head = escape("a <b>bold</b> " + escape(s.Title))
		s.Title = "a bold " + s.Title
		if f.isAtom() {
			s.htyp = ` type="html"`
		}
	})},
	{name: "HTML in titles, in sections (20)", before: each(func(f *format, s *story) {
		s.head = "<![CDATA[a <i>slanted</i> " + escape(s.Title) + "]]>"
		s.Title = "a slanted " + s.Title
		if f.isAtom() {
			s.htyp = ` type="html"`
		}
	})},
	{name: "HTML in titles, as it is (3)", before: each(func(f *format, s *story) {
		s.head = "an <i>open</i> " + escape(s.Title)
		s.Title = "an open " + s.Title
	})},
	{name: "tags as text in titles (8)", legal: true, only: isAtom1, before: each(func(f *format, s *story) {
		s.htyp, s.Title = ` type="text"`, "<b>no tag</b> &lt; "+s.Title
	})},
	{name: "titles in XHTML (40)", legal: true, only: isAtom1, before: each(func(f *format, s *story) {
		s.htyp, s.head = ` type="xhtml"`, `<div xmlns="http://www.w3.org/1999/xhtml">1 &lt; 2 <em>so</em> `+
			escape(s.Title)+`</div>`
		s.Title = "1 < 2 so " + s.Title
	})},
	{name: "contents in XHTML (80)", legal: true, only: isAtom1, before: each(func(f *format, s *story) {
		s.typ, s.body = ` type="xhtml"`, `<div xmlns="http://www.w3.org/1999/xhtml">`+s.html+`<br/></div>`
	})},
	{name: "contents in XHTML with a prefix (9)", legal: true, only: isAtom1, before: each(func(f *format, s *story) {
		inside := strings.NewReplacer("</", "</h:", "<", "<h:").Replace(s.html)
		s.typ, s.body = ` type="xhtml"`, `<h:div xmlns:h="http://www.w3.org/1999/xhtml">`+inside+`</h:div>`
	})},
	{name: "contents as text (30)", legal: true, only: isAtom1, before: each(func(f *format, s *story) {
		s.typ, s.html, s.Text, s.Links = ` type="text"`, "1 < 2 & <b>so</b> on", "1<2&<b>so</b>on", nil
	})},
	{name: "contents in base64 (20)", legal: true, only: func(f *format) bool { return f.name == "Atom 0.3" },
		before: each(func(f *format, s *story) {
			s.typ, s.body, s.Text, s.Links = ` type="text/html" mode="base64"`, "PHA+aGksIDxiPnRo\nZXJlPC9iPjwvcD4=",
				"hi,there", nil
		})},
	{name: "contents elsewhere (8)", legal: true, only: isAtom1, before: each(func(f *format, s *story) {
		s.typ, s.html, s.Text, s.Links = ` type="image/png" src="https://no.example/a.png"`, " ", "", nil
	})},
	{name: "markup in descriptions, as it is (12)", needs: hasText, only: isRSS, before: each(
		func(f *format, s *story) { s.body = s.html + "<br>" })},
	{name: "description and content (60)", legal: true, needs: hasModules | hasText, only: isRSS2,
		before: each(func(f *format, s *story) {
			s.body, s.extra = "only a teaser", "<content:encoded><![CDATA["+s.html+"]]></content:encoded>"
		})},
	{name: "content before description (30)", legal: true, needs: hasModules | hasText, only: isRSS2,
		before: each(func(f *format, s *story) {
			s.body, s.lead = "only a teaser", "<content:encoded>"+escape(s.html)+"</content:encoded>"
		})},
	{name: "the description of a podcast alone (20)", legal: true, needs: hasModules | hasText, only: isRSS2,
		before: each(func(f *format, s *story) {
			s.html, s.Text, s.Links, s.extra = "", "toldhere", nil, "<itunes:summary>told here</itunes:summary>"
		})},
	{name: "the description of a film alone (9)", legal: true, needs: hasModules | hasText,
		before: each(func(f *format, s *story) {
			s.html, s.Text, s.Links, s.extra = "", "shownhere", nil,
				"<media:group><media:title>no</media:title><media:description>shown here</media:description></media:group>"
		})},

	// Links.
	{name: "links relative to the feed (20)", json: true, before: relative("", "", "/story/%d")},
	{name: "links relative to the feed's folder", json: true, before: relative("", "", "../story/%d")},
	{name: "links without a scheme (4)", json: true, before: relative("", "", "//origin.example/story/%d")},
	{name: "links relative to a base of the root (81)", legal: true,
		before: relative(` xml:base="https://origin.example/story/"`, "", "%d")},
	{name: "links relative to a base of the item (50)", legal: true,
		before: relative(` xml:base="https://other.example/"`, ` xml:base="https://origin.example/story/x"`, "%d")},
	{name: "links relative to nested bases (20)", legal: true, only: func(f *format) bool { return !f.single },
		before: relative(` xml:base="https://origin.example/a/"`, ` xml:base="../story/"`, "%d")},
	{name: "links among blanks and line ends (15)", json: true,
		before: relative("", "", "\n\t https://origin.example/story/%d \n")},
	{name: "files of media (50)", legal: true, needs: hasModules | hasFiles, only: isRSS2,
		before: each(func(_ *format, s *story) {
			url := fmt.Sprintf("https://files.example/%d.jpg", s.serial)
			s.Files = append(s.Files, File{url, "image/jpeg", 99})
			s.extra = fmt.Sprintf(`<media:content url="%s" type="image/jpeg" fileSize="99"/>`, url)
		})},
	{name: "a file twice", needs: hasFiles, json: true, before: each(func(_ *format, s *story) {
		s.Files = append(s.Files, s.Files...)
	}),
		after: func(d *Document) {
			for i := range d.Items {
				d.Items[i].Files = d.Items[i].Files[:1]
			}
		}},
	{name: "categories twice (5)", needs: hasCategories, json: true, before: each(func(_ *format, s *story) {
		s.Categories = append(s.Categories, s.Categories[0])
	}),
		after: func(d *Document) {
			for i := range d.Items {
				d.Items[i].Categories = d.Items[i].Categories[:2]
			}
		}},
}

// module gives items elements of the modules that RSS is used with: content:encoded says
// the content, dc:creator nothing beside an author, and dc:date beside a date of publication
// when the item was updated.
func module(f *format, c *channel) {
	each(func(f *format, s *story) {
		if isRSS(f) {
			s.body = "a teaser"
			s.extra += element("content:encoded", "", escape(s.html))
		}
		if f.kind == "rss" {
			s.extra += element("dc:creator", "", "another name") + element("dc:date", "",
				s.Updated.Format(time.RFC3339))
			s.restated = true
		}
		s.extra += `<media:thumbnail url="https://no.example/a.jpg"/><itunes:explicit>no</itunes:explicit>`
	})(f, c)
}

// relative writes the links of items in another way, under bases of the root and of items.
// The links in contents become relative as well.
func relative(root, item, href string) func(*format, *channel) {
	return func(f *format, c *channel) {
		c.attrs = root
		each(func(f *format, s *story) {
			s.attrs, s.href = item, fmt.Sprintf(href, s.serial)
			if f.can(hasText) {
				s.html = fmt.Sprintf(`<p>a <a href="%s">link</a></p>`, strings.TrimSpace(s.href))
				s.Text, s.Links = "alink", []string{s.URL}
			}
		})(f, c)
	}
}

// others are documents that come as feeds and are none.
func others(r *rand.Rand) []Document {
	words := phrase(r, ascii, 3)
	var out []Document
	for _, no := range [][2]string{
		{"a page", "<!DOCTYPE html><html><head><title>" + words +
			"</title><link rel=alternate type=application/rss+xml href=/feed></head><body><p>x</p></body></html>"},
		{"a page without its frame", "<title>" + words + "</title><p>Not found<p>Sorry"},
		{"a page with feeds in it", "<html><body><pre>&lt;rss></pre><item>x</item></body></html>"},
		{"a list of feeds", `<opml version="2.0"><head><title>x</title></head><body><outline text="x" xmlUrl="https://a.example/"/></body></opml>`},
		{"a map of a site", `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://a.example/</loc></url></urlset>`},
		{"other RDF", `<rdf:RDF ` + rdfSpace +
			` xmlns:foaf="http://xmlns.com/foaf/0.1/"><foaf:Person><foaf:name>x</foaf:name></foaf:Person></rdf:RDF>`},
		{"an error in XML", `<Error><Code>AccessDenied</Code></Error>`},
		{"an error in JSON", `{"error":{"code":404,"message":"` + words + `"}}`},
		{"JSON that lists no news", `{"items":[{"price":1},{"price":2}]}`},
		{"JSON cut off",
			`{"version":"https://jsonfeed.org/version/1.1","title":"x","items":[{"id":"1","title":"x"},{"id":"2",`},
		{"text", words},
		{"nothing", ""},
		{"blanks", " \n\n "},
		{"zero bytes", "\x00\x00\x00\x00\x00\x00"},
		{"an image", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"},
		{"compressed once too often", "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03"},
		{"a declaration alone", `<?xml version="1.0" encoding="utf-8"?>`},
		{"the start of a declaration", `<?xml vers`},
	} {
		out = append(out, Document{Name: "no feed: " + no[0], Body: []byte(no[1]), ContentType: "application/rss+xml",
			Base: Origin})
	}
	return out
}
