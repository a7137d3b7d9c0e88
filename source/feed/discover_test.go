package feed

import (
	"reflect"
	"strings"
	"testing"

	"tidings"
)

func urls(choices []tidings.Choice) []string {
	var out []string
	for _, c := range choices {
		out = append(out, c.URL)
	}
	return out
}

func TestDiscover(t *testing.T) {
	for name, c := range map[string]struct {
		page string
		want []string
	}{
		"announced": {`<head><link rel="alternate" type="application/rss+xml" title="News" href="/rss"><link rel=alternate type=application/atom+xml href=atom.xml></head>`,
			[]string{"https://site.example/rss", "https://site.example/blog/atom.xml"}},
		"comments last": {`<link rel="alternate" type="application/rss+xml" href="/comments/feed/"><link rel="alternate" type="application/rss+xml" href="/feed/">`,
			[]string{"https://site.example/feed/", "https://site.example/comments/feed/"}},
		"JSON Feed": {`<link rel="alternate" type="application/feed+json" href="/feed.json">`,
			[]string{"https://site.example/feed.json"}},
		"not feeds": {`<link rel="alternate" type="application/json" href="/wp-json/wp/v2/posts/1"><link rel="alternate" type="application/json+oembed" href="/oembed?x">
			<link rel="alternate" hreflang="de" href="/de/"><link rel="alternate stylesheet" type="text/css" href="/x.css"><link rel="icon" href="/feed.png">`, nil},
		"base": {`<base href="https://cdn.example/x/"><link rel="alternate" type="application/rss+xml" href="rss">`,
			[]string{"https://cdn.example/x/rss"}},
		"several rels, capital letters, parameters": {`<LINK REL="Alternate Home" TYPE="Application/RSS+XML; charset=utf-8" HREF="/f">`, []string{"https://site.example/f"}},
		"plain links": {`<a href="/about">About</a><a href="https://other.example/feed">Other</a><a href="/index.xml">RSS</a><a href="/feed/">Feed</a>`,
			[]string{"https://site.example/index.xml", "https://site.example/feed/", "https://other.example/feed"}},
		"announced before plain": {`<a href="/x.rss">x</a><link rel="alternate" type="application/rss+xml" href="/y">`,
			[]string{"https://site.example/y", "https://site.example/x.rss"}},
		"twice, itself, unsafe": {`<link rel="alternate" type="application/rss+xml" href="/f"><link rel="alternate" type="application/atom+xml" href="/f#x">
			<link rel="alternate" type="application/rss+xml" href=""><link rel="alternate" type="application/rss+xml" href="https://site.example/blog/">
			<link rel="alternate" type="application/rss+xml" href="javascript:alert(1)"><link rel="alternate" type="application/rss+xml" href="https://u:p@site.example/f">`,
			[]string{"https://site.example/f"}},
		"feed scheme": {`<a href="feed://site.example/rss">RSS</a>`, []string{"http://site.example/rss"}},
		"broken": {`<link rel="alternate" type="application/rss+xml" href="/f" <a href=/x.atom>`,
			[]string{"https://site.example/f"}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := urls(Discover([]byte(c.page), "text/html", "https://site.example/blog/")); !reflect.DeepEqual(got,
				c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// Links in the header count as those of the page, and come after them; a <base> is none of theirs.
func TestDiscoverInTheHeader(t *testing.T) {
	const page = `<base href="https://cdn.example/x/"><link rel=alternate type=application/rss+xml href=own><a href=/plain.rss>RSS</a>`
	got := Discover([]byte(page), "text/html", "https://site.example/blog/",
		Link{"comments.xml", "alternate", "application/rss+xml", "Comments"},
		Link{"feed.atom", "Alternate home", "application/atom+xml; charset=utf-8", "News"},
		Link{"style.css", "preload", "text/css", ""}, Link{"/de", "alternate", "", ""},
		Link{"https://cdn.example/x/own", "alternate", "application/rss+xml", ""},
		Link{"javascript:alert(1)", "alternate", "application/rss+xml", ""},
		Link{"", "alternate", "application/rss+xml", ""})
	want := []string{"https://cdn.example/x/own", "https://site.example/blog/feed.atom",
		"https://site.example/blog/comments.xml", "https://cdn.example/plain.rss"}
	if !reflect.DeepEqual(urls(got), want) || got[1].Title != "News" || got[1].Type != "application/atom+xml" {
		t.Errorf("got %+v, want %q", got, want)
	}
}

func TestDiscoverTitles(t *testing.T) {
	got := Discover(
		[]byte("<link rel=alternate type=application/rss+xml title='Gr\xfc\xdfe\u202e' href=/a><a href=/b.rss> The <b>feed</b>\n</a>"), "text/html; charset=iso-8859-1", "https://site.example/")
	if len(got) != 2 || !strings.HasPrefix(got[0].Title, "Grüße") || got[0].Type != "application/rss+xml" ||
		got[1].Title != "The feed" {
		t.Errorf("got %+v", got)
	}
}

func TestDiscoverIsBounded(t *testing.T) {
	page := strings.Repeat(`<link rel="alternate" type="application/rss+xml" href="/f`,
		1) + strings.Repeat(`"><link rel="alternate" type="application/rss+xml" href="/g`, 100_000)
	if n := len(Discover([]byte(page), "", "https://site.example/")); n > maxChoices {
		t.Errorf("%d choices", n)
	}
}

func TestWellKnown(t *testing.T) {
	for in, want := range map[string]string{
		"https://www.youtube.com/channel/UC0123456789abcdefghijkl":      "https://www.youtube.com/feeds/videos.xml?channel_id=UC0123456789abcdefghijkl",
		"https://m.youtube.com/channel/UC0123456789abcdefghijkl/videos": "https://www.youtube.com/feeds/videos.xml?channel_id=UC0123456789abcdefghijkl",
		"https://youtube.com/playlist?list=PL123":                       "https://www.youtube.com/feeds/videos.xml?playlist_id=PL123",
		"https://github.com/golang/go":                                  "https://github.com/golang/go/releases.atom",
		"https://github.com/golang/go/commits/release-branch.go1.22":    "https://github.com/golang/go/commits/release-branch.go1.22.atom",
		"https://www.reddit.com/r/golang/":                              "https://www.reddit.com/r/golang/.rss",
		"https://medium.com/@someone":                                   "https://medium.com/feed/@someone",
		"https://mastodon.social/@someone":                              "https://mastodon.social/@someone.rss",
		"https://x.substack.com/p/a-post":                               "https://x.substack.com/feed",
		"https://pypi.org/project/feedparser/":                          "https://pypi.org/rss/project/feedparser/releases.xml",
		"https://example.org/@someone":                                  "",
		"https://github.com/":                                           "",
		"ftp://github.com/a/b":                                          "",
		"::":                                                            "",
	} {
		got := ""
		if choices := WellKnown(in); len(choices) > 0 {
			got = choices[0].URL
		}
		if got != want {
			t.Errorf("%s gives %q, want %q", in, got, want)
		}
	}
	for _, p := range places {
		for _, f := range p.feeds {
			if n := p.host.NumSubexp() + p.path.NumSubexp(); strings.Count(f.URL, "$") > n {
				t.Errorf("%s asks for more than the %d groups there are", f.URL, n)
			}
		}
	}
}
