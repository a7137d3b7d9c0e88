package feed

import (
	"strings"
	"testing"

	"tidings/source/feed/date"
)

// hostile 16: the work for slow dates is bounded for a whole document, by their characters as well.
func TestHostile16DatesThatTakeLongAreBounded(t *testing.T) {
	cfg := Default()
	cfg.MaxItems = 10
	feed := func(n int, date string) string {
		return "<rss><channel><item><guid>a</guid>" + strings.Repeat("<dc:date>"+date+"</dc:date>", n) +
			"<pubDate>2020-06-05T10:00:00Z</pubDate></item></channel></rss>"
	}
	all := datesPerItem * cfg.MaxItems
	long := strings.Repeat("ậ", 66)
	for name, c := range map[string]struct {
		doc  string
		want bool
	}{
		"as many as are read":       {feed(all-1, "x"), true},
		"one more":                  {feed(all, "x"), false},
		"as many with accents":      {feed(all/date.Work(long)-1, long), true},
		"more than that":            {feed(all/date.Work(long), long), false},
		"that are too long to read": {feed(all-1, long+long), true},
	} {
		d, err := Parse([]byte(c.doc), "", "https://example.org/feed", cfg)
		if err != nil || len(d.Items) != 1 {
			t.Fatalf("%s: %v", name, err)
		}
		if got := !d.Items[0].Published.IsZero(); got != c.want {
			t.Errorf("%s: the date behind them is read: %v, want %v", name, got, c.want)
		}
	}
	if _, ok := date.Parse(strings.Repeat("ﷺ", 60) + " 5 June 2020"); ok {
		t.Error("a date that becomes a page of text is read")
	}
}

// hostile 16: frames and attributes count by their size against the bound of what is rendered.
func TestHostile16FramesAndAttributesAreBounded(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		left allowance
	}{
		"frames": {strings.Repeat("<embed src=x>", 10),
			allowance{tags: 100, links: 10 * linksPerFrame, bytes: 1 << 20}},
		"attributes": {strings.Repeat("<p"+attributes(usualAttributes+9)+">", 10),
			allowance{tags: 100, links: 100, bytes: 1 << 20}},
		"as many attributes": {strings.Repeat("<p"+attributes(usualAttributes)+">", 100),
			allowance{tags: 100, links: 100, bytes: 1 << 20}},
	} {
		left := c.left
		sanitize(body{text: c.text}, testBase, &left)
		if left.isUsedUp() || left.tags > 0 && left.links > 0 {
			t.Errorf("%s: %+v are left", name, left)
		}
		left = c.left
		sanitize(body{text: c.text + c.text[:len(c.text)/10]}, testBase, &left)
		if !left.isUsedUp() {
			t.Errorf("%s and one more: %+v are left", name, left)
		}
	}
}
