package feed

import (
	"reflect"
	"testing"

	"tidings"
)

// What an element says in its attributes counts, whether it is empty, has an end tag, or holds a text.
func TestEmptyElementsSayTheirAttributes(t *testing.T) {
	want := tidings.Item{ID: "1", URL: "https://origin.example/whole", Title: "t",
		Categories: []string{"x", "Y", "podcast"},
		Enclosures: []tidings.Enclosure{{URL: "https://origin.example/a.mp3", Type: "audio/mpeg", Length: 5},
			{URL: "https://origin.example/b.jpg"}}}
	for name, end := range map[string][4]string{
		"empty":   {"/>", "/>", "/>", "/>"},
		"end tag": {"></category>", "></content>", "></itunes:category>", "></enclosure>"},
	} {
		d := mustParse(t,
			atomDoc(`<entry><id>1</id><title>t</title><category term="x"`+end[0]+`<category term="y" label="Y"`+end[0]+
				`<itunes:category text="podcast"`+end[2]+`<content type="text/html" src="/whole"`+end[1]+
				`<enclosure url="/a.mp3" type="audio/mpeg" length="5"`+end[3]+`<media:content url="/b.jpg"/></entry>`))
		if got := d.Items[0].Item; !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v\nwant %+v", name, got, want)
		}
	}
	d := mustParse(t,
		rssDoc(`<item><title/><guid/><link/><description/><pubDate/><author/><category/><dc:creator/><title>t</title>`+
			`<guid>g</guid><link>/l</link><description>d</description></item>`))
	it := &d.Items[0]
	it.Render()
	if it.Title != "t" || it.ID != "g" || it.URL != "https://origin.example/l" || it.Summary != "d" ||
		len(it.Categories) > 0 || len(d.Notes) > 0 {
		t.Errorf("empty elements before full ones: got %+v, notes %q", it.Item, d.Notes)
	}
}

// hostile 23: where an item has no link, its guid is one if it says so, whole or relative; otherwise only a whole
// address is.
func TestHostile23GuidsAsLinks(t *testing.T) {
	for _, c := range []struct{ item, want string }{
		{`<guid isPermaLink="true">/blog/intro</guid>`, "https://origin.example/blog/intro"},
		{`<guid isPermaLink="TRUE">intro</guid>`, "https://origin.example/dir/intro"},
		{`<guid ispermalink=" true ">/blog/intro</guid>`, "https://origin.example/blog/intro"},
		{`<guid isPermaLink="true" xml:base="https://other.example/">intro</guid>`, "https://other.example/intro"},
		{`<guid isPermaLink="true">javascript:alert(1)</guid>`, ""},
		{`<guid>https://origin.example/a</guid>`, "https://origin.example/a"},
		{`<guid>/blog/intro</guid>`, ""},
		{`<guid isPermaLink="false">https://origin.example/a</guid>`, ""},
		{`<guid isPermaLink="no">https://origin.example/a</guid>`, ""},
		{`<guid isPermaLink="true">/blog/intro</guid><link>/other</link>`, "https://origin.example/other"},
		{`<link>http://feedproxy.google.com/~r/x/~3/1</link><feedburner:origLink>https://origin.example/a?b=1&amp;c=2</feedburner:origLink>`, "https://origin.example/a?b=1&c=2"},
		{`<fb:origLink xmlns:fb="http://rssnamespace.org/feedburner/ext/1.0">https://origin.example/a</fb:origLink><link>http://feeds.example/1</link>`, "https://origin.example/a"},
		{`<link>http://feeds.example/1</link><feedburner:origLink>javascript:alert(1)</feedburner:origLink>`,
			"http://feeds.example/1"},
	} {
		if got := mustParse(t, rssDoc("<item><title>t</title>"+c.item+"</item>")).Items[0].URL; got != c.want {
			t.Errorf("%s gives %q, want %q", c.item, got, c.want)
		}
	}
}

func TestAuthors(t *testing.T) {
	for _, c := range []struct{ doc, want string }{
		{atomDoc(`<entry><id>1</id><author><name>Ann</name></author><author><name>Bob</name><email>b@x.example</email></author><author><email>c@x.example</email></author></entry>`), "Ann, Bob, c@x.example"},
		{atomDoc(`<author><name>Ann</name></author><author><name>Bob</name></author><entry><id>1</id></entry>`),
			"Ann, Bob"},
		{atomDoc(`<author><name>Ann</name></author><entry><id>1</id><author><name>Bob</name></author><source><author><name>Eve</name></author></source></entry>`), "Bob"},
		{atomDoc(`<entry><id>1</id><author><name>Ann</name></author><contributor><name>Eve</name></contributor></entry>`), "Ann"},
		{rssDoc(`<item><title>t</title><dc:creator>Ann</dc:creator><dc:creator>Bob</dc:creator><dc:creator>Ann</dc:creator></item>`), "Ann, Bob"},
		{rssDoc(`<item><title>t</title><author>a@x.example (Ann)</author><author>Bob &lt;b@x.example&gt;</author><dc:creator>Eve</dc:creator></item>`), "Ann, Bob"},
		{rssDoc(`<item><title>t</title><itunes:author>The Show</itunes:author><dc:creator>Ann</dc:creator></item>`),
			"Ann"},
		{rssDoc(`<item><title>t</title><itunes:author>The Show</itunes:author></item>`), "The Show"},
		{rssDoc(`<item><title>t</title><dc:creator><![CDATA[<a href="/ann">Ann</a> &amp; <b>Bob</b>]]></dc:creator></item>`), "Ann & Bob"},
		{rssDoc(`<item><title>t</title><author>Ann &amp;amp; Bob</author></item>`), "Ann & Bob"},
		{rssDoc(`<item><title>t</title><author>M&uuml;ller &lt;m@x.example&gt;</author></item>`), "Müller"},
		{rssDoc(`<item><title>t</title><author>"Ann B." &lt;a@x.example&gt;</author></item>`), "Ann B."},
		{rssDoc(`<item><title>t</title><author>ed@x.example</author><dc:creator>Ed Poe</dc:creator></item>`), "Ed Poe"},
		{rssDoc(`<item><title>t</title><author>ed@x.example</author><dc:creator>poe@x.example</dc:creator><itunes:author>Ed Poe</itunes:author></item>`), "Ed Poe"},
		{rssDoc(`<item><title>t</title><author>ed@x.example</author></item>`), "ed@x.example"},
		{rssDoc(`<item><title>t</title><author>Ed Poe (ed@x.example)</author></item>`), "Ed Poe"},
		{rssDoc(`<item><title>t</title><author>ed@x.example ()</author><dc:creator>Ed (the elder)</dc:creator></item>`),
			"Ed (the elder)"},
		{`{"version":"https://jsonfeed.org/version/1.1","items":[{"id":"1","authors":[{"name":"Ann &amp; Co"},{"name":"<b>Bob</b>"},{"name":"Bob"}]}]}`, "Ann & Co, Bob"},
		{`{"version":"https://jsonfeed.org/version/1.1","authors":[{"name":"Ann"},{"name":"Bob"}],"items":[{"id":"1"}]}`, "Ann, Bob"},
	} {
		if got := mustParse(t, c.doc).Items[0].Author; got != c.want {
			t.Errorf("got %q, want %q from %s", got, c.want, c.doc)
		}
	}
}

func TestSubtitleIsTheLastResort(t *testing.T) {
	for _, c := range []struct{ item, want string }{
		{`<itunes:subtitle>sub</itunes:subtitle>`, "sub"},
		{`<itunes:subtitle>sub</itunes:subtitle><itunes:summary>sum</itunes:summary>`, "sum"},
		{`<itunes:subtitle>sub</itunes:subtitle><description>d</description>`, "d"},
	} {
		it := &mustParse(t, rssDoc("<item><title>t</title>"+c.item+"</item>")).Items[0]
		if it.Render(); it.Summary != c.want {
			t.Errorf("%s gives %q, want %q", c.item, it.Summary, c.want)
		}
	}
}

func TestCategoriesAreReadLikeTitles(t *testing.T) {
	for _, c := range []struct{ doc, want string }{
		{rssDoc(`<item><title>t</title><category><![CDATA[C &amp; D]]></category></item>`), "C & D"},
		{rssDoc(`<item><title>t</title><category>a &lt; b</category></item>`), "a < b"},
		{atomDoc(`<entry><id>1</id><category term="C &amp;amp; D"/></entry>`), "C &amp; D"}, // as RFC 4287 has it
	} {
		if got := mustParse(t, c.doc).Items[0].Categories; len(got) != 1 || got[0] != c.want {
			t.Errorf("got %q, want %q from %s", got, c.want, c.doc)
		}
	}
}

func TestPodcastTitles(t *testing.T) {
	for item, want := range map[string]string{
		`<itunes:title>Short</itunes:title><title>Episode 1: Short</title>`: "Episode 1: Short",
		`<itunes:title>Short</itunes:title><guid>1</guid>`:                  "Short",
	} {
		if got := mustParse(t, rssDoc("<item>"+item+"</item>")).Items[0].Title; got != want {
			t.Errorf("%s gives %q, want %q", item, got, want)
		}
	}
}

// hostile 15: a date that cannot be read gives way to one that can.
func TestHostile15ReadableDateGoesFirst(t *testing.T) {
	it := mustParse(t,
		rssDoc(`<item><title>t</title><pubDate>soon</pubDate><dc:date>2020-06-03T10:57:00Z</dc:date></item>`)).Items[0]
	if stampTime(it.Published) != "2020-06-03T10:57:00Z" || !it.Updated.IsZero() {
		t.Errorf("published %v, updated %v", it.Published, it.Updated)
	}
}
