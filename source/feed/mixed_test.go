package feed

import (
	"strings"
	"testing"
)

// Where escaped HTML stands beside elements in one text, both are its markup. What is escaped within an element is
// what somebody says of tags.
func TestEscapedMarkupBesideElements(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`<p>Low at <b>six</b>.</p>&lt;p&gt;High at noon&lt;/p&gt;<hr/>`,
			`<p>Low at <b>six</b>.</p><p>High at noon</p><hr>`},
		{`&lt;p&gt;First &lt;b&gt;bold&lt;/b&gt;&lt;/p&gt;<br/>tail &lt;i&gt;x&lt;/i&gt;`,
			`<p>First <b>bold</b></p><br>tail <i>x</i>`},
		{`&lt;p&gt;First <b>bold</b> tail&lt;/p&gt;`, `<p>First <b>bold</b> tail</p>`},
		{`&#60;p&#62;a&#x3c;/p&#x3e;<b>c</b>`, `<p>a</p><b>c</b>`},
		{`&lt;div&gt;long&lt;/div&gt;<![CDATA[<p>cdata</p>]]><img src="https://x.example/x.png"/>`,
			`<div>long</div><p>cdata</p><img src="https://x.example/x.png">`},
		{`<div>&lt;p&gt;High&lt;/p&gt;</div>`, `<div><p>High</p></div>`},
		{`Tom &amp;amp; Jerry &lt;i&gt;x&lt;/i&gt; <b>bold</b>`, `Tom &amp; Jerry <i>x</i> <b>bold</b>`},

		{`Tom &amp; Jerry, 3 &lt; 4 <b>bold</b>`, `Tom &amp; Jerry, 3 &lt; 4 <b>bold</b>`},
		{`<p>Use <code>&lt;b&gt;x&lt;/b&gt;</code></p>`, `<p>Use <code>&lt;b&gt;x&lt;/b&gt;</code></p>`},
		{`<p>The &lt;b&gt;…&lt;/b&gt; tags</p> and <i>others</i>`,
			`<p>The &lt;b&gt;…&lt;/b&gt; tags</p> and <i>others</i>`},
		{`<b>Write</b> &lt;foo&gt;x&lt;/foo&gt;`, `<b>Write</b> &lt;foo&gt;x&lt;/foo&gt;`},
		{`See <b>this</b>: a &lt;div&gt; tag`, `See <b>this</b>: a &lt;div&gt; tag`},
		{`<div xmlns="http://www.w3.org/1999/xhtml">Use &lt;b&gt;x&lt;/b&gt; <i>y</i></div>`,
			`<div>Use &lt;b&gt;x&lt;/b&gt; <i>y</i></div>`},

		{`<b>a</b>&lt;script&gt;alert(1)&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;&lt;a href="javascript:alert(1)"&gt;x&lt;/a&gt;`,
			`<b>a</b><img src="https://origin.example/dir/x"><a rel="noopener noreferrer">x</a>`},
		{`<b>a</b>&lt;p&gt;&amp;lt;script&amp;gt;&lt;/p&gt;`, `<b>a</b><p>&lt;script&gt;</p>`},
	} {
		docs := map[string]string{
			"RSS":     rssDoc("<item><description>" + c.text + "</description></item>"),
			"content": rssDoc("<item><content:encoded>" + c.text + "</content:encoded></item>"),
			"Atom":    atomDoc(`<entry><id>1</id><content type="html">` + c.text + `</content></entry>`),
		}
		for name, doc := range docs {
			it := &mustParse(t, doc).Items[0]
			it.Render()
			if got := it.Summary + it.Content; got != c.want {
				t.Errorf("%s: %s\ngot  %s\nwant %s", name, c.text, got, c.want)
			}
		}
		it := &mustParse(t, atomDoc(`<entry><id>1</id><content type="xhtml">`+c.text+`</content></entry>`)).Items[0]
		it.Render()
		if strings.Contains(c.text, "CDATA") {
			continue
		}
		if got, want := strings.Count(it.Content, "&lt;"),
			strings.Count(c.text, "&lt;")+strings.Count(c.text, "&#60;")+strings.Count(c.text, "&#x3c;"); got < want {
			t.Errorf("XHTML: %s loses what it says of tags: %s", c.text, it.Content)
		}
	}
}
