package feed

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"tidings"
)

const testBase = "https://origin.example/dir/feed.xml"

func mustParse(t *testing.T, doc string) *Document {
	t.Helper()
	d, err := Parse([]byte(doc), "", testBase, Default())
	if err != nil {
		t.Fatalf("%v\n%s", err, doc)
	}
	return d
}

func rssDoc(items string) string {
	return `<?xml version="1.0"?><rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"
		xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/"
		xmlns:media="http://search.yahoo.com/mrss/"><channel><title>Test</title>` + items + `</channel></rss>`
}

func atomDoc(entries string) string {
	return `<feed xmlns="http://www.w3.org/2005/Atom"><title>Test</title>` + entries + `</feed>`
}

// Every format gives the same item.
func TestFormats(t *testing.T) {
	when := time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC)
	for name, c := range map[string]struct {
		format Format
		doc    string
	}{
		"RSS 0.91": {RSS, `<rss version="0.91"><channel><title>T</title><item><title>One &amp; two</title>
			<link>https://a.example/1</link><pubDate>Mon, 06 May 2024 07:08:09 GMT</pubDate></item></channel></rss>`},
		"RSS 1.0": {RDF, `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/" xmlns:d="http://purl.org/dc/elements/1.1/">
			<channel rdf:about="x"><title>T</title></channel>
			<item rdf:about="https://a.example/1"><title>One &amp; two</title><link>https://a.example/1</link><d:date>2024-05-06T07:08:09Z</d:date></item></rdf:RDF>`},
		"RSS 0.90": {RDF, `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://my.netscape.com/rdf/simple/0.9/">
			<channel><title>T</title></channel><item><title>One &amp; two</title><link>https://a.example/1</link><pubDate>2024-05-06 07:08:09</pubDate></item></rdf:RDF>`},
		"Atom 1.0": {Atom, `<feed xmlns="http://www.w3.org/2005/Atom"><title>T</title><entry><title>One &amp; two</title><id>https://a.example/1</id>
			<link href="https://a.example/1"/><published>2024-05-06T09:08:09+02:00</published></entry></feed>`},
		"Atom 1.0, prefixed": {Atom, `<a:feed xmlns:a="http://www.w3.org/2005/Atom"><a:title>T</a:title><a:entry><a:title>One &amp; two</a:title><a:id>https://a.example/1</a:id>
			<a:link href="https://a.example/1"/><a:published>2024-05-06T09:08:09+02:00</a:published></a:entry></a:feed>`},
		"Atom 0.3": {Atom, `<feed version="0.3" xmlns="http://purl.org/atom/ns#"><title>T</title><entry><title mode="escaped" type="text/html">One &amp;amp; two</title>
			<id>https://a.example/1</id><link rel="alternate" type="text/html" href="https://a.example/1"/><issued>2024-05-06T07:08:09Z</issued></entry></feed>`},
		"JSON Feed": {JSONFeed, `{"version":"https://jsonfeed.org/version/1.1","title":"T","items":[{"id":"https://a.example/1","url":"https://a.example/1",
			"title":"One & two","date_published":"2024-05-06T07:08:09Z"}]}`},
		"JSON list": {JSONList, `{"title":"T","articles":[{"link":"https://a.example/1","headline":"One &amp; two","timestamp":1714979289}]}`},
		"CDF":       {CDF, `<CHANNEL><TITLE>T</TITLE><ITEM HREF="https://a.example/1"><TITLE>One &amp; two</TITLE><pubDate>06 May 24 07:08:09</pubDate></ITEM></CHANNEL>`},
	} {
		t.Run(name, func(t *testing.T) {
			d := mustParse(t, c.doc)
			if d.Format != c.format || d.Title != "T" || len(d.Items) != 1 {
				t.Fatalf("format %q, title %q, %d items", d.Format, d.Title, len(d.Items))
			}
			it := d.Items[0]
			if it.Title != "One & two" || it.URL != "https://a.example/1" || it.ID != "https://a.example/1" ||
				!it.Published.Equal(when) {
				t.Errorf("got %+v", it.Item)
			}
		})
	}
}

// What publishers break is mended, or at least does not hide the rest.
func TestDamage(t *testing.T) {
	two := []string{"First", "Second"}
	for name, doc := range map[string]string{
		"blanks before the declaration": "\n\n  " +
			rssDoc(`<item><title>First</title></item><item><title>Second</title></item>`),
		"warnings before the feed": "<br />\n<b>Warning</b>: include() failed\n" +
			rssDoc(`<item><title>First</title></item><item><title>Second</title></item>`),
		"byte order mark twice": "\ufeff\ufeff" +
			rssDoc(`<item><title>First</title></item><item><title>Second</title></item>`),
		"no root":       `<channel><item><title>First</title></item><item><title>Second</title></item></channel>`,
		"unclosed item": rssDoc(`<item><title>First</title><item><title>Second</title></item>`),
		"unclosed element": rssDoc(
			`<item><foo><title>First</title></item><item><title>Second</title></item>`),
		"crossed tags": rssDoc(
			`<item><title>First</title><a><b></a></b></item><item><title>Second</title></item>`),
		"end without start": rssDoc(
			`<item><title>First</title></foo></item></bar><item><title>Second</title></item>`),
		"undeclared prefix": rssDoc(
			`<item><title>First</title><x:y>z</x:y></item><item><title>Second</title></item>`),
		"attribute without quotes": rssDoc(
			`<item a=b><title>First</title></item><item c><title>Second</title></item>`),
		"stray less-than": rssDoc(
			`<item><title>First</title><description>1 < 2 <3</description></item><item><title>Second</title></item>`),
		"raw HTML":                     rssDoc(`<item><title>First</title><description><p>a<br>b<img src=x></description></item><item><title>Second</title></item>`),
		"items outside of the channel": `<rss><channel><title>T</title></channel><item><title>First</title></item><item><title>Second</title></item></rss>`,
		"breaks off": strings.TrimSuffix(
			rssDoc(`<item><title>First</title></item><item><title>Second</title></item><item><title>Thi`),
			"</channel></rss>"),
		"breaks off in a tag": strings.TrimSuffix(
			rssDoc(`<item><title>First</title></item><item><title>Second</title></item><item><tit`),
			"</channel></rss>"),
		"text after the end": rssDoc(`<item><title>First</title></item><item><title>Second</title></item>`) +
			"\n<!-- cached --> generated",
	} {
		t.Run(name, func(t *testing.T) {
			var titles []string
			for _, it := range mustParse(t, doc).Items {
				titles = append(titles, it.Title)
			}
			if !reflect.DeepEqual(titles, two) {
				t.Errorf("got %q", titles)
			}
		})
	}
}

// What belongs before a feed is no damage, and nothing is said of it.
func TestNothingIsSaidOfWhatBelongsBeforeAFeed(t *testing.T) {
	const declaration = `<?xml version="1.0" encoding="utf-8"?>` + "\n"
	root := strings.TrimPrefix(rssDoc(`<item><guid>1</guid><title>x</title></item>`), `<?xml version="1.0"?>`)
	for name, c := range map[string]struct {
		before string
		told   bool
	}{
		"nothing":              {"", false},
		"declaration":          {declaration, false},
		"mark and declaration": {"\ufeff" + declaration, false},
		"blanks":               {"\n \t\r\n", false},
		"style sheet":          {declaration + `<?xml-stylesheet type="text/xsl" href="/feed.xsl"?>` + "\n", false},
		"comment":              {declaration + "<!-- generator: x <rss> -->\n", false},
		"document type": {declaration +
			`<!DOCTYPE rss PUBLIC "-//Netscape//DTD RSS 0.91//EN" "http://my.netscape.com/publish/formats/rss-0.91.dtd">` + "\n", false},
		"entities":  {declaration + `<!DOCTYPE rss [<!ENTITY nbsp "&#160;"> <!ELEMENT rss ANY>]>`, false},
		"all of it": {"\ufeff" + declaration + "<!-- a -->\n<!DOCTYPE rss>\n<?x y?><!-- b -->\n", false},
		"a warning": {"<br />\n<b>Warning</b>: include() failed\n" + declaration, true},
	} {
		notes := mustParse(t, c.before+root).Notes
		if told := strings.Contains(strings.Join(notes, "\n"), "before the feed"); told != c.told ||
			!c.told && len(notes) > 0 {
			t.Errorf("%s: notes %q", name, notes)
		}
	}
}

func TestTitles(t *testing.T) {
	for _, c := range []struct{ doc, want string }{
		{rssDoc(`<item><title>AT&T &copy; 2024 &undeclared; &#8217;s</title></item>`), "AT&T © 2024 &undeclared; ’s"},
		{rssDoc(`<item><title>Use of &lt;div&gt; in HTML</title></item>`), "Use of <div> in HTML"},
		{rssDoc(`<item><title>a &lt;b&gt;bold&lt;/b&gt; one</title></item>`), "a bold one"},
		{rssDoc(`<item><title><![CDATA[Tom &amp; Jerry]]></title></item>`), "Tom & Jerry"},
		{rssDoc(`<item><title> two
			lines </title></item>`), "two lines"},
		{rssDoc(`<item><title><![CDATA[a]]>b<![CDATA[c]]></title></item>`), "abc"},
		{rssDoc(`<item><title>an <i>unescaped</i> one</title></item>`), "an unescaped one"},
		{rssDoc(`<item><image><title>no</title></image><media:title>no</media:title><title>yes</title></item>`), "yes"},
		{rssDoc(`<item><dc:title>only this</dc:title></item>`), "only this"},
		{atomDoc(`<entry><title type="text">5 &amp;lt; 6</title></entry>`), "5 &lt; 6"},
		{atomDoc(`<entry><title type="html">5 &amp;lt; 6 &lt;i&gt;x&lt;/i&gt;</title></entry>`), "5 < 6 x"},
		{atomDoc(`<entry><title type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">5 &lt; 6 <i>x</i></div></title></entry>`), "5 < 6 x"},
		{atomDoc(`<entry><source><title>no</title><id>no</id></source><title>yes</title></entry>`), "yes"},
	} {
		d := mustParse(t, c.doc)
		if len(d.Items) != 1 || d.Items[0].Title != c.want {
			t.Errorf("want %q, got %+v from %s", c.want, d.Items, c.doc)
		}
	}
}

func TestContents(t *testing.T) {
	for _, c := range []struct{ doc, summary, content string }{
		{rssDoc(`<item><description>&lt;p&gt;s&lt;/p&gt;</description><content:encoded><![CDATA[<p>c</p>]]></content:encoded></item>`), "<p>s</p>", "<p>c</p>"},
		{rssDoc(`<item><description><p>a<br/>b</p></description></item>`), "<p>a<br>b</p>", ""},
		{rssDoc(`<item><media:group><media:description>plain
text</media:description></media:group></item>`), "plain\ntext", ""},
		{atomDoc(`<entry><content type="text">1 &lt; 2</content></entry>`), "", "1 &lt; 2"},
		{atomDoc(`<entry><content type="xhtml"><h:div xmlns:h="http://www.w3.org/1999/xhtml"><h:p>x &amp; y</h:p></h:div></content></entry>`), "", "<div><p>x &amp; y</p></div>"},
		{atomDoc(`<entry xml:base="https://b.example/x/"><content type="html">&lt;a href="y">y&lt;/a></content></entry>`), "", `<a href="https://b.example/x/y" rel="noopener noreferrer">y</a>`},
		{atomDoc(`<entry><title>x</title><content type="image/png">iVBORw0KGgo=</content></entry>`), "", ""},
		{atomDoc(`<entry><content mode="base64" type="text/html">PGI+aGk8L2I+</content></entry>`), "", "<b>hi</b>"},
	} {
		d := mustParse(t, c.doc)
		if len(d.Items) != 1 {
			t.Fatalf("%d items in %s", len(d.Items), c.doc)
		}
		it := &d.Items[0]
		it.Render()
		if it.Summary != c.summary || it.Content != c.content {
			t.Errorf("got %q, %q from %s", it.Summary, it.Content, c.doc)
		}
	}
}

func TestItemFields(t *testing.T) {
	d := mustParse(t, rssDoc(`<item><title>t</title><guid isPermaLink="false">g-1</guid><link>/relative?a=1&b=2</link>
		<author>m@example.org (Ann)</author><category>x</category><category>x</category><category>y</category>
		<enclosure url="https://c.example/a.mp3" length="123" type="audio/mpeg"/>
		<media:content url="https://c.example/b.jpg" fileSize="9"/>
		<atom:link rel="enclosure" href="//c.example/c.pdf"/></item>`))
	want := tidings.Item{ID: "g-1", URL: "https://origin.example/relative?a=1&b=2", Title: "t", Author: "Ann",
		Categories: []string{"x", "y"},
		Enclosures: []tidings.Enclosure{{URL: "https://c.example/a.mp3", Type: "audio/mpeg", Length: 123},
			{URL: "https://c.example/b.jpg", Length: 9}, {URL: "https://c.example/c.pdf"}}}
	if got := d.Items[0].Item; !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
}

func TestAtomAuthorIsInherited(t *testing.T) {
	d := mustParse(t,
		atomDoc(`<author><name>Ann</name></author><entry><id>1</id></entry><entry><id>2</id><author><name>Bob</name><email>b@example.org</email></author></entry>`))
	if a, b := d.Items[0].Author, d.Items[1].Author; a != "Ann" || b != "Bob" {
		t.Errorf("got %q, %q", a, b)
	}
}

func TestHints(t *testing.T) {
	d := mustParse(t,
		`<rss xmlns:sy="http://purl.org/rss/1.0/modules/syndication/" xmlns:atom="http://www.w3.org/2005/Atom"><channel>
		<title>T</title><link>https://site.example/</link><language>de</language><ttl>60</ttl>
		<skipHours><hour>3</hour><hour>24</hour><hour>99</hour></skipHours><skipDays><day>Sunday</day><day>Noday</day></skipDays>
		<sy:updatePeriod>daily</sy:updatePeriod><sy:updateFrequency>4</sy:updateFrequency>
		<atom:link rel="self" href="https://origin.example/self"/><atom:link rel="hub" href="https://hub.example/"/>
		<atom:link rel="prev-archive" href="/2023.xml"/></channel></rss>`)
	want := Hints{TTL: time.Hour, SkipHours: []int{0, 3}, SkipDays: []time.Weekday{time.Sunday},
		UpdatePeriod: 6 * time.Hour}
	if !reflect.DeepEqual(d.Hints, want) {
		t.Errorf("hints %+v", d.Hints)
	}
	if d.Site != "https://site.example/" || d.Language != "de" || d.Self != "https://origin.example/self" ||
		len(d.Hubs) != 1 || d.Hubs[0] != "https://hub.example/" || d.PrevArchive != "https://origin.example/2023.xml" {
		t.Errorf("got %+v", d)
	}
}

func TestJSONFeedFields(t *testing.T) {
	d := mustParse(t,
		`{"version":"https://jsonfeed.org/version/1","title":"T","home_page_url":"https://site.example/","expired":true,
		"hubs":[{"type":"WebSub","url":"https://hub.example/"}],"next_url":"?page=2","author":{"name":"Ann"},
		"items":[{"id":7,"url":"/x","content_html":"<p>c</p>","summary":"s","tags":["a","b"],
		"attachments":[{"url":"https://c.example/a.mp3","mime_type":"audio/mpeg","size_in_bytes":5}]},
		{"id":"8","content_text":"1 < 2","authors":[{"name":"Bob"},{"name":"Eve"}]}]}`)
	if !d.Hints.Expired || d.Hubs[0] != "https://hub.example/" ||
		d.Next != "https://origin.example/dir/feed.xml?page=2" {
		t.Errorf("got %+v", d)
	}
	a, b := &d.Items[0], &d.Items[1]
	a.Render()
	b.Render()
	if a.ID != "7" || a.URL != "https://site.example/x" || a.Author != "Ann" || a.Content != "<p>c</p>" ||
		a.Summary != "s" || len(a.Enclosures) != 1 {
		t.Errorf("got %+v", a.Item)
	}
	if b.Content != "1 &lt; 2" || b.Author != "Bob, Eve" {
		t.Errorf("got %+v", b.Item)
	}
}

func TestJSONThatIsNoFeed(t *testing.T) {
	for _, doc := range []string{`{}`, `[]`, `[1,2,3]`, `{"items":[{"price":1},{"price":2}]}`, `{"items":[`,
		`[{"title":"x","url":"/a"}`, `{"a":}`, `{"data":{"title":"x"}}`} {
		if d, err := Parse([]byte(doc), "application/json", testBase, Default()); !errors.Is(err, ErrNotFeed) {
			t.Errorf("%s: %v, %v", doc, d, err)
		}
	}
}

func TestDefaultIsValid(t *testing.T) {
	if err := Default().Validate(); err != nil {
		t.Error(err)
	}
	if err := (Config{}).Validate(); !errors.Is(err, tidings.ErrInvalid) {
		t.Errorf("an empty config gives %v", err)
	}
}
