package page

import (
	"fmt"
	"hash/crc32"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"tidings"
	"tidings/lab/cost"
)

// TestHostile16 is hostile 16 for HTML, and worse of its kind: each bomb is read within
// a second of the processor and 64 MiB, and its text is kept.
func TestHostile16(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	if cost.RaceDetector() {
		t.Skip("measures what the race detector makes large")
	}
	for name, html := range map[string]string{
		"200,000 nested div":         strings.Repeat("<div>", 200_000) + "the text",
		"200,000 nested div, closed": strings.Repeat("<div>", 200_000) + "the text" + strings.Repeat("</div>", 200_000),
		"formatting elements":        strings.Repeat("<p><b><i><font>", 20_000) + "the text",
		"formatting with text":       strings.Repeat("<p><b><i><font>x", 20_000) + "<p>the text",
		"fonts that differ":          fonts(20_000) + "<p>the text",
		"a in a":                     strings.Repeat("<a href=x>", 300_000) + "the text",
		"nested tables":              strings.Repeat("<table><tr><td>", 20_000) + "the text",
		"nested lists":               strings.Repeat("<ul><li>", 100_000) + "the text",
		"nested spans":               strings.Repeat("<span>", 500) + "the text" + strings.Repeat("</span>", 500),
		"nested ads": strings.Repeat("<div class=ad>", 400) + strings.Repeat("x y <b>z</b> ", 50_000) +
			"<p>the text",
		"foster parents":         "<table>" + strings.Repeat("<b>x<i>y", 50_000) + "</table><p>the text",
		"million attributes":     "<p " + strings.Repeat("a=b ", 1_000_000) + ">the text",
		"many classes":           "<p class='" + strings.Repeat("top-ad-x ", 400_000) + "'>x</p><p>the text",
		"million items":          strings.Repeat("<li>x", 900_000),
		"a row of cells":         "<table><tr>" + strings.Repeat("<td>x", 500_000) + "</table>the text",
		"end tags of nothing":    strings.Repeat("</div></p></b>", 300_000) + "the text",
		"unclosed comment":       "<p>the text<!--" + strings.Repeat("-", 5<<20),
		"entities":               strings.Repeat("&amp;&nbsp;&#x41;", 300_000) + "<p>the text",
		"select":                 strings.Repeat("<select><option>", 100_000) + "</select>the text",
		"frames of math and svg": strings.Repeat("<svg><math>", 100_000) + "the text",
		"dates": "<p>the text" +
			strings.Repeat("<p>Last updated on 3 May 2024 at 12:00 3 hours ago, 5 comments", 40_000),
		"numbers": "<p>the text" + strings.Repeat("<p>"+strings.Repeat("1:2,3.4 ", 35), 15_000),
		"json":    strings.Repeat("[", 9_000) + "\"the text\"" + strings.Repeat("]", 9_000),
	} {
		t.Run(name, func(t *testing.T) {
			contentType := "text/html"
			if name == "json" {
				contentType = "application/json"
			}
			var doc Document
			var err error
			body := []byte(html)
			cost.Must(t, time.Second, 64<<20, func() {
				doc, err = Extract(body, contentType, "", tidings.PageOptions{}, Noise{}, Default())
			})
			t.Logf("%.1f MB, %d lines, notes %q", float64(len(html))/1e6, len(doc.Lines), doc.Notes)
			switch name {
			case "million items", "a row of cells", "a in a", "end tags of nothing", "nested ads", "select",
				"frames of math and svg":
				return // over a limit; all of it an advertisement, a form field, a drawing
			}
			if err != nil ||
				!slices.ContainsFunc(doc.Lines, func(l string) bool { return strings.Contains(l, "the text") }) {
				t.Errorf("the text is lost (%d lines, %v)", len(doc.Lines), err)
			}
			if size := lineBytes(doc.Lines); size > len(html)+10 && name != "json" {
				t.Errorf("%d bytes became %d", len(html), size)
			}
		})
	}
}

func fonts(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "<p><font size=%d>x", i)
	}
	return b.String()
}

func lineBytes(lines []string) int {
	n := 0
	for _, l := range lines {
		n += len(l) + 1
	}
	return n
}

// TestHostile17 is hostile 17: entities of a document type are not expanded, and
// nothing is fetched: what stands in place of them is text.
func TestHostile17(t *testing.T) {
	const bomb = `<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY % p SYSTEM "http://127.0.0.1:1/p"><!ENTITY x SYSTEM "file:///etc/passwd"><!ENTITY a "lol"><!ENTITY b "&a;&a;&a;">]>
<html xmlns:xi="http://www.w3.org/2001/XInclude"><body><p>&b;</p><p>&x;</p><xi:include href="file:///etc/passwd"/></body></html>`
	for _, contentType := range []string{"text/html", "application/xhtml+xml", "application/xml"} {
		doc, err := Extract([]byte(bomb), contentType, "", tidings.PageOptions{}, Noise{}, Default())
		if err != nil {
			t.Fatal(err)
		}
		all := strings.Join(doc.Lines, "\n")
		if strings.Contains(all, "lollol") || strings.Contains(all, "root:") || len(all) > 2*len(bomb) {
			t.Errorf("%s: %q", contentType, all)
		}
	}
}

// hostile 18: an encoding is declared late, or as in XML.
func TestHostile18Declarations(t *testing.T) {
	for body, want := range map[string]string{
		"<!-- " + strings.Repeat("x", 3000) + " --><meta charset=koi8-r><p>\xf0\xd2\xc9":                    "При",
		"<?xml version='1.0' encoding='windows-1251'?><html><p>\xcf\xf0\xe8":                                "При",
		"<title>x</title><script>" + strings.Repeat("x", 3000) + "</script><meta charset=utf-16><p>caf\xe9": "café",
		"<meta charset=windows-1251><?xml encoding='koi8-r'?><p>\xcf\xf0\xe8":                               "При",
		"<p>meta charset=koi8-r caf\xe9":                                                                    "meta charset=koi8-r café",
	} {
		if got := strings.Join(readBytes(t, body).Lines, "\n"); got != want {
			t.Errorf("%.60q gives %q, want %q", body, got, want)
		}
	}
}

func readBytes(t *testing.T, body string) Document {
	t.Helper()
	doc, err := Extract([]byte(body), "text/html", "", tidings.PageOptions{}, Noise{}, Default())
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// TestHostile18 is hostile 18: whatever the encoding, and whatever it claims to be.
func TestHostile18(t *testing.T) {
	const page = "<!doctype html><html><title>Größe</title><p>Über den Wolken – 5 €"
	wide := func(big bool) string {
		var b []byte
		for _, u := range utf16.Encode([]rune(page)) {
			if big {
				b = append(b, byte(u>>8), byte(u))
			} else {
				b = append(b, byte(u), byte(u>>8))
			}
		}
		return string(b)
	}
	for _, c := range []struct{ name, body, contentType, want string }{
		{"utf-8", page, "text/html", "Über den Wolken – 5 €"},
		{"utf-8 with mark", "\ufeff" + page, "text/html; charset=latin1", "Über den Wolken – 5 €"},
		{"utf-16 little end with mark", "\xff\xfe" + wide(false), "text/html", "Über den Wolken – 5 €"},
		{"utf-16 big end with mark", "\xfe\xff" + wide(true), "text/html", "Über den Wolken – 5 €"},
		{"utf-16 little end without mark", wide(false), "text/html", "Über den Wolken – 5 €"},
		{"utf-16 big end without mark", wide(true), "text/html; charset=utf-8", "Über den Wolken – 5 €"},
		{"windows-1252 declared as utf-8", "<p>\xdcber den Wolken \x96 5 \x80", "text/html; charset=utf-8",
			"Über den Wolken – 5 €"},
		{"windows-1252 not declared", "<p>\xdcber den Wolken \x96 5 \x80", "text/html", "Über den Wolken – 5 €"},
		{"declared in the document", "<meta charset=koi8-r><p>\xf0\xd2\xc9\xd7\xc5\xd4", "text/html", "Привет"},
		{"shift_jis in the header", "<p>\x82\xb1\x82\xf1", "text/html; charset=Shift_JIS", "こん"},
		{"unknown charset", "<p>Über", "text/html; charset=nonsense", "Über"},
		{"utf-8 said to be latin1", "<p>Über – 日本", "text/html; charset=iso-8859-1", "Über – 日本"},
		{"utf-8 said to be gbk in the document", "<meta charset=gbk><p>Über – 日本 论坛", "text/html", "Über – 日本 论坛"},
		{"utf-8 with a bad byte said to be shift_jis", "<meta charset=shift_jis><p>Über – 日本 论坛<p>за\x80 мир",
			"text/html", "Über – 日本 论坛\nза\ufffd мир"},
		{"parts in utf-8 and windows-1252", "<meta charset=utf-8><p>Über – 日本 论坛<p>Gr\xfc\xdfe", "text/html",
			"Über – 日本 论坛\nGrüße"},
		{"gb18030 said to be gbk", "<p>\xc2\xdb\xcc\xb3 \x94\x39\xfc\x36", "text/html; charset=gbk", "论坛 😀"},
		{"windows-1251 undeclared", "<p>\xcf\xf0\xe8\xe2\xe5\xf2, \xec\xe8\xf0", "text/html", "Привет, мир"},
		{"zero bytes", "<p>a\x00b\x00", "text/html; charset=utf-8", "ab"},
		{"some bad bytes in utf-8", "<p>ü\xff", "text/html; charset=utf-8", "ü\ufffd"},
		{"lone surrogate", "<p>ü\xed\xa0\x80&#xd800;", "text/html; charset=utf-8", "ü\ufffd\ufffd"},
		{"overlong", "<p>ü\xc0\xaf", "text/html; charset=utf-8", "ü\ufffd"},
	} {
		t.Run(c.name, func(t *testing.T) {
			doc, err := Extract([]byte(c.body), c.contentType, "", tidings.PageOptions{}, Noise{}, Default())
			if got := strings.Join(doc.Lines, "\n"); err != nil || got != c.want {
				t.Errorf("got %q, want %q (%v)", got, c.want, err)
			}
		})
	}
}

// TestHostile26 is hostile 26 where pages are read: one line of 1 MB.
func TestHostile26(t *testing.T) {
	doc := read(t, "<p>"+strings.Repeat("word ", 1<<18), tidings.PageOptions{})
	for _, l := range doc.Lines {
		if len(l) > Default().MaxLine {
			t.Errorf("a line of %d bytes", len(l))
		}
	}
	if n := len(doc.Lines); n < 16 || n > 24 {
		t.Errorf("%d lines", n)
	}
}

// checkLines checks what the package promises of lines.
func checkLines(t *testing.T, doc Document) {
	t.Helper()
	c := Default()
	if len(doc.Lines) == 0 || len(doc.Lines) > c.MaxLines || lineBytes(doc.Lines) > c.MaxText {
		t.Fatalf("%d lines of %d bytes", len(doc.Lines), lineBytes(doc.Lines))
	}
	for _, l := range doc.Lines {
		if strings.TrimSpace(l) == "" || strings.TrimRight(l, " ") != l || len(l) > c.MaxLine || !utf8.ValidString(l) ||
			strings.ContainsFunc(l, unicode.IsControl) {
			t.Fatalf("line %q", l)
		}
	}
}

func FuzzExtract(f *testing.F) { fuzzExtract(f, tidings.PageOptions{}) }

func FuzzExtractWithOptions(f *testing.F) {
	fuzzExtract(f, tidings.PageOptions{Ignore: []string{".b", "[0-9]+"}, Keep: []string{"nav", "^Last"}})
}

func fuzzExtract(f *testing.F, o tidings.PageOptions) {
	seeds := [][2]string{
		{shop, "text/html"}, {`{"a":[1,{"b":2}]}`, "application/json"},
		{`{"b":{"d":[{}],"c":"x"},"a":[]}`, "text/plain"}, {"a\tb\r\n c", "text/plain"},
		{"<a><b/></a>", "application/xml"},
		{"<table><tr><td>a<td><table><tr><td>b", "text/html"}, {"<pre>a\n b<br>c</pre>", "text/html"},
		{"\xff\xfea\x00", "text/html; charset=utf-16"},
		{strings.Repeat("<div>", 60) + "x", "text/html"}, {"<p>Last updated:<p>3 May 2024 12:00", ""},
	}
	if len(seeds) < 9 {
		f.Fatal("the seeds are gone")
	}
	for _, s := range seeds {
		f.Add(s[0], s[1])
	}
	const most = 16 << 10 // bytes: larger documents find nothing that smaller ones do not, and are slow
	f.Fuzz(func(t *testing.T, body, contentType string) {
		if len(body) > most {
			t.Skip()
		}
		doc, err := Extract([]byte(body), contentType, "https://example.org/", o, Noise{}, Default())
		if err != nil {
			return
		}
		checkLines(t, doc)
		if crc32.ChecksumIEEE([]byte(body))%8 != 0 {
			return
		}
		again, err := Extract([]byte(body), contentType, "https://example.org/", o, Noise{}, Default())
		if err != nil || !slices.Equal(doc.Lines, again.Lines) {
			t.Fatal("the same document gives other lines")
		}
	})
}
