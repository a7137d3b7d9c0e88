package feed

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// hostile 83: an element that says one thing and has no end leaves those beside it whole.
func TestHostile83UnclosedElements(t *testing.T) {
	fields := []string{"<title>One", "<link>https://site.example/1", "<pubDate>Tue, 08 Sep 2026 10:00:00 +0000",
		`<guid isPermaLink="false">g1`, "<author>a@site.example (Ann)", "<category>Sea",
		`<source url="https://o.example/">Other`,
		"<description>first &lt;b&gt;x&lt;/b&gt;", `<enclosure url="https://site.example/a.mp3">`}
	ends := []string{"</title>", "</link>", "</pubDate>", "</guid>", "</author>", "</category>", "</source>",
		"</description>", "</enclosure>"}
	const want = "One|https://site.example/1|2026-09-08T10:00:00Z|g1|Ann|[Sea]|first <b>x</b>|1"
	check := func(name, channel string, items ...string) {
		t.Helper()
		doc := "<rss><channel>" + channel + strings.Join(items, "") + "</channel></rss>"
		d := mustParse(t, doc)
		if d.Title != "T" || d.Site != "https://site.example/" || len(d.Items) != len(items) {
			t.Fatalf("%s: %q, %q, %d items of\n%s", name, d.Title, d.Site, len(d.Items), doc)
		}
		for i := range d.Items {
			it := &d.Items[i]
			it.Render()
			got := fmt.Sprintf("%s|%s|%s|%s|%s|%v|%s|%d", it.Title, it.URL, it.Published.Format(time.RFC3339), it.ID,
				it.Author, it.Categories, it.Summary, len(it.Enclosures))
			if got != want {
				t.Errorf("%s: item %d:\ngot  %s\nwant %s\n%s", name, i, got, want, doc)
			}
		}
	}
	whole := func(unclosed, first int) string {
		item := "<item>"
		for i := range fields {
			n := (first + i) % len(fields)
			item += fields[n]
			if n != unclosed && unclosed < len(fields) {
				item += ends[n]
			}
		}
		return item + "</item>"
	}
	const channel = "<title>T</title><link>https://site.example/</link><description>d</description>"
	for first := range fields { // any order
		for unclosed := range len(fields) + 1 { // the last: all
			item := whole(unclosed, first)
			check(fields[unclosed%len(fields)]+" from "+fields[first], channel, item, item)
		}
	}
	check("an empty one", channel, "<item><link>"+strings.TrimPrefix(whole(-1, 0), "<item>"))
	for _, open := range []string{"</title>", "</link>", "</description>"} {
		check("channel without "+open, strings.Replace(channel, open, "", 1), whole(-1, 0), whole(1, 0))
	}
}

// What has its end keeps all that is in it.
func TestClosedElementsKeepWhatIsInThem(t *testing.T) {
	d := mustParse(t,
		rssDoc(`<itunes:category text="a"><itunes:category text="b"/></itunes:category><item><title>a <b>b</b></title><dc:creator><name>Ann</name></dc:creator>
		<content:encoded><div>x <guid>no</guid> <title>no</title> y</div></content:encoded><description>s <link>no</link></description><guid>1</guid></item>`))
	it := &d.Items[0]
	it.Render()
	if it.Title != "a b" || it.Author != "Ann" || it.ID != "1" || it.URL != "" ||
		!strings.HasSuffix(it.Content, "y</div>") || len(d.Notes) > 0 {
		t.Errorf("got %+v, %q", it.Item, d.Notes)
	}
}

// hostile 16: texts without an end are read again only for so long.
func TestHostile16ReadingAgainIsBounded(t *testing.T) {
	for name, text := range map[string]string{
		"one in another":    strings.Repeat("<description>a<guid>", 20_000),
		"of many names":     strings.Repeat("<item><description><x><content><summary>", 10_000),
		"to the end of all": "<item>" + strings.Repeat("<description>a<summary>b<content>", 10_000),
	} {
		r := newXMLReader(&Document{Format: RSS}, "<rss><channel>"+text+"</channel></rss>", testBase, Default())
		if err := r.run(); err == nil && r.spent.again > maxAgain*len(r.sc.src)+len(r.sc.src) {
			t.Errorf("%s: %d bytes of %d read again", name, r.spent.again, len(r.sc.src))
		}
	}
}
