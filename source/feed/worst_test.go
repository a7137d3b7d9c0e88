package feed

import (
	"fmt"
	"strings"
	"testing"

	"tidings/lab/cpu"
)

func attributes(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, " a%d", i)
	}
	return b.String()
}

// BenchmarkWorst measures what texts cost that were made to keep their reader busy.
func BenchmarkWorst(b *testing.B) {
	work := map[string]func(){}
	for name, text := range map[string]string{
		"one tag of attributes":    "<a" + attributes(100_000) + ">x</a>",
		"attributes and many tags": "<a" + attributes(60_000) + ">x</a>" + strings.Repeat("<i b>", 80_000),
	} {
		work["render/"+name] = func() { sanitize(body{text: text}, testBase, newAllowance()) }
	}
	for name, page := range worstPages() {
		body := []byte(page[:min(len(page), 5<<20)])
		work["discover/"+name] = func() { Discover(body, "text/html", "https://example.org/") }
	}
	for name, mark := range alikeItems {
		known, doc := alike(5000, mark)
		work["match/"+name] = func() { Match(known, doc) }
	}
	for name, do := range work {
		b.Run(name, func(b *testing.B) {
			start := cpu.Time()
			for b.Loop() {
				do()
			}
			b.ReportMetric(float64((cpu.Time()-start).Milliseconds())/float64(b.N), "CPU-ms")
		})
	}
}

// worstPages are pages made to keep a reader busy that looks for feeds in them.
func worstPages() map[string]string {
	return map[string]string{
		"one link of attributes": "<link" + attributes(600_000) + ">",
		"links of attributes":    strings.Repeat("<link"+attributes(100)+">", 10_000),
		"tags of attributes":     strings.Repeat("<p a b c d e f g h i>", 250_000),
		"rels":                   strings.Repeat("<link rel='"+strings.Repeat("x ", 200)+"'>", 12_000),
		"anchors":                strings.Repeat("<a href=x>", 500_000),
		"anchors with queries":   strings.Repeat("<a href='?a=b&c=d&e=f'>", 220_000),
		"long queries":           strings.Repeat("<a href='?"+strings.Repeat("a&", 900)+"'>", 2800),
		"long addresses":         strings.Repeat("<a href='"+strings.Repeat("/..", 10_000)+"'>", 170),
		"one long query":         "<a href='?" + strings.Repeat("a&", 2_500_000) + "'>",
		"one long path":          "<a href='" + strings.Repeat("/..", 1_700_000) + "'>",
		"bases":                  strings.Repeat("<base href='"+strings.Repeat("a/", 100)+"'>", 25_000),
		"one long base": "<base href='" + strings.Repeat("a/", 1_000_000) + "'>" +
			strings.Repeat("<a href=x>", 300_000),
		"base of dots": "<base href='" + strings.Repeat("a/../", 10_000) + "'>" +
			strings.Repeat("<a href=x>", 300_000),
		"text in an anchor":  "<a href=/feed>" + strings.Repeat("<b></b>x", 500_000),
		"text flood":         "<a href=/feed>" + strings.Repeat("<br> ", 1_000_000),
		"same feeds":         strings.Repeat("<a href=/feed>", 350_000),
		"no feeds after all": strings.Repeat("<a href=/wp-json/feed>", 240_000),
		"feed scheme":        strings.Repeat("<link rel=feed href='feed:wp-json'>", 150_000),
		"end tags":           strings.Repeat("</a>", 1_300_000),
		"comments":           strings.Repeat("<!-->", 1_000_000),
		"entities":           "<a href='" + strings.Repeat("&amp;", 1_000_000) + "'>",
	}
}

// hostile 16: of many attributes of an element the first are looked at.
func TestHostile16ManyAttributes(t *testing.T) {
	some := tidier{left: newAllowance()}
	some.run("<p lang=en" + attributes(10_000) + ">a</p>")
	if n := strings.Count(some.out.String(), "="); n != maxAttributes {
		t.Errorf("%d attributes are looked at, want %d", n, maxAttributes)
	}
}

// hostile 16: of many links, and of many attributes of one, the first are looked at.
func TestHostile16DiscoveryIsBounded(t *testing.T) {
	feed := " rel=feed href=/feed>"
	for name, c := range map[string]struct {
		page  string
		feeds int
	}{
		"the last link":              {strings.Repeat("<a href=x>", maxLinks-1) + "<link" + feed, 1},
		"one link more":              {strings.Repeat("<a href=x>", maxLinks) + "<link" + feed, 0},
		"what is no link":            {strings.Repeat("<b>x</b>", maxLinks) + "<link" + feed, 1},
		"the last attributes":        {"<link" + attributes(maxAttributes-2) + feed, 1},
		"one attribute more":         {"<link" + attributes(maxAttributes-1) + feed, 0},
		"links of feeds of programs": {strings.Repeat("<a href=/wp-json/feed>", maxLinks) + "<link" + feed, 0},
	} {
		if got := Discover([]byte(c.page), "text/html", "https://example.org/"); len(got) != c.feeds {
			t.Errorf("%s: %d feeds, want %d", name, len(got), c.feeds)
		}
	}
}
