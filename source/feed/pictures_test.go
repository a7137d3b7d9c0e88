package feed

import "testing"

// Pictures that scripts of a page would put in place are shown, each once, and nothing in their stead.
func TestLazyPictures(t *testing.T) {
	const dir = "https://origin.example/dir/"
	img := func(name string) string { return `<img src="` + dir + name + `">` }
	for _, c := range []struct{ src, want string }{
		{`<img src="loading.gif" data-src="a.jpg" class="lazy">`, img("a.jpg")},
		{`<img data-srcset="a.jpg 600w, b.jpg 1200w">`, img("a.jpg")},
		{`<img srcset="a.jpg 100w, b.jpg 1200w">`, img("b.jpg")},
		{`<img src="data:image/gif;base64,R0=" data-lazy-src="a.jpg"><noscript><img src="a.jpg"></noscript>`,
			img("a.jpg")},
		{`<img data-original="a.jpg" src="spacer.png">`, img("a.jpg")},
		{`<img src="data:image/gif;base64,R0="> <noscript> <img src="a.jpg"> </noscript>x`, img("a.jpg") + "x"},
		{`<img class="Lazyload" src="spacer.png"><noscript><img class="lazy" src="a.jpg"></noscript><p>b</p>`,
			img("a.jpg") + "<p>b</p>"},
		{`<img class="lazy" src="a.jpg"> <p>b</p>`, img("a.jpg") + " <p>b</p>"},
		{`<img class="lazy" src="a.jpg"><noscript></noscript>`, img("a.jpg")},
		{`<img class="lazy" src="a.jpg"><noscript><p>c</p></noscript>`, img("a.jpg")},
		{`<img class="lazy" src="a.jpg"><noscript>`, img("a.jpg")},
		{`<picture><source data-srcset="a.jpg 1x"><source srcset="b.jpg"><img src="data:image/gif,x"></picture>`,
			`<picture><source src="` + dir + `a.jpg"><source src="` + dir + `b.jpg">` + img("a.jpg") + "</picture>"},
		{`<img data-lazy="true" src="a.jpg">`, img("a.jpg")},
		{`<iframe src="about:blank" data-src="https://v.example/1"></iframe>`,
			`<p><a href="https://v.example/1" rel="noopener noreferrer">v.example/1</a></p>`},
		{`<video data-src="a.mp4"></video>`, `<video src="` + dir + `a.mp4" controls="controls"></video>`},

		// What a picture must not be, it is not by any of these ways.
		{`<img data-src="javascript:alert(1)" src="a.jpg">`, img("a.jpg")},
		{`<img data-src="javascript:alert(1)" srcset="data:text/html,x 1x">`, ``},
		{`<img data-src="https://me:secret@x.example/a.jpg">`, `<img src="https://x.example/a.jpg">`},
		{`<img data-src='a.jpg" onerror="alert(1)'>`, img("a.jpg%22%20onerror=%22alert%281%29")},
		{`<noscript><img src="https://count.example/p"></noscript>`, ``}, // a counter of readers, as far as is known
		{`<img src="a.jpg"><noscript><img src="https://count.example/p"></noscript>`, img("a.jpg")},
		{`<img class=lazy><noscript><img src="https://stats.wordpress.com/g.gif?x"></noscript>`, ``},
		{`<img class=lazy><noscript><img width=1 height=1 src="b.gif"></noscript>`, ``},
		{`<img class=lazy><noscript><script>alert(1)</script><img src=x onerror=alert(1)></noscript>`, img("x")},
		{`<img class=lazy><noscript></noscript><noscript><img src="b.gif"></noscript>`, ``},
		{`<img data-src="https://pixel.wp.com/a.jpg" src="a.jpg">`, ``},
	} {
		got := rendered(c.src)
		checkSafe(t, c.src, got)
		if got != c.want {
			t.Errorf("%s\ngot  %s\nwant %s", c.src, got, c.want)
		}
	}
}
