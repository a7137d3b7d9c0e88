package feed

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"tidings/lab/cost"
)

// hostile 8: a login page in place of the feed is no feed without items.
func TestHostile8LoginPage(t *testing.T) {
	page := `<!DOCTYPE html><html><head><title>Log in</title><link rel="alternate" type="application/rss+xml" href="/feed"></head><body><form>…</form></body></html>`
	if f := Sniff([]byte(page), "application/rss+xml"); f != HTML {
		t.Errorf("sniffed %q", f)
	}
	for _, doc := range []string{page, "", "   ", "Service unavailable", "<error>no</error>", `{"error":"login"}`} {
		if _, err := Parse([]byte(doc), "application/rss+xml", testBase, Default()); !errors.Is(err, ErrNotFeed) {
			t.Errorf("%q: %v", doc, err)
		}
	}
}

// hostile 16: the measured bombs, and more of their kind, cost less than a second and 64 MiB.
func TestHostile16Bombs(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	if cost.RaceDetector() {
		t.Skip("measures what the race detector makes large")
	}
	head := `<rss xmlns:x="urn:x"><channel><title>T</title>`
	for name, c := range map[string]struct {
		doc   string
		limit bool // refused, rather than read within bounds
		items int
	}{
		"nested elements": {head + "<item>" + strings.Repeat("<x:a>", 2_000_000), true, 0},
		"nested items":    {head + strings.Repeat("<item><source>", 500_000), true, 0},
		"nested HTML":     {head + "<item><description>" + strings.Repeat("<a>", 1_700_000), false, 1},
		"escaped HTML": {head + "<item><description>" + strings.Repeat("&lt;a>", 800_000) +
			"end</description></item></channel></rss>", false, 1},
		"70 MB":                 {head + strings.Repeat("<a>", 24_000_000), true, 0},
		"a million items":       {head + strings.Repeat("<item><title>x</title></item>", 1_000_000), false, 5000},
		"a million empty items": {head + strings.Repeat("<item></item>", 1_000_000) + "</channel></rss>", false, 0},
		"attributes":            {head + "<item " + strings.Repeat(`a="b" `, 1_000_000) + "></item>", true, 0},
		"one tag":               {head + `<item a="` + strings.Repeat("b", 3<<20) + `" c="d"></item>`, true, 0},
		"declarations": {head + strings.Repeat(`<x:a xmlns:y="urn:y"/>`, 200_000) + "</channel></rss>", false,
			0},
		"CDATA": {head + "<item><description>" + strings.Repeat("<![CDATA[a]]>", 400_000) +
			"</description></item></channel></rss>", false, 1},
		"less-than": {head + "<item><description>" + strings.Repeat("< ", 2_500_000) +
			"</description></item></channel></rss>", false, 1},
		"ampersands": {head + "<item><title>" + strings.Repeat("&&#x1;&lt;", 500_000) +
			"</title></item></channel></rss>", false, 1},
		"unclosed svg": {head + "<item><description><![CDATA[" + strings.Repeat("<svg><script>", 200_000) +
			"]]></description></item></channel></rss>", false, 1},
		"unclosed quotes": {head + strings.Repeat(`<a b="`, 800_000), true, 0},
		"comments":        {head + strings.Repeat("<!--", 1_200_000), false, 0},
		"deep JSON":       {strings.Repeat("[", 10_000_000), true, 0},
		"deep JSON in an item": {`{"version":"https://jsonfeed.org/version/1","items":[{"id":"1","x":` +
			strings.Repeat(`{"a":`, 500_000), true, 0},
		"many JSON fields": {`{"version":"https://jsonfeed.org/version/1",` + strings.Repeat(`"a":{},`, 500_000) +
			`"items":[{"id":"1"}]}`, true, 0},
		"many JSON items": {`{"version":"https://jsonfeed.org/version/1","items":[` +
			strings.Repeat(`{"id":"1"},`, 400_000) + `{}]}`, false, 5000},
	} {
		t.Run(name, func(t *testing.T) {
			var d *Document
			var err error
			doc := []byte(c.doc)
			cost.Must(t, time.Second, 64<<20, func() {
				if d, err = Parse(doc, "", testBase, Default()); err == nil {
					Match(nil, d)
				}
			})
			if c.limit != errors.Is(err, ErrLimit) {
				t.Errorf("refused: %v (%v)", !c.limit, err)
			}
			if d != nil && len(d.Items) != c.items {
				t.Errorf("%d items, want %d", len(d.Items), c.items)
			}
		})
	}
}

// hostile 16: pages nested beyond what parsers bear keep their text, and do not grow.
func TestHostile16NestedHTMLKeepsItsText(t *testing.T) {
	for _, open := range []string{"<div>", "<p><b><i><font>"} {
		src := strings.Repeat(open, 20_000) + "the text"
		it := Item{content: body{text: src}}
		it.Render()
		if !strings.Contains(it.Content, "the text") {
			t.Errorf("%s: the text is gone", open)
		}
		if len(it.Content) > len(src) {
			t.Errorf("%s: grew from %d to %d bytes", open, len(src), len(it.Content))
		}
	}
}

// hostile 17: nothing that a document type declares is expanded or fetched.
func TestHostile17Entities(t *testing.T) {
	doc := `<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY a "xxxxxxxxxx"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;">
		<!ENTITY ext SYSTEM "file:///etc/passwd"><!ENTITY % p SYSTEM "http://127.0.0.1/p.dtd"> %p;]>
		<rss xmlns:xi="http://www.w3.org/2001/XInclude"><channel><title>T</title><item><title>&c; &ext;</title>
		<description>&c;<xi:include href="file:///etc/passwd" parse="text"/></description></item></channel></rss>`
	d := mustParse(t, doc)
	it := &d.Items[0]
	it.Render()
	if it.Title != "&c; &ext;" {
		t.Errorf("title %q", it.Title)
	}
	if strings.Contains(it.Summary, "root:") || strings.Contains(it.Summary, "xxxx") {
		t.Errorf("summary %q", it.Summary)
	}
}

// hostile 19: the content decides what a document is, not its label.
func TestHostile19Sniff(t *testing.T) {
	for _, c := range []struct {
		doc, contentType string
		want             Format
	}{
		{"<!DOCTYPE html><title>x</title>", "application/rss+xml", HTML},
		{"<html><body>x", "application/atom+xml", HTML},
		{rssDoc(""), "text/html", RSS},
		{atomDoc(""), "text/plain", Atom},
		{`{"version":"https://jsonfeed.org/version/1.1","items":[]}`, "text/plain", JSONFeed},
		{`{"version":"2","items":[]}`, "application/feed+json", JSON},
		{"<opml><body/></opml>", "application/rss+xml", XML},
		{"plain words", "application/rss+xml", Unknown},
		{"", "application/rss+xml", Unknown},
	} {
		if got := Sniff([]byte(c.doc), c.contentType); got != c.want {
			t.Errorf("%q sent as %s is %q, want %q", c.doc, c.contentType, got, c.want)
		}
	}
}

// hostile 19: however much that says nothing stands before it, a feed is one.
func TestHostile19LongLead(t *testing.T) {
	for name, lead := range map[string]string{
		"blanks":       strings.Repeat(" \r\n", 100_000),
		"a comment":    "<!--" + strings.Repeat(" x", 100_000) + "-->\n",
		"comments":     strings.Repeat("<!-- x -->\n", 20_000),
		"instructions": `<?xml version="1.0"?>` + strings.Repeat("<?x y?>\n", 20_000),
	} {
		for _, c := range []struct {
			doc  string
			want Format
		}{
			{"<rss><channel><item><title>x</title></item></channel></rss>", RSS},
			{`{"version":"https://jsonfeed.org/version/1.1","items":[{"id":"1"}]}`, JSONFeed},
			{"<!DOCTYPE html><html><body>x", HTML},
		} {
			if c.want == JSONFeed && name != "blanks" {
				continue
			}
			doc := []byte(lead + c.doc)
			if got := Sniff(doc, ""); got != c.want {
				t.Errorf("%s before %s: sniffed %q", name, c.want, got)
			}
			if d, err := Parse(doc, "", testBase, Default()); c.want.IsFeed() &&
				(err != nil || len(d.Items) != 1 || len(d.Notes) > 0) {
				t.Errorf("%s before %s: %+v, %v", name, c.want, d, err)
			}
		}
	}
	for _, doc := range []string{strings.Repeat(" ", 3<<20), strings.Repeat("<!--", 1<<18),
		strings.Repeat("\x89PNG\x00", 1<<20)} {
		if got := Sniff([]byte(doc), ""); got != Unknown {
			t.Errorf("%.8q…: sniffed %q", doc, got)
		}
	}
}

// hostile 20: more items than are read are cut with a notice.
func TestHostile20ManyItems(t *testing.T) {
	var b strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&b, "<item><guid>%d</guid></item>", i)
	}
	d := mustParse(t, rssDoc(b.String()))
	if len(d.Items) != Default().MaxItems || len(d.Notes) != 1 {
		t.Errorf("%d items, notes %q", len(d.Items), d.Notes)
	}
}

// hostile 22: titles are one line of harmless text.
func TestHostile22Titles(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"red\u202egnp.exe", "redgnp.exe"},
		{"\u2066isolated\u2069", "isolated"},
		{"zero\u200b\u2060\ufeffwidth", "zerowidth"},
		{"\x1b[31mred\x1b[0m\x07", "[31mred[0m"},
		{"👩\u200d👩\u200d👧 family", "👩\u200d👩\u200d👧 family"},
		{"🏴\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074\U000E007F x",
			"🏴\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074\U000E007F x"},
		{"hid\U000E0041\U000E0042den", "hidden"},
		{"می\u200cخواهم", "می\u200cخواهم"},
		{"a\u200d\u200d\u200d\u200db", "a\u200db"},
		{"z" + strings.Repeat("\u0301", 50), "z" + strings.Repeat("\u0301", maxMarks)},
		{"\u0000nul\u0008 bell", "nul bell"},
		{" a \n\t b\u00a0c ", "a b c"},
	} {
		d := mustParse(t, `{"version":"https://jsonfeed.org/version/1","items":[{"id":"1","title":`+quoteJSON(c.in)+
			`}]}`)
		if got := d.Items[0].Title; got != c.want {
			t.Errorf("%q gives %q, want %q", c.in, got, c.want)
		}
	}
	html := "&lt;code>Open\u00adPort&lt;/code> or &lt;b>Cl\u200bo&lt;/b>se&amp;shy;Po&shy;rt \u00ad x\ufeff"
	if got := mustParse(t,
		rssDoc("<item><title>"+html+"</title></item>")).Items[0].Title; got != "OpenPort or ClosePort x" {
		t.Errorf("%q gives %q", html, got)
	}
	long := mustParse(t, rssDoc("<item><title>"+strings.Repeat("é", 1<<20)+"</title></item>")).Items[0].Title
	if n := utf8.RuneCountInString(long); n != Default().MaxTitle+1 || !strings.HasSuffix(long, "…") {
		t.Errorf("a title of a million characters gives %d", n)
	}
}

func quoteJSON(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		if r > 0xffff {
			r -= 0x10000
			fmt.Fprintf(&b, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
			continue
		}
		fmt.Fprintf(&b, `\u%04x`, r)
	}
	return b.String() + `"`
}
