package microformats

import (
	"errors"
	"strings"
	"testing"
	"time"

	"tidings"
	"tidings/source/feed"
	"tidings/source/page"
)

var feedConfig = feed.Default()

func feedOf(t *testing.T, markup string) (*feed.Document, error) {
	t.Helper()
	root, ok := page.TreeOf([]byte("<!DOCTYPE html><html><head><title>The page</title><body>"+markup),
		"text/html; charset=utf-8")
	if !ok {
		t.Fatal("the markup is no page")
	}
	return Feed(root, pageURL, feedConfig)
}

// items returns the items of a page as readers see them.
func items(t *testing.T, markup string) []tidings.Item {
	t.Helper()
	doc, err := feedOf(t, markup)
	if err != nil {
		t.Fatal(err)
	}
	var list []tidings.Item
	for i := range doc.Items {
		doc.Items[i].Render()
		list = append(list, doc.Items[i].Item)
	}
	return list
}

const blog = `<div class="h-feed"><h1 class="p-name">Jo's blog</h1><p class="p-author h-card">Jo</p>
<article class="h-entry" id="post-2"><h2 class="p-name"><a class="u-url" href="/2">Second</a></h2>
 <time class="dt-published" datetime="2026-02-03T10:00:00+01:00">today</time><time class="dt-updated" datetime="2026-02-04T10:00:00Z"></time>
 <a class="p-author h-card" href="/ann">Ann</a><div class="e-content"><p>Read <a href="more">more</a>.</p><script>bad()</script></div>
 <a class="p-category" rel="tag" href="/t/tea">tea</a><a class="u-uid" href="urn:x:2">id</a><img class="u-photo" src="pot.jpg" alt="A pot">
 <audio class="u-audio" src="talk.mp3"></audio></article>
<article class="h-entry" id="post-1"><p class="p-summary">Only a &lt;summary&gt;.</p></article></div>`

func TestFeed(t *testing.T) {
	doc, err := feedOf(t, blog)
	if err != nil || doc.Title != "Jo's blog" || doc.Site != pageURL || doc.Format != Format {
		t.Fatalf("the feed is %+v: %v", doc, err)
	}
	list := items(t, blog)
	if len(list) != 2 {
		t.Fatalf("%d items: %+v", len(list), list)
	}
	second := list[0]
	if second.Title != "Second" || second.URL != "https://blog.example/2" || second.ID != "urn:x:2" ||
		second.Author != "Ann" {
		t.Errorf("the first item is %+v", second)
	}
	if !second.Published.Equal(time.Date(2026, 2, 3, 9, 0, 0, 0, time.UTC)) ||
		!second.Updated.Equal(time.Date(2026, 2, 4, 10, 0, 0, 0, time.UTC)) {
		t.Errorf("it was published at %v, updated at %v", second.Published, second.Updated)
	}
	if len(second.Categories) != 1 || second.Categories[0] != "tea" || len(second.Enclosures) != 1 ||
		second.Enclosures[0].URL != "https://blog.example/posts/talk.mp3" {
		t.Errorf("categories %q, files %+v", second.Categories, second.Enclosures)
	}
	for _, want := range []string{`href="https://blog.example/posts/more"`, `src="https://blog.example/posts/pot.jpg"`,
		`alt="A pot"`} {
		if !strings.Contains(second.Content, want) {
			t.Errorf("the content lacks %s: %s", want, second.Content)
		}
	}
	if strings.Contains(second.Content, "bad") {
		t.Errorf("the content has a script: %s", second.Content)
	}
	first := list[1]
	if first.URL != pageURL+"#post-1" || first.Author != "Jo" || first.Title != "" ||
		first.Summary != "Only a &lt;summary&gt;." {
		t.Errorf("the second item is %+v", first)
	}
}

func TestFeedOfOtherPages(t *testing.T) {
	for name, c := range map[string]struct {
		markup string
		title  string
		want   []tidings.Item // titles, addresses and contents
	}{
		"entries without a feed": {
			`<div class=h-entry><a class="p-name u-url" href=/a>A</a></div><p><div class=h-entry><a class="p-name u-url" href=/b>B</a></div>`,
			"The page", []tidings.Item{{Title: "A", URL: "https://blog.example/a"},
				{Title: "B", URL: "https://blog.example/b"}},
		},
		"entries within other items, which are what these are about": {
			`<div class=h-entry><a class="p-name u-url" href=/a>A</a><div class="p-comment h-entry"><a class="p-name u-url" href=/c>C</a></div></div>`,
			"The page", []tidings.Item{{Title: "A", URL: "https://blog.example/a"}},
		},
		"a feed behind an empty one": {
			`<div class=h-feed><b class=p-name>Pinned</b></div><div class=h-feed><b class=p-name>Posts</b><p class=h-entry><a class="p-name u-url" href=/a>A</a></div>`,
			"Posts", []tidings.Item{{Title: "A", URL: "https://blog.example/a"}},
		},
		"a note, whose text is its name": {
			`<div class=h-feed><b class=p-name>F</b><div class=h-entry><a class=u-url href=/n></a><p class="p-name e-content">Rain  again</p></div></div>`,
			"F", []tidings.Item{{URL: "https://blog.example/n", Content: "Rain  again"}},
		},
		"a like": {
			`<div class=h-feed><b class=p-name>F</b><div class=h-entry><a class=u-url href=/l></a><a class=u-like-of href=https://o.example/?a=1&amp;b=2></a></div></div>`,
			"F", []tidings.Item{{URL: "https://blog.example/l",
				Content: `<p>Likes <a href="https://o.example/?a=1&amp;b=2">https://o.example/?a=1&amp;b=2</a></p>`}},
		},
		"an empty feed": {`<div class=h-feed><b class=p-name>F</b></div>`, "F", nil},
	} {
		t.Run(name, func(t *testing.T) {
			doc, err := feedOf(t, c.markup)
			if err != nil || doc.Title != c.title {
				t.Fatalf("the feed is %q: %v", doc.Title, err)
			}
			got := items(t, c.markup)
			if len(got) != len(c.want) {
				t.Fatalf("%d items: %+v", len(got), got)
			}
			for i, it := range got {
				if it.Title != c.want[i].Title || it.URL != c.want[i].URL || plainTag(it.Content) != c.want[i].Content {
					t.Errorf("item %d is %q at %s: %s", i, it.Title, it.URL, it.Content)
				}
			}
		})
	}
	if _, err := feedOf(t, `<p class=h-card>Jo`); !errors.Is(err, feed.ErrNotFeed) {
		t.Errorf("a page without entries: %v", err)
	}
}

// plainTag leaves out what the policy of shown markup adds to links.
func plainTag(s string) string {
	return strings.ReplaceAll(s, ` rel="noopener noreferrer"`, "")
}
