package article

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/encoding/charmap"

	"tidings/lab/cpu"
)

const (
	sentence = "The harbour was quiet, and the ferry came in an hour late, with nobody on it but the mate and the mail. "
	address  = "https://news.example/2026/ferry.html"
)

// sample returns a page as newspapers have them, with an article of n paragraphs.
func sample(n int, inside string) string {
	var b strings.Builder
	b.WriteString(`<!DOCTYPE html><html lang="en"><head><title>The late ferry | News</title><meta property="og:title" content="The late ferry">
<meta name="author" content="A. Mate"></head><body><nav><ul><li><a href="/">Home</a></li><li><a href="/sport">Sport</a></li></ul></nav>
<main><article><h1>The late ferry</h1>`)
	for i := range n {
		fmt.Fprintf(&b, "<p>Paragraph %d. %s%s</p>\n", i+1, sentence, sentence)
	}
	b.WriteString(inside + `</article></main><aside class="sidebar ad"><p>Buy now, pay never.</p></aside>
<div id="comments" class="comments"><p>First!</p></div><footer>All rights reserved</footer></body></html>`)
	return b.String()
}

// The article remains with absolute addresses, and nothing of what stands around it or runs.
func TestExtract(t *testing.T) {
	page := sample(6, `<figure><img src="data:image/gif;base64,R0lGOD" data-src="/img/ferry.jpg" alt="The ferry" onerror="steal()"></figure>
<p>See <a href="../2025/older.html" onclick="x()">what was before</a>, and <a href="javascript:steal()">this</a>. `+sentence+`</p><script>steal()</script><iframe src="https://x.example"></iframe>`)
	a, err := Extract([]byte(page), "text/html; charset=utf-8", address)
	if err != nil {
		t.Fatal(err)
	}
	if a.Title != "The late ferry" || a.Author != "A. Mate" {
		t.Errorf("title %q, author %q", a.Title, a.Author)
	}
	for _, want := range []string{"Paragraph 1.", "Paragraph 6.", `src="https://news.example/img/ferry.jpg"`,
		`href="https://news.example/2025/older.html"`} {
		if !strings.Contains(a.Content, want) {
			t.Errorf("the article lacks %s:\n%s", want, a.Content)
		}
	}
	for _, wrong := range []string{"Sport", "pay never", "First!", "All rights", "steal", "<iframe", "<script",
		"onclick", "data:"} {
		if strings.Contains(a.Content, wrong) {
			t.Errorf("the article has %s:\n%s", wrong, a.Content)
		}
	}
	if a.Letters < 1000 || a.Letters != Letters(a.Content) {
		t.Errorf("%d letters", a.Letters)
	}
}

// A page in another encoding, declared or not, is read as it was written.
func TestExtractDecodes(t *testing.T) {
	page := sample(5, "<p>Der Fährmann grüßte höflich. "+sentence+"</p>")
	latin, err := charmap.ISO8859_1.NewEncoder().Bytes([]byte(page))
	if err != nil {
		t.Fatal(err)
	}
	declared := bytes.Replace(latin, []byte("<head>"), []byte(`<head><meta charset="iso-8859-1">`), 1)
	for name, test := range map[string]struct {
		doc  []byte
		kind string
	}{
		"by the server":      {latin, "text/html; charset=ISO-8859-1"},
		"by the page":        {declared, "text/html"},
		"by the server, UTF": {[]byte(page), "text/html; charset=iso-8859-1"},
		"by nobody":          {latin, ""},
	} {
		if a, err := Extract(test.doc, test.kind, address); err != nil ||
			!strings.Contains(a.Content, "Fährmann grüßte höflich") {
			t.Errorf("%s: %v\n%s", name, err, a.Content)
		}
	}
}

// A base element says to what addresses are relative; one that leads nowhere counts for nothing.
func TestExtractFollowsBase(t *testing.T) {
	for base, want := range map[string]string{
		`/deep/dir/`:            "https://news.example/deep/dir/x",
		`https://cdn.example/a`: "https://cdn.example/x",
		`javascript:alert(1)`:   "https://news.example/2026/x",
		`%zz`:                   "https://news.example/2026/x",
	} {
		page := strings.Replace(sample(5, `<p><a href="x">More</a> `+sentence+`</p>`), "<head>", `<head><base href="`+
			base+`">`, 1)
		if a, err := Extract([]byte(page), "text/html", address); err != nil ||
			!strings.Contains(a.Content, `href="`+want+`"`) {
			t.Errorf("%s: %v\n%s", base, err, a.Content)
		}
	}
}

// What has no article is refused for a reason.
func TestExtractRefuses(t *testing.T) {
	wall := `<!DOCTYPE html><html><body><form><p>Please sign in to continue reading.</p><input name="user"></form></body></html>`
	for name, test := range map[string]struct {
		doc, kind string
		want      error
	}{
		"a wall": {wall, "text/html", ErrNone},
		"a page of scripts": {"<html><body><div id=root></div><script>" + strings.Repeat("x()\n", 1000) +
			"</script></body></html>", "text/html", ErrNone},
		"nothing":           {"", "text/html", ErrNone},
		"a picture":         {"\x89PNG\r\n\x1a\n<html>", "image/png", ErrKind},
		"a feed":            {`<?xml version="1.0"?><rss version="2.0"/>`, "application/rss+xml", ErrKind},
		"text":              {sentence, "text/plain", ErrKind},
		"too many bytes":    {strings.Repeat(" ", MaxBytes+1), "text/html", ErrLarge},
		"too many elements": {sample(5, strings.Repeat("<p>x</p>", MaxElements)), "text/html", ErrLarge},
		"too long an article": {sample(5, "<p>"+strings.Repeat(sentence, MaxContent/len(sentence)+1)+"</p>"),
			"text/html", ErrLarge},
	} {
		if a, err := Extract([]byte(test.doc), test.kind, address); !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v; %d letters", name, err, test.want, a.Letters)
		}
	}
}

// hostilePages are made to need much time or memory.
func hostilePages() map[string]string {
	return map[string]string{
		"nested":            strings.Repeat("<div>", MaxBytes/5-100),
		"nested with text":  strings.Repeat("<div>"+sentence, 18_000),
		"nested formatting": strings.Repeat("<b><i><p>", 5_000) + sentence,
		"unclosed tables":   strings.Repeat("<table><tr><td>a", 5_000),
		"side by side":      sample(1, strings.Repeat("<div><p>"+sentence+"</p></div>", 9_000)),
		"links":             sample(1, strings.Repeat(`<a href="/x">`+sentence+`</a>`, 19_000)),
		"breaks":            sample(1, strings.Repeat("a<br><br>", 9_000)),
		"attributes":        "<div " + strings.Repeat("a=b ", 400_000) + ">" + sentence,
		"one class":         `<div class="` + strings.Repeat("comment ", 400_000) + `">` + sentence,
		"metadata": "<html><head>" + strings.Repeat(`<meta property="og:title" content="x">`, 15_000) +
			"</head>" + sample(3, ""),
		"linked data": `<script type="application/ld+json">` + strings.Repeat(`{"@graph":[`, 200_000) +
			`</script>` + sample(3, ""),
		"pictures": sample(1,
			strings.Repeat(`<img data-src="/a.jpg" srcset="`+strings.Repeat("/b.jpg 1w,", 20)+`">`, 10_000)),
		"hidden pictures":      sample(1, strings.Repeat(`<noscript><img src="/a.jpg"></noscript>`, 9_000)),
		"lists":                strings.Repeat("<ul><li>", 240) + strings.Repeat("<li>"+sentence, 15_000),
		"commas":               "<p>" + strings.Repeat(",", 900_000) + "</p>",
		"a title":              "<title>" + strings.Repeat("a | b - c » ", 80_000) + "</title>" + sample(3, ""),
		"characters that turn": sample(3, strings.Repeat("&#x202e;<p>\u202e"+sentence+"</p>", 2_000)),
	}
}

// Hostile pages cost seconds at most, whatever comes of them.
func TestHostilePagesAreBounded(t *testing.T) {
	for name, doc := range hostilePages() {
		begun := cpu.Time()
		a, err := Extract([]byte(doc[:min(len(doc), MaxBytes)]), "text/html", address)
		took := cpu.Time() - begun
		t.Logf("%s: %v, %d bytes, %d letters, %v", name, took.Round(time.Millisecond), len(doc), a.Letters, err)
		if took > 20*time.Second { // about a hundred times what it needs
			t.Errorf("%s took %v", name, took)
		}
		if len(a.Content) > MaxContent {
			t.Errorf("%s: %d bytes", name, len(a.Content))
		}
	}
}

// FuzzExtract: whatever a page is, the article is clean, bounded and long enough, or there is an error.
func FuzzExtract(f *testing.F) {
	f.Add([]byte(sample(6, "")), "text/html; charset=utf-8")
	f.Add([]byte(sample(2, `<p><img data-src="//x/y"><table><td><a href=" x">`)), "")
	f.Add([]byte("<html><body><p>"+strings.Repeat(sentence, 9)), "text/plain")
	f.Add([]byte("\xff\xfe<\x00h\x00t\x00m\x00l\x00>\x00"), "text/html; charset=utf-16")
	f.Fuzz(func(t *testing.T, doc []byte, kind string) {
		a, err := Extract(doc, kind, address)
		if err != nil {
			if a != (Article{}) {
				t.Errorf("an error, and %+v", a)
			}
			return
		}
		if a.Letters < minLetters || len(a.Content) > MaxContent || strings.Contains(a.Title+a.Author, "\n") {
			t.Errorf("%+v", a)
		}
		for _, wrong := range []string{"<script", "<style", "<form", "<iframe"} {
			if strings.Contains(strings.ToLower(a.Content), wrong) {
				t.Errorf("%s stays in %s", wrong, a.Content)
			}
		}
	})
}
