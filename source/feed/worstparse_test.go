package feed

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"tidings/lab/cpu"

	"golang.org/x/text/encoding/unicode"
)

// rssOf returns an RSS document of about n bytes: of its channel start, as many pieces as fit, and end.
func rssOf(n int, start, piece, end string) string {
	return "<rss><channel>" + start + strings.Repeat(piece, max(n-len(start)-len(end), 0)/len(piece)) + end +
		"</channel></rss>"
}

// itemsOf returns an RSS document of about n bytes, of as many items as are read, that repeat a piece.
func itemsOf(n int, piece string) string {
	items := Default().MaxItems
	return rssOf(n, "", "<item><guid>a</guid>"+strings.Repeat(piece, max(n/items/len(piece), 1))+"</item>", "")
}

// oneItem returns an RSS document of about n bytes with one item.
func oneItem(n int, start, piece, end string) string {
	return rssOf(n, "<item>"+start, piece, end+"</item>")
}

// contentOf returns an RSS document of about n bytes whose items' contents are as long as they may be, of one piece.
func contentOf(n int, piece string) string {
	size := min(Default().MaxText-1000, n/3)
	return rssOf(n, "", "<item><description><![CDATA["+strings.Repeat(piece, max(size/len(piece), 1))+
		"]]></description></item>", "")
}

// jsonOf returns a JSON Feed of about n bytes whose items consist of a field that repeats a piece within a list.
func jsonOf(n, items int, start, piece, end string) string {
	item := `{"id":"a",` + start + strings.TrimSuffix(strings.Repeat(piece+",", max(n/items/(len(piece)+1), 1)),
		",") + end + "}"
	return `{"version":"https://jsonfeed.org/version/1.1","items":[` +
		strings.TrimSuffix(strings.Repeat(item+",", max(n/len(item), 1)), ",") + "]}"
}

func numbered(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// worstFeeds make feeds of about n bytes that keep their reader busy.
var worstFeeds = map[string]func(n int) string{
	// Structure.
	"small items":          func(n int) string { return rssOf(n, "", "<item><guid>a</guid></item>", "") },
	"empty items":          func(n int) string { return rssOf(n, "", "<item/>", "") },
	"items without end":    func(n int) string { return rssOf(n, "", "<item>", "") },
	"nested":               func(n int) string { return rssOf(n, strings.Repeat("<x>", 95), "<b></b>", "") },
	"nested and left open": func(n int) string { return rssOf(n, strings.Repeat("<x>", 90), "<y><b></y>", "") },
	"ends without start":   func(n int) string { return rssOf(n, strings.Repeat("<x>", 95), "</q>", "") },
	"long names": func(n int) string {
		return rssOf(n, "", "<"+strings.Repeat("x", 1000)+">"+"</"+strings.Repeat("x", 1000)+">", "")
	},
	"many names":             func(n int) string { return rssOf(n, "", numbered(10_000, "<b%d/>"), "") },
	"tags without end":       func(n int) string { return rssOf(n, "", "<a<", "") },
	"signs that are no tags": func(n int) string { return rssOf(n, "", "< ", "") },
	"attributes":             func(n int) string { return rssOf(n, "", "<a"+attributes(99)+"/>", "") },
	"attributes of an item":  func(n int) string { return rssOf(n, "", "<item"+attributes(99)+"/>", "") },
	"attributes of links":    func(n int) string { return oneItem(n, "", "<link a=b c=d e=f/>", "") },
	"namespaces": func(n int) string {
		return rssOf(n, "", "<a"+numbered(99, " xmlns:a%d='b'")+"><a99:b/></a>", "")
	},
	"namespaces in force": func(n int) string {
		return rssOf(n, "<a"+numbered(99, " xmlns:a%d='b'")+"><a"+numbered(99, " xmlns:b%d='b'")+">", "<c:d/>", "")
	},
	"names under namespaces": func(n int) string {
		return rssOf(n, "<a"+numbered(99, " xmlns:a%d='b'")+"><a"+numbered(99, " xmlns:b%d='b'")+">",
			numbered(2_000, "<c:d%d/>"), "")
	},
	"comments":     func(n int) string { return rssOf(n, "", "<!---->", "") },
	"instructions": func(n int) string { return rssOf(n, "", "<?a?>", "") },
	"declarations": func(n int) string { return rssOf(n, "", "<!a>", "") },
	"a declaration of quotes": func(n int) string {
		return "<!DOCTYPE rss [" + strings.Repeat("<!ENTITY a 'b'>", n/15) + "]><rss><channel>"
	},
	"space before":    func(n int) string { return strings.Repeat(" ", n) + "<rss><channel/></rss>" },
	"comments before": func(n int) string { return strings.Repeat("<!---->", n/7) + "<rss><channel/></rss>" },
	"marks before":    func(n int) string { return strings.Repeat("\ufeff", n/3) + "<rss><channel/></rss>" },
	"text before": func(n int) string {
		return strings.Repeat("<br>", 4000) + strings.Repeat(" ", n-16_000) + "<rss><channel/></rss>"
	},

	// Addresses.
	"bases": func(n int) string { return rssOf(n, "", "<a xml:base='b/'/>", "") },
	"bases under a long one": func(n int) string {
		return rssOf(n, "<a xml:base='http://a/"+strings.Repeat("b", min(n/3, 1_000_000))+"/'>", "<c xml:base='d'/>",
			"")
	},
	"growing bases": func(n int) string {
		return rssOf(n, strings.Repeat("<a xml:base='"+strings.Repeat("b", n/200)+"/'>", 90), "<c xml:base='d'/>", "")
	},
	"links under a long base": func(n int) string {
		return rssOf(n, "<a xml:base='http://a/"+strings.Repeat("b", min(n/3, 1_000_000))+"/'>",
			"<item><link href='d'/></item>", "")
	},
	"links":              func(n int) string { return oneItem(n, "", "<link href='http://a'/>", "") },
	"links in text":      func(n int) string { return oneItem(n, "", "<link>http://a</link>", "") },
	"links of the feed":  func(n int) string { return rssOf(n, "", "<atom:link href='/a' rel='self'/>", "") },
	"links with queries": func(n int) string { return oneItem(n, "", "<link href='/?%2f%41=%zz&amp;a b'/>", "") },
	"links of dots": func(n int) string {
		return oneItem(n, "", "<link href='"+strings.Repeat("/..", 1000)+"'/>", "")
	},
	"links of another script": func(n int) string { return oneItem(n, "", "<link href='http://ü.ü.ü.ü.ü/'/>", "") },
	"original links": func(n int) string {
		return oneItem(n, "", "<feedburner:origLink>http://a</feedburner:origLink>", "")
	},
	"hubs":                     func(n int) string { return rssOf(n, "", "<atom:link href='/a' rel='hub'/>", "") },
	"sources of contents":      func(n int) string { return oneItem(n, "", "<content src='a'/>", "") },
	"enclosures":               func(n int) string { return oneItem(n, "", "<enclosure url='http://a'/>", "") },
	"enclosures of many":       func(n int) string { return itemsOf(n, "<enclosure url='http://a'/>") },
	"enclosures, none of them": func(n int) string { return oneItem(n, "", "<enclosure url='x:a'/>", "") },
	"enclosures that differ": func(n int) string {
		return rssOf(n, "", "<item>"+numbered(40, "<enclosure url='http://a/%d'/>")+"</item>", "")
	},
	"guids that are links": func(n int) string { return oneItem(n, "", "<guid>http://a</guid>", "") },
	"guids of many parameters": func(n int) string {
		return rssOf(n, "", "<item><guid>http://a?"+strings.Repeat("a&amp;", 180)+"</guid></item>", "")
	},
	"abouts": func(n int) string { return rssOf(n, "", "<item rdf:about='http://a?b'/>", "") },

	// People, categories, titles.
	"categories": func(n int) string { return oneItem(n, "", "<category>a</category>", "") },
	"categories in full": func(n int) string {
		return oneItem(n, numbered(50, "<category>a%d</category>"), "<category>b</category>", "")
	},
	"categories of many": func(n int) string {
		return rssOf(n, "", "<item>"+numbered(48, "<category>a%d</category>")+"</item>", "")
	},
	"categories of markup": func(n int) string {
		return oneItem(n, "", "<category>&lt;b&gt;a&lt;/b&gt;</category>", "")
	},
	"long categories": func(n int) string {
		return oneItem(n, "", "<category>"+strings.Repeat("&amp;amp; ", 500)+"</category>", "")
	},
	"authors":         func(n int) string { return oneItem(n, "", "<author>a@b (c)</author>", "") },
	"authors by name": func(n int) string { return oneItem(n, "", "<author><name>a</name></author>", "") },
	"creators": func(n int) string {
		return oneItem(n, numbered(50, "<dc:creator>a%d</dc:creator>"), "<dc:creator>b</dc:creator>", "")
	},
	"an author in pieces": func(n int) string { return oneItem(n, "<author>", "a<b/>", "</author>") },
	"a name in pieces":    func(n int) string { return oneItem(n, "<author><name>", "a<b/>", "</name></author>") },
	"authors of the feed": func(n int) string {
		return rssOf(n, numbered(50, "<author>a%d</author>"), "<author>b</author>", "")
	},
	"titles":            func(n int) string { return oneItem(n, "", "<title>a</title>", "") },
	"titles of nothing": func(n int) string { return oneItem(n, "", "<title>&#8203;</title>", "") },
	"a title in pieces": func(n int) string { return oneItem(n, "<title>", "a<b/>", "</title>") },
	"a title behind spaces": func(n int) string {
		return oneItem(n, "<title>"+strings.Repeat(" ", n/2)+"x", "<![CDATA[ ]]>", "</title>")
	},
	"a title of spaces": func(n int) string { return oneItem(n, "<title>", "<![CDATA[ ]]>", "</title>") },
	"a title of marks":  func(n int) string { return oneItem(n, "<title>a", "\u0301", "</title>") },
	"a title of entities": func(n int) string {
		return oneItem(n, "<title>", "&amp;lt;b&amp;gt;&amp;lt;/b&amp;gt;", "</title>")
	},
	"titles of marks": func(n int) string {
		return itemsOf(n, "<title>a"+strings.Repeat("\u0301", 400)+"</title>")
	},
	"titles in capitals": func(n int) string {
		return rssOf(n, "", "<item><title>"+strings.Repeat("ẞÀ", 200)+"</title></item>", "")
	},
	"titles like HTML": func(n int) string {
		return rssOf(n, "", "<item><title>"+strings.Repeat("&lt;b&gt;&lt;/b&gt;", 60)+"</title></item>", "")
	},
	"signs like references": func(n int) string {
		return oneItem(n, "<title>", "&amp;abcdefghijklmnopqrstuvwxyzabcdef", "</title>")
	},
	"references of no name": func(n int) string {
		return oneItem(n, "<description>", "&abcdefghijklmnopqrstuvwxyz;", "</description>")
	},
	"references of a number": func(n int) string { return oneItem(n, "<description>", "&#x41;", "</description>") },
	"long names of entities": func(n int) string {
		return oneItem(n, "<description>", "&CounterClockwiseContourIntegral;", "</description>")
	},
	"entities that grow": func(n int) string { return oneItem(n, "<description>", "&amp;nvlt;", "</description>") },

	// Dates.
	"dates":          func(n int) string { return oneItem(n, "", "<pubDate>x</pubDate>", "") },
	"dates of a day": func(n int) string { return oneItem(n, "", "<dc:date>1 x 2 y</dc:date>", "") },
	"dates of words": func(n int) string {
		return oneItem(n, "", "<dc:date>"+strings.Repeat("abc ", 48)+"</dc:date>", "")
	},
	"dates of a long word": func(n int) string {
		return oneItem(n, "", "<dc:date>"+strings.Repeat("x", 195)+"</dc:date>", "")
	},
	"dates with accents": func(n int) string {
		return oneItem(n, "", "<dc:date>"+strings.Repeat("ậ", 66)+"</dc:date>", "")
	},
	"dates of marks": func(n int) string {
		return oneItem(n, "", "<dc:date>a"+strings.Repeat("\u0301\u0323", 48)+"</dc:date>", "")
	},
	"dates that expand": func(n int) string {
		return oneItem(n, "", "<dc:date>"+strings.Repeat("ﷺ", 66)+"</dc:date>", "")
	},
	"dates of numbers": func(n int) string {
		return oneItem(n, "", "<dc:date>"+strings.Repeat("1 ", 6)+"</dc:date>", "")
	},
	"dates of signs": func(n int) string {
		return oneItem(n, "", "<dc:date>"+strings.Repeat("+", 195)+"</dc:date>", "")
	},
	"dates of zones": func(n int) string {
		return oneItem(n, "", "<dc:date>"+strings.Repeat("Europe/Berlin ", 14)+"</dc:date>", "")
	},
	"dates of weeks": func(n int) string { return oneItem(n, "", "<dc:date>2020-W23-8</dc:date>", "") },
	"dates late": func(n int) string {
		return oneItem(n, "", "<dc:date>"+strings.Repeat("x ", 70)+" 3 Σεπτεμβρίου 2020 10:57 μ.μ.</dc:date>", "")
	},
	"dates of languages": func(n int) string {
		return oneItem(n, "", "<dc:date>пʼятниця, 28 жовтня 2020 р. 10:57</dc:date>", "")
	},
	"skipped hours": func(n int) string { return rssOf(n, "<skipHours>", "<hour>1</hour>", "</skipHours>") },
	"skipped days":  func(n int) string { return rssOf(n, "<skipDays>", "<day>Sun</day>", "</skipDays>") },

	// Contents.
	"text":                   func(n int) string { return contentOf(n, "word ") },
	"text of short words":    func(n int) string { return contentOf(n, "a ") },
	"text of numbers":        func(n int) string { return contentOf(n, "1 hour ") },
	"text of another script": func(n int) string { return contentOf(n, "日本 ") },
	"text of escapes":        func(n int) string { return contentOf(n, "\"") },
	"CDATA": func(n int) string {
		return oneItem(n, "<description>", "<![CDATA[a]]>", "</description>")
	},
	"one CDATA": func(n int) string {
		return oneItem(n, "<description><![CDATA[", "a<br>", "]]></description>")
	},
	"contents": func(n int) string { return oneItem(n, "", "<description>a</description>", "") },
	"contents in other words": func(n int) string {
		return oneItem(n, "", "<media:description>a<b/></media:description>", "")
	},
	"content: tags":        func(n int) string { return contentOf(n, "<b>") },
	"content: closed tags": func(n int) string { return contentOf(n, "<b></b>") },
	"content: tags in depth": func(n int) string {
		return contentOf(n, strings.Repeat("<b>", 99)+strings.Repeat("</b>", 99))
	},
	"content: ends":             func(n int) string { return contentOf(n, "</b>") },
	"content: ends in depth":    func(n int) string { return contentOf(n, strings.Repeat("<p>", 1)+"<i></b>") },
	"content: items of lists":   func(n int) string { return contentOf(n, "<li>") },
	"content: links":            func(n int) string { return contentOf(n, "<a href=x>") },
	"content: whole links":      func(n int) string { return contentOf(n, "<a href=http://a/?b=c&d=e>") },
	"content: links of scripts": func(n int) string { return contentOf(n, "<a href=http://ü/>") },
	"content: links of dots": func(n int) string {
		return contentOf(n, "<a href='"+strings.Repeat("/..", 1000)+"'>")
	},
	"content: pictures":        func(n int) string { return contentOf(n, "<img src=x>") },
	"content: frames":          func(n int) string { return contentOf(n, "<embed src=x>") },
	"content: many attributes": func(n int) string { return contentOf(n, "<a"+attributes(150)+">") },
	"content: attributes kept": func(n int) string { return contentOf(n, "<p dir=ltr lang=en>") },
	"content: one attribute":   func(n int) string { return contentOf(n, "<p title="+strings.Repeat("a", 100)+">") },
	"content: cites":           func(n int) string { return contentOf(n, "<q cite=x>") },
	"content: dates": func(n int) string {
		return contentOf(n, "<time datetime="+strings.Repeat("1", 100)+">")
	},
	"content: styles": func(n int) string {
		return contentOf(n, "<p style='"+strings.Repeat("a: b ;", 50)+"'>")
	},
	"content: hidden":             func(n int) string { return contentOf(n, "<script>") },
	"content: hidden, closed":     func(n int) string { return contentOf(n, "<script></script>") },
	"content: hidden in comments": func(n int) string { return contentOf(n, "<style><!--</style>-->") },
	"content: comments":           func(n int) string { return contentOf(n, "<!---->") },
	"content: entities":           func(n int) string { return contentOf(n, "&nvlt;") },
	"content: forms":              func(n int) string { return contentOf(n, "<form><input>") },
	"content: SVG":                func(n int) string { return contentOf(n, "<svg><g>") },
	"content: text areas":         func(n int) string { return contentOf(n, "<textarea>") },
	"content: under a long base": func(n int) string {
		return rssOf(n, "", "<item xml:base='http://a/"+strings.Repeat("b", 4000)+"/'><description><![CDATA["+
			strings.Repeat("<a href=x>", n/60)+"]]></description></item>", "")
	},
	"content: XHTML": func(n int) string {
		return oneItem(n, "<content type='xhtml'>", "<a:b c='d'>e</a:b>", "</content>")
	},
	"content: XHTML in depth": func(n int) string { return oneItem(n, "<content type='xhtml'>", "<b>", "</content>") },
	"content: XHTML, itself": func(n int) string {
		return oneItem(n, "<content type='xhtml'>", "<item>", "</content>")
	},
	"content: base64": func(n int) string {
		return rssOf(n, "", "<item><content mode='base64'>"+strings.Repeat("PGI+ ", 200_000)+"</content></item>", "")
	},
	"titles in base64": func(n int) string { return oneItem(n, "", "<title type='a/b'>PGI+</title>", "") },

	// Other forms.
	"RDF with lists": func(n int) string {
		return "<rdf:RDF xmlns='http://purl.org/rss/1.0/'><channel><items><rdf:Seq>" +
			strings.Repeat("<rdf:li rdf:resource='a'/>", n/26) + "</rdf:Seq></items></channel></rdf:RDF>"
	},
	"Atom authors": func(n int) string {
		return "<feed><entry>" + strings.Repeat("<author><name>a</name></author>", n/31)
	},
	"Atom links":   func(n int) string { return "<feed><entry>" + strings.Repeat("<link href='a'/>", n/16) },
	"Atom entries": func(n int) string { return "<feed>" + strings.Repeat("<entry><id>a</id></entry>", n/25) },
	"Atom contents": func(n int) string {
		return "<feed>" + strings.Repeat("<entry><content>a</content></entry>", n/35)
	},
	"CDF": func(n int) string {
		return "<channel>" + strings.Repeat("<item href='http://a/' lastmod='1 x'/>", n/38)
	},
	"announcements": func(n int) string {
		return rssOf(n, "<a xmlns:t='"+AnnouncementSpace+"'>", "<t:push a='b'/>", "")
	},
	"revocations": func(n int) string {
		return rssOf(n, "<a xmlns:t='"+AnnouncementSpace+"'><t:push>", "<t:revocation>a</t:revocation>", "")
	},
	"JSON items":         func(n int) string { return jsonOf(n, n/20, "", `"a":1`, "") },
	"JSON lists":         func(n int) string { return jsonOf(n, 4, `"tags":[`, `[]`, "]") },
	"JSON tags":          func(n int) string { return jsonOf(n, 4, `"tags":[`, `"a"`, "]") },
	"JSON tags of items": func(n int) string { return jsonOf(n, 5000, `"tags":[`, `"\u0061"`, "]") },
	"JSON attachments":   func(n int) string { return jsonOf(n, 4, `"attachments":[`, `{"url":"http://a"}`, "]") },
	"JSON authors":       func(n int) string { return jsonOf(n, 4, `"authors":[`, `{"name":"a"}`, "]") },
	"JSON empty authors": func(n int) string { return jsonOf(n, 4, `"authors":[`, `{}`, "]") },
	"JSON fields":        func(n int) string { return jsonOf(n, 4, "", `"a":1`, "") },
	"JSON escapes":       func(n int) string { return jsonOf(n, 5, `"content_html":"`, `\u003cb\u003e`, `"`) },
	"JSON nested": func(n int) string {
		return jsonOf(n, 4, `"a":[`, strings.Repeat("[", 90)+strings.Repeat("]", 90), "]")
	},
	"JSON numbers":       func(n int) string { return "[" + strings.TrimSuffix(strings.Repeat("1,", n/2), ",") + "]" },
	"JSON empty objects": func(n int) string { return "[" + strings.TrimSuffix(strings.Repeat("{},", n/3), ",") + "]" },
	"JSON hubs": func(n int) string {
		return `{"version":"https://jsonfeed.org/version/1","hubs":[` +
			strings.TrimSuffix(strings.Repeat(`{"url":"http://a"},`, min(n, 1<<20)/19), ",") + `],"items":[]}`
	},
	"JSON list of dates": func(n int) string {
		return "[" + strings.TrimSuffix(strings.Repeat(`{"title":"a","url":"http://a","date":"1 x y z"},`, n/49), ",") +
			"]"
	},
	"JSON list of dates with accents": func(n int) string {
		date := strings.Repeat("ậ", 66)
		return "[" +
			strings.TrimSuffix(strings.Repeat(`{"title":"a","url":"http://a","date":"`+date+`","updated":"`+date+`"},`,
				n/460), ",") + "]"
	},
	"JSON long addresses": func(n int) string {
		return "[" +
			strings.TrimSuffix(strings.Repeat(`{"title":"a","url":"`+strings.Repeat("/..", 1300)+`"},`, n/3930), ",") +
			"]"
	},

	// Characters.
	"garbage":            func(n int) string { return "<rss>" + strings.Repeat("\xff\xfe\x80\xe0\xed", n/5) },
	"garbage in an item": func(n int) string { return oneItem(n, "<title>", "\xff\x80\xe9", "</title>") },
	"control characters": func(n int) string { return oneItem(n, "<title>", "\x01", "</title>") },
	"UTF-16":             func(n int) string { return utf16(oneItem(n/2, "<description>", "日<b>", "</description>")) },
	"Shift JIS": func(n int) string {
		return "<?xml version='1.0' encoding='shift_jis'?>" + oneItem(n, "<description>", "\x83\x41", "</description>")
	},
	"GB 18030": func(n int) string {
		return "<?xml version='1.0' encoding='gb18030'?>" + oneItem(n, "<description>", "\x81\x30\x81\x30",
			"</description>")
	},
	"ISO 2022": func(n int) string {
		return "<?xml version='1.0' encoding='iso-2022-jp'?>" + oneItem(n, "<description>", "\x1b$B!!\x1b(B",
			"</description>")
	},
	"windows-1252": func(n int) string {
		return "<?xml version='1.0' encoding='windows-1252'?>" + oneItem(n, "<description>", "\x80", "</description>")
	},
	"half of UTF-16 units": func(n int) string { return "\xff\xfe" + strings.Repeat("\x00\xd8", n/2) },
}

func utf16(s string) string {
	out, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String(s)
	if err != nil {
		panic(err)
	}
	return out
}

// pollOf does what a poll does with a feed of which nothing is known, and whose items all differ.
func pollOf(doc []byte) (rendered int) {
	Sniff(doc, "")
	d, err := Parse(doc, "", "https://example.org/feed", Default())
	if err != nil {
		return 0
	}
	for i := range d.Items {
		d.Items[i].Mark.ID = uint64(i) + 1
	}
	for _, found := range Match(nil, d) {
		rendered += len(found.Item.Summary) + len(found.Item.Content)
	}
	return rendered
}

// maxBody is the largest document that a node reads by default.
const maxBody = 5 << 20

// BenchmarkWorstFeeds measures what feeds of 5 MiB cost that were made to keep their reader busy.
func BenchmarkWorstFeeds(b *testing.B) {
	for name, feed := range worstFeeds {
		b.Run(name, func(b *testing.B) {
			doc := feed(maxBody)
			body := []byte(doc[:min(len(doc), maxBody)])
			start, size := cpu.Time(), 0
			for b.Loop() {
				size = pollOf(body)
			}
			b.ReportMetric(float64((cpu.Time()-start).Milliseconds())/float64(b.N), "CPU-ms")
			b.ReportMetric(float64(size), "rendered-B")
		})
	}
}

// hostile 16: what is allocated for a feed of twice the length is about twice as much.
func TestHostile16FeedsOfTwiceTheLengthTakeTwiceTheMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	allocated := func(doc string) uint64 {
		body := []byte(doc)
		pollOf(body)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		pollOf(body)
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	const n = 60_000
	for name, feed := range worstFeeds {
		one, two := allocated(feed(n)), allocated(feed(2*n))
		if two > 3*one+1<<20 {
			t.Errorf("%s: %d bytes for %d, %d for %d", name, one, n, two, 2*n)
		}
	}
}

// hostile 16: whole addresses make the texts of a document longer. The growth is bounded for all of them together, and
// a note says that something is left out.
func TestHostile16AddressesOfTextsAreBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	doc := rssOf(2<<20, "", "<item xml:base='http://a.example/"+strings.Repeat("b", 4000)+"/'><description><![CDATA["+
		strings.Repeat("<a href=x>y</a>", 2000)+"]]></description></item>", "")
	d, err := Parse([]byte(doc), "", "https://example.org/feed", Default())
	if err != nil {
		t.Fatal(err)
	}
	for i := range d.Items {
		d.Items[i].Mark.ID = uint64(i) + 1
	}
	size := 0
	for _, found := range Match(nil, d) {
		size += len(found.Item.Summary)
		if !strings.Contains(found.Item.Summary, "y") {
			t.Fatal("a text is gone with its addresses")
		}
	}
	if most := newAllowance().bytes + len(doc)*4; size > most || len(d.Notes) != 1 {
		t.Errorf("%d bytes, want at most %d; notes %q", size, most, d.Notes)
	}
}
