package page

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"tidings"
)

// read extracts an HTML fragment with the defaults.
func read(t testing.TB, html string, o tidings.PageOptions) Document {
	t.Helper()
	doc, err := Extract([]byte(html), "text/html; charset=utf-8", "https://example.org/a/b", o, Noise{}, Default())
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func TestLines(t *testing.T) {
	for _, c := range []struct{ name, html, want string }{
		{"blocks", `<h1>A  <b>b</b></h1><p>one
			two<p>three<div>four<div>five</div>six</div>`, "# A b\none two\nthree\nfour\nfive\nsix"},
		{"inline runs together", `<p><span>a</span><span>b</span> c`, "ab c"},
		{"list", `<ul><li>a<li><p>b</p><p>c</p><li><ul><li>d</ul></ul><ol><li>e</ol>`, "- a\n- b\nc\n- d\n- e"},
		{"empty item leaves no mark", `<ul><li></li></ul><p>x`, "x"},
		{"headings", `<h2>b</h2><h6>f</h6>`, "## b\n###### f"},
		{"table", `<table><caption>T</caption><tr><th>Name</th><th>Price</th></tr><tr><td>Tea<br>green</td><td><p>2.50</p></td></tr><tr><td></td><td></td></tr></table>`,
			"T\nName | Price\nTea green | 2.50"},
		{"layout table", `<table><tr><td><h2>News</h2><p>a</td><td><p>b</td></tr></table>`, "## News\na\nb"},
		{"preformatted", "<pre>\nfunc f() {\n\treturn  1\n}\n\n\n</pre>", "func f() {\n    return  1\n}"},
		{"breaks", `a<br>b<br/>c<hr>d`, "a\nb\nc\nd"},
		{"definitions", `<dl><dt>a<dd>b</dl>`, "a\nb"},
		{"image", `<p>see <img src=x alt="the plan"><img src=y alt="">`, "see [the plan]"},
		{"address of a link is no text", `<a href="/x?sid=1">Download</a>`, "Download"},
		{"never", `<script>a</script><style>b</style><!-- c --><template>d</template><noscript>e</noscript><svg><text>f</text></svg><p>x`, "x"},
		{"forms", `<form>Search <input type=hidden name=csrf value=123><select><option>a</select><button>Go</button></form>`, "Search"},
		{"button that opens a section", `<h3><button>Can I pay?</button></h3><p>Yes.`, "### Can I pay?\nYes."},
		{"hidden", `<p hidden>a<p style="color:red; DISPLAY : none">b<p aria-hidden=true>c<dialog>d</dialog><p style="visibility:hidden">e<p style="display:block">f`, "f"},
		{"closed details are content", `<details><summary>Q</summary>A</details>`, "Q\nA"},
		{"navigation", `<nav><a>Home</a></nav><div role=navigation>x</div><ul class="main-nav"><li>y</ul><div class="breadcrumb">z</div><main>text</main>`, "text"},
		{"frame of the site", `<header><a>Logo</a></header><main><p>text</main><footer>imprint</footer>`, "text"},
		{"header of an article",
			`<article><header><h2>Title</h2><p>3 May 2020</header><p>text<footer>by Ann</footer></article>`,
			"## Title\n3 May 2020\ntext\nby Ann"},
		{"header with the title of the page",
			`<header><h1>Title</h1></header><div role=contentinfo><h1>Other</h1></div><p>text`,
			"# Title\n# Other\ntext"},
		{"cookie banner", `<p>text<div id="cookie-banner">We use cookies</div><div class="cookieConsent">OK?</div><div id=onetrust-banner-sdk>x</div>`, "text"},
		{"advertisements", `<p>text<div class="top-ad">a</div><div id=adSlot3>b</div><ins class=adsbygoogle>c</ins><div aria-label=Advertisement>d</div><div class="sponsored">e</div>`, "text"},
		{"names that are none", `<div class="header">a</div><div class="download-box">b</div><div class="shadow">c</div><div class="gradient roadmap">d</div><p class="share-price">e<p class="menu-card">f<div class="post-footer">g</div>`,
			"a\nb\nc\nd\ne\nf\ng"},
		{"a name is not believed of most of the page", `<div class="navigation-demo"><p>` +
			strings.Repeat("all of the text ", 20) + `</div><p>end`,
			strings.TrimSpace(strings.Repeat("all of the text ", 20)) + "\nend"},
		{"nothing but navigation", `<nav><a>Home</a> <a>News</a></nav>`, "Home News"},
		{"direction and invisible marks", "<p>a\u202eb\u200b\u00adc\u0007\u0000d\ufeff \u2028 e\u200df",
			"abcd e\u200df"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := strings.Join(read(t, c.html, tidings.PageOptions{}).Lines, "\n"); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

func TestHead(t *testing.T) {
	doc := read(t, `<title> The
		page </title><link rel=canonical href="../c?x=1#y"><p>a`, tidings.PageOptions{})
	if doc.Title != "The page" || doc.Canonical != "https://example.org/c?x=1" {
		t.Errorf("title %q, canonical %q", doc.Title, doc.Canonical)
	}
	doc = read(t,
		`<link rel=canonical href="javascript:x"><link rel=canonical href="https://u:p@example.org/"><h1>Heading</h1>`,
		tidings.PageOptions{})
	if doc.Title != "Heading" || doc.Canonical != "" {
		t.Errorf("title %q, canonical %q", doc.Title, doc.Canonical)
	}
	for text, want := range map[string]string{
		`<meta property="og:title" content="Shared &amp; named"><h1>Heading</h1>x`:                           "Shared & named",
		`<meta property="og:title" content="Shared"><title>Own</title><h1>Heading</h1>x`:                     "Own",
		`<meta property="og:title" content=" "><meta property="og:title" content="Second"><h1>Heading</h1>x`: "Second",
		`<meta name="twitter:title" content="Other"><h1>Heading</h1>x`:                                       "Heading",
		`<svg><title>Drawing</title></svg><meta property="OG:Title" content="Shared">x`:                      "Shared",
	} {
		if got := read(t, text, tidings.PageOptions{}).Title; got != want {
			t.Errorf("%s: title %q, want %q", text, got, want)
		}
	}
	if n := utf8.RuneCountInString(read(t, "<title>"+strings.Repeat("ü", 1<<20)+"</title>x",
		tidings.PageOptions{}).Title); n > maxTitle+1 {
		t.Errorf("a title of %d characters", n)
	}
}

func TestOtherDocuments(t *testing.T) {
	for _, c := range []struct{ name, body, contentType, want string }{
		{"plain text", "a\r\n  b \r\rc\td\n", "text/plain", "a\n  b\nc    d"},
		{"markdown", "# T\n\n- a", "text/markdown", "# T\n- a"},
		{"csv", "a,b\n1,2\n", "text/csv", "a,b\n1,2"},
		{"json", `{"a":[1,2,{"b":"x{"}],"c":{}}`, "application/json",
			"{\n  \"a\": [\n    1,\n    2,\n    {\n      \"b\": \"x{\"\n    }\n  ],\n  \"c\": {}\n}"},
		{"no json", "{oops", "application/json", "{oops"},
		{"xml", `<?xml version="1.0"?><a><b>x</b></a>`, "application/xml",
			"<?xml version=\"1.0\"?>\n<a>\n<b>x</b>\n</a>"},
		{"html without a type", "<!doctype html><p>a", "", "a"},
		{"html as text", "<html><p>a", "text/plain", "a"},
		{"html as something", "hello <p>a</p>", "application/octet-stream", "hello\na"},
	} {
		t.Run(c.name, func(t *testing.T) {
			doc, err := Extract([]byte(c.body), c.contentType, "", tidings.PageOptions{}, Noise{}, Default())
			if got := strings.Join(doc.Lines, "\n"); err != nil || got != c.want {
				t.Errorf("got\n%s\nwant\n%s\n%v", got, c.want, err)
			}
		})
	}
}

func TestNoDocument(t *testing.T) {
	for _, c := range []struct {
		name, body, contentType string
		o                       tidings.PageOptions
		want                    error
	}{
		{"empty (hostile 8)", "", "text/html", tidings.PageOptions{}, ErrEmpty},
		{"blank", " \n\t ", "text/html", tidings.PageOptions{}, ErrEmpty},
		{"no text", "<html><body><img src=x></body></html>", "text/html", tidings.PageOptions{}, ErrEmpty},
		{"all ignored", "<p>a", "text/html", tidings.PageOptions{Ignore: []string{"p"}}, ErrEmpty},
		{"png", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "text/html", tidings.PageOptions{}, ErrNotText},
		{"pdf", "%PDF-1.7\n", "application/pdf", tidings.PageOptions{}, ErrNotText},
		{"zip", "PK\x03\x04\x00\x00", "application/zip", tidings.PageOptions{}, ErrNotText},
		{"binary", "\x00\x01\x02\x03\xff\xfe", "application/octet-stream", tidings.PageOptions{}, ErrNotText},
		{"select matches nothing", "<p>a", "text/html", tidings.PageOptions{Select: []string{"#prices"}}, ErrNoMatch},
		{"select in a text", "a", "text/plain", tidings.PageOptions{Select: []string{"p"}}, ErrNoMatch},
		{"bad option", "<p>a", "text/html", tidings.PageOptions{Select: []string{"p["}}, tidings.ErrInvalid},
	} {
		t.Run(c.name, func(t *testing.T) {
			doc, err := Extract([]byte(c.body), c.contentType, "", c.o, Noise{}, Default())
			if !errors.Is(err, c.want) || doc.Lines != nil {
				t.Errorf("got %q, %v; want %v", doc.Lines, err, c.want)
			}
		})
	}
}

func TestLimits(t *testing.T) {
	c := Config{MaxLines: 3, MaxLine: 80, MaxText: 200, MinCore: 0.03}
	if err := c.Validate(); err != nil {
		t.Fatal(err)
	}
	doc, err := Extract([]byte("<p>a<p>b<p>c<p>d"), "text/html", "", tidings.PageOptions{}, Noise{}, c)
	if err != nil || len(doc.Lines) != 3 || len(doc.Notes) != 1 {
		t.Errorf("%q, notes %q, %v", doc.Lines, doc.Notes, err)
	}
	doc, err = Extract([]byte("<p>"+strings.Repeat("wörd ", 100)), "text/html", "", tidings.PageOptions{}, Noise{}, c)
	if err != nil || len(doc.Lines) != 2 {
		t.Errorf("%q, %v", doc.Lines, err)
	}
	for _, l := range doc.Lines {
		if len(l) > c.MaxLine || !utf8.ValidString(l) || strings.TrimSpace(l) != l {
			t.Errorf("line %q", l)
		}
	}
	for _, bad := range []Config{{}, {MaxLines: 1, MaxLine: 10, MaxText: 100}, {MaxLines: 1, MaxLine: 100, MaxText: 50},
		{MaxLines: 1, MaxLine: 100, MaxText: 100, MinCore: 2}} {
		if bad.Validate() == nil {
			t.Errorf("%+v is valid", bad)
		}
	}
	if err := Default().Validate(); err != nil {
		t.Error(err)
	}
}
