package web

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"tidings"
	"tidings/delivery/web/wording"
	"tidings/lab/cost"
	"tidings/lab/cpu"
	"tidings/markup"
)

func TestContent(t *testing.T) {
	for in, want := range map[string]string{
		`<p onclick="x()" style="color:red" class="a" id="b">Hi</p>`: `<p>Hi</p>`, `<a href="https://x.example/a?b&amp;c">go</a>`: `<a href="https://x.example/a?b&amp;c" rel="noopener noreferrer nofollow" target="_blank">go</a>`,
		`<a href="javascript:alert(1)">go</a>`: `go`, `<a href="https://x.example/"></a>`: `<a href="https://x.example/" rel="noopener noreferrer nofollow" target="_blank">x.example</a>`,
		`<h2><a href="https://x.example/p#t"></a>Title</h2>`: `<h2>Title</h2>`,
		`<h2><a href="https://x.example/p"> </a>Title</h2>`:  `<h2>Title</h2>`,
		`<p><a href="https://x.example/p#t"></a>text</p>`:    `<p>text</p>`, `<h2><a href="https://x.example/p#t">Title</a></h2>`: `<h2><a href="https://x.example/p#t" rel="noopener noreferrer nofollow" target="_blank">Title</a></h2>`,
		`a <script>b</script><style>c</style><svg>d</svg> e`:    `a  e`,
		`<form action=/x><input><button>b</button></form>after`: `after`,
		`</div></main>out`: `out`,
		`<p>open <b>ended`: `<p>open <b>ended</b></p>`, `<img src="https://x.example/p.png" alt="A cat">`: `<a href="https://x.example/p.png" class="media" rel="noopener noreferrer nofollow" target="_blank">Picture: A cat (x.example)</a>`,
		`<img src="data:image/png;base64,AAAA" alt="dot">`:                           `<span class="media">Picture: dot</span>`,
		`<video><source src="https://x.example/v"></video>`:                          `<a href="https://x.example/v" class="media" rel="noopener noreferrer nofollow" target="_blank">Video (x.example)</a>`,
		`<a href="https://y.example/"><img src="https://x.example/p" alt="Cat"></a>`: `<a href="https://y.example/" rel="noopener noreferrer nofollow" target="_blank"><span class="media">Picture: Cat (x.example)</span></a>`,
		`<h1>One</h1><h4>Two</h4><h1>Three</h1><h2> </h2>`:                           `<h2>One</h2><h3>Two</h3><h2>Three</h2> `,
		`<ul>text<li>a</li><p>b</p></ul><li>c</li>`:                                  `<ul><li>text</li><li>a</li><li><p>b</p></li></ul><div>c</div>`,
		`<ol start=3><li>a</li></ol><ol start=x></ol>`:                               `<ol start="3"><li>a</li></ol><ol></ol>`,
		`<dl><dt>a</dt><dd>b</dd></dl>`:                                              `<div><div class="term">a</div><div class="meaning">b</div></div>`,
		`<table><tr><th></th><td colspan=2 rowspan=9999>x</td></tr></table>`:         `<div class="wide" tabindex="0" role="group" aria-label="Table"><table><tbody><tr><td></td><td colspan="2">x</td></tr></tbody></table></div>`,
		"\u202eturned":              "turned",
		`<bdo dir=rtl>turned</bdo>`: `turned`, `<article><nav>a</nav></article><ruby lang=ja>b<rt>c</rt></ruby>`: `<div><div>a</div></div><ruby lang="ja">b<rt>c</rt></ruby>`,
		`<picture><source src="https://x.example/s"><img src="https://x.example/p" alt=Cat></picture>`: `<a href="https://x.example/p" class="media" rel="noopener noreferrer nofollow" target="_blank">Picture: Cat (x.example)</a>`,
		`1 &lt; 2 &amp; 3`: `1 &lt; 2 &amp; 3`,
	} {
		if got := string(content(in, 1, nil, nil)); got != want {
			t.Errorf("content(%s)\n got %s\nwant %s", in, got, want)
		}
	}
}

// Documents too deep for the parser, or too large, are shown as text and cost little.
func TestContentTooMuch(t *testing.T) {
	start := cpu.Time()
	deep := strings.Repeat("<div>", 200_000) + "deep <b>text"
	if got := string(content(deep, 1, nil, nil)); got != "<p>deep text</p>" {
		t.Errorf("200,000 nested elements: %.100q", got)
	}
	if got := string(content(strings.Repeat("<p>large</p>", maxContent/10), 1, nil, nil)); !strings.HasPrefix(got,
		"<p>large large") || len(got) > 200_000 {
		t.Errorf("%d bytes: %.50q", len(got), got)
	}
	if d := cpu.Time() - start; d > 5*time.Second && !cost.RaceDetector() {
		t.Errorf("it took %v", d)
	}
}

// mayStand are the elements that the page may hold, with those that a parser adds.
const mayStand = " html head body a abbr address b bdi big blockquote br caption center cite code colgroup dd del details dfn div em figcaption figure" +
	" h1 h2 h3 h4 h5 h6 hr i ins kbd li mark ol p pre q rp rt ruby s samp small span strike strong sub summary sup table tbody td tfoot th thead time tr" +
	" tt u ul var wbr "

// hostile 21: whatever comes in, what goes out holds only what may be there.
func FuzzContent(f *testing.F) {
	seeds := []string{fmt.Sprintf(hostileMarkup+hostileRefresh, "https://other.example"), article,
		"<svg><style><img src=x onerror=1>",
		"<math><mi><table><mglyph><style><!--</style><img title=\"--&gt;&lt;img src=1 onerror=alert(1)&gt;\">",
		"<noscript><p title=\"</noscript><img src=x onerror=1>\">", "<a href=\"java\tscript:1\">", "<table><a><tr><a>",
		strings.Repeat("<p><b><i><font>", 60)}
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		mayOnlyHold(t, string(content(text, 1, nil, nil)), mayStand)
		mayOnlyHold(t, string(content(text, 1, squares{}, nil)), mayStand+"img ")
		markup.Text(text, 1000)
	})
}

// squares shows pictures that are all of one size.
type squares struct{}

func (squares) Path(address string) string  { return "/media/" + url.PathEscape(address) }
func (squares) Icon(tidings.Channel) string { return "" }
func (squares) Size(address string) (width, height int) {
	if strings.Contains(address, "known") {
		return 30, 30
	}
	return 0, 0
}

// Pictures are shown by way of the node, with their sizes if known. Pictures that only count readers are not shown.
func TestContentWithPictures(t *testing.T) {
	const original = `class="picture" rel="noopener noreferrer nofollow" target="_blank">`
	shown := func(name, alt, size string) string {
		return `<img src="/media/https:%2F%2Fx.example%2F` + name + `" alt="` + alt + `"` + size +
			` loading="lazy" decoding="async">`
	}
	linked := func(name, alt, size string) string {
		return `<a href="https://x.example/` + name + `" ` + original + shown(name, alt, size) + `</a>`
	}
	for in, want := range map[string]string{
		`<img src="https://x.example/p" alt="A <cat>">`: linked("p", "A &lt;cat&gt;", ""),
		`<img src="https://x.example/p" title="Cat" width="40" height="20">`: linked("p", "Cat",
			` width="40" height="20"`),
		`<img src="https://x.example/known" width="40" height="20">`: linked("known", "",
			` width="30" height="30"`),
		`<img src="https://x.example/p" width="100%" height="20">`:                   linked("p", "", ""),
		`<img src="https://x.example/p" width="40">`:                                 linked("p", "", ""),
		`<img src="https://x.example/p" width="900000" height="20">`:                 linked("p", "", ""),
		`<a href="https://y.example/"><img src="https://x.example/p" alt="Cat"></a>`: `<a href="https://y.example/" rel="noopener noreferrer nofollow" target="_blank">` + shown("p", "Cat", "") + `</a>`,
		`a<img src="https://x.example/p" width="1" height="1">b`:                     "ab",
		`a<img src="https://x.example/p" width="0" height="0">b`:                     "ab",
		`a<img src="https://x.example/p" width="0">b`:                                "ab",
		`a<img src="https://x.example/p" width="1" height="30">b`: "a" +
			linked("p", "", ` width="1" height="30"`) + "b",
		`a<img src="https://x.example/p" height="1">b`: "ab", `a<img src="data:image/png;base64,AAAA" alt="dot">b`: `a<span class="media">Picture: dot</span>b`,
		`a<img src="data:image/png;base64,AAAA">b`: "ab", `<video poster="https://x.example/p" src="https://x.example/v"></video>`: `<a href="https://x.example/v" class="media" rel="noopener noreferrer nofollow" target="_blank">Video (x.example)</a>`,
	} {
		if got := string(content(in, 1, squares{}, nil)); got != want {
			t.Errorf("content(%s)\n got %s\nwant %s", in, got, want)
		}
	}
}

// mayOnlyHold fails the test if markup holds another element or attribute than may stand.
func mayOnlyHold(t *testing.T, out, elements string) {
	t.Helper()
	for n := range mustParse(t, out).Descendants() {
		if n.Type == html.CommentNode || n.Namespace != "" {
			t.Fatalf("%q in %q", n.Data, out)
		}
		if n.Type != html.ElementNode {
			continue
		}
		if !strings.Contains(elements, " "+n.Data+" ") {
			t.Fatalf("<%s> in %q", n.Data, out)
		}
		for _, a := range n.Attr {
			switch a.Key {
			case "href":
				if !strings.HasPrefix(a.Val, "http://") && !strings.HasPrefix(a.Val, "https://") {
					t.Fatalf("href %q", a.Val)
				}
			case "rel", "target", "class", "start", "value", "colspan", "rowspan", "tabindex", "role", "aria-label",
				"dir", "lang", "title", "datetime":
			case "cite":
				if u, err := url.Parse(a.Val); err != nil || u.Scheme != "http" && u.Scheme != "https" &&
					u.Scheme != "mailto" {
					t.Fatalf("cite %q", a.Val)
				}
			case "src":
				if n.Data != "img" || !strings.HasPrefix(a.Val, "/media/") {
					t.Fatalf("<%s src=%q>", n.Data, a.Val)
				}
			case "alt", "width", "height", "loading", "decoding":
				if n.Data != "img" {
					t.Fatalf("<%s %s=%q>", n.Data, a.Key, a.Val)
				}
			default:
				t.Fatalf("<%s %s=%q>", n.Data, a.Key, a.Val)
			}
		}
	}
}

func mustParse(t *testing.T, s string) *html.Node {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(s))
	if err != nil {
		t.Skip(err) // deeper than the parser likes
	}
	return doc
}

func TestTextOf(t *testing.T) {
	for in, want := range map[string]string{
		"<p>One</p><p>Two <b>three</b></p>":                                "One Two three",
		"a<script>b</script>c<style>d</style><svg><title>e</title></svg>f": "acf",
		"1 &lt; 2":             "1 < 2",
		"<br>x<input>y<meta>z": "xyz",
		"<p>no end <script> x": "no end",
	} {
		if got := wording.Plain(markup.Text(in, 1000), 1000); got != want {
			t.Errorf("markup.Text(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestTitleOf(t *testing.T) {
	page := func(v tidings.Version, delta string) tidings.Entry {
		return tidings.Entry{Kind: tidings.KindPage, Version: v, Delta: delta, Content: tidings.Item{Title: "Page"}}
	}
	for want, e := range map[string]tidings.Entry{
		"A title":            {Content: tidings.Item{Title: " A  title "}},
		"Only a summary":     {Content: tidings.Item{Summary: "<p>Only a summary</p>"}},
		"x.example":          {Content: tidings.Item{URL: "https://x.example/a"}},
		"Untitled":           {},
		"Now following Page": page(1, "0a1\n> x\n"),
		"Page":               page(2, "1c1\n< Old line\n---\n> \n> New line\n"),
		"My name": {Kind: tidings.KindPage, Version: 2, Label: "My name",
			Content: tidings.Item{Title: "Page"}},
		"y.example/prices": {Kind: tidings.KindPage, Version: 2, Label: "https://www.y.example/prices"},
	} {
		if got := titleOf(wording.Words{}, e); got != want {
			t.Errorf("titleOf(wording.Words{}, %+v) = %q, want %q", e, got, want)
		}
	}
}

func TestSummaryOf(t *testing.T) {
	page := func(v tidings.Version, delta string) tidings.Entry {
		return tidings.Entry{Kind: tidings.KindPage, Version: v, Delta: delta}
	}
	for want, e := range map[string]tidings.Entry{
		"2 lines to begin with": page(1, "0a1,2\n> x\n> y\n"),
		"New line":              page(2, "1c1\n< Old line\n---\n> \n> ## New line\n"),
		"Removed: Old line":     page(2, "1d0\n< - Old line\n"),
		"-5 degrees":            page(2, "1d0\n> -5 degrees\n"), // no sign of a list
		"":                      page(2, ""),
		"The beginning":         {Content: tidings.Item{Summary: "<p>The beginning</p>"}},
	} {
		if got := summaryOf(wording.Words{}, e); got != want {
			t.Errorf("summaryOf(%+v) = %q, want %q", e, got, want)
		}
	}
}

func TestTally(t *testing.T) {
	for _, c := range []struct {
		tally       tally
		short, long string
	}{
		{tally{1, 0}, "+1 line", "1 line added"}, {tally{0, 1}, "−1 line", "1 line removed"}, {tally{}, "", ""},
		{tally{1200, 1}, "+1,200 −1 lines", "1,200 lines added, 1 line removed"},
	} {
		if got := shortTally(wording.Words{}, c.tally); got != c.short {
			t.Errorf("%+v in short: %q", c.tally, got)
		}
		if got := tallyText(wording.Words{}, c.tally); got != c.long {
			t.Errorf("%+v: %q", c.tally, got)
		}
	}
}
