package web

import (
	"fmt"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"tidings/delivery/web/wording"
	"time"

	"tidings"
)

// An entry names a file that is here at this node's address, beside the origin's. Of a file that is on its way it says
// how far it has come.
func TestFilesOfAnEntry(t *testing.T) {
	for _, test := range []struct {
		copy *tidings.Copy
		want string
		not  string
	}{
		{nil, `href="https://example.org/a.mp3"`, "node"},
		{&tidings.Copy{State: tidings.CopyHere, Path: "/files/ab/a.mp3", Length: 5},
			`<a href="/files/ab/a.mp3" download>`, "on its way"},
		{&tidings.Copy{State: tidings.CopyFetching, Percent: 40}, "on its way to this node: 40 %", "download>"},
		{&tidings.Copy{State: tidings.CopyWaiting}, "others are asked", "<form"},
		{&tidings.Copy{State: tidings.CopyNowhere, Ref: "abc"},
			`<input type="hidden" name="ref" value="abc"><input type="hidden" name="entry" value="7">`, "download>"},
		{&tidings.Copy{State: tidings.CopyNowhere}, "nobody has it", "download>"},
	} {
		e := tidings.Entry{ID: 7, Kind: tidings.KindFeed}
		e.Content.Enclosures =
			[]tidings.Enclosure{{URL: "https://example.org/a.mp3", Type: "audio/mpeg", Copy: test.copy}}
		text, err := pages.Fragment(t.Context(), "reading", entryPageOf(wording.Words{}, e))
		if err != nil {
			t.Fatal(err)
		}
		got := string(text)
		if !strings.Contains(got, test.want) || strings.Contains(got, test.not) ||
			!strings.Contains(got, "https://example.org/a.mp3") {
			t.Errorf("%+v is shown as %s", test.copy, got)
		}
	}
}

// A person has others asked again for a file that nobody had.
func TestAskingAgainForAFile(t *testing.T) {
	f := busy()
	v := visit(t, f, false)
	v.goesTo(v.post("/file", "ref", "ab", "entry", "1"), "/entry/1?said=fetching")
	if text := v.get("/entry/1?said=fetching").Body.String(); f.fetched != 1 ||
		!strings.Contains(text, "asked for the file again") {
		t.Errorf("asked for %d files", f.fetched)
	}
	if w := v.post("/file", "ref", "cd", "entry", "1"); w.Code != 404 || f.fetched != 1 {
		t.Errorf("a file that nothing carries: %d", w.Code)
	}
}

// An article that was opened from a page leads on to its neighbours there, in the order of that page. If the page shows
// unread entries, it leads to the next that is still unread.
func TestWayFromArticleToArticle(t *testing.T) {
	f := newFake()
	f.follow(tidings.Subscription{Folder: "Town", Channel: tidings.Channel{URL: "https://a.example/feed", Title: "A",
		Kind: tidings.KindFeed}})
	f.follow(tidings.Subscription{Channel: tidings.Channel{URL: "https://b.example/feed", Title: "B",
		Kind: tidings.KindFeed}})
	now := time.Now().Truncate(time.Microsecond)
	for i, of := range []struct {
		channel   string
		published time.Duration // before now
		read      bool
	}{
		{"a", 5 * time.Hour, false}, {"b", 9 * time.Hour, false}, {"a", 3 * time.Hour, true},
		{"b", 4 * time.Hour, false}, {"a", time.Hour, false},
	} {
		f.arrive("https://"+of.channel+".example/feed", tidings.Version(i+2),
			tidings.Entry{Read: of.read, Received: now.Add(time.Duration(i-9) * time.Minute),
				Content: tidings.Item{Title: fmt.Sprint("Story ", i+1), Published: now.Add(-of.published)}})
	}
	v := visit(t, f, false)
	link := func(text, rel string) string {
		m := regexp.MustCompile(`rel="` + rel + `" href="([^"]+)"`).FindStringSubmatch(text)
		if m == nil {
			return ""
		}
		return html.UnescapeString(m[1])
	}
	walk := func(from int, page, rel string) (seen []int) {
		for path := fmt.Sprintf("/entry/%d?in=%s", from, url.QueryEscape(page)); path != "" && len(seen) < 9; {
			w := v.get(path)
			if w.Code != 200 {
				t.Fatalf("%s: %d", path, w.Code)
			}
			var id int
			fmt.Sscanf(path, "/entry/%d", &id)
			seen = append(seen, id)
			path = link(w.Body.String(), rel)
		}
		return seen
	}
	for _, test := range []struct {
		page, rel string
		from      int
		want      []int
	}{
		{"/?show=unread", "next", 5, []int{5, 4, 1, 2}}, // all are read afterwards
		{"/?show=unread", "prev", 2, []int{2, 1, 4, 3, 5}},
		{"/?show=unread", "next", 5, []int{5}},
		{"/", "next", 5, []int{5, 3, 4, 1, 2}},
		{"/?folder=Town", "next", 5, []int{5, 3, 1}},
		{"/channel?url=https%3A%2F%2Fb.example%2Ffeed", "prev", 2, []int{2, 4}},
		{"/search?q=x", "next", 5, []int{5}},
		{"https://attacker.example/", "next", 5, []int{5, 3, 4, 1, 2}},
	} {
		if got := walk(test.from, test.page, test.rel); !slices.Equal(got, test.want) {
			t.Errorf("%s from %d on %s: %v, want %v", test.rel, test.from, test.page, got, test.want)
		}
	}
	v.get("/?sort=arrival")
	if got := walk(5, "/", "next"); !slices.Equal(got, []int{5, 4, 3, 2, 1}) {
		t.Errorf("by arrival: %v", got)
	}
	if text := v.get("/entry/3").Body.String(); strings.Contains(text, `class="way"`) {
		t.Error("an article of no page leads on")
	}
}

// A person can mark read what is older than a day or a week, and keep the rest.
func TestMarkWhatIsOlder(t *testing.T) {
	f := newFake()
	f.follow(tidings.Subscription{Channel: tidings.Channel{URL: "https://a.example/feed", Title: "A",
		Kind: tidings.KindFeed}})
	for i, days := range []int{0, 2, 9} {
		f.arrive("https://a.example/feed", tidings.Version(i+2),
			tidings.Entry{Content: tidings.Item{Title: "x", Published: time.Now().AddDate(0, 0, -days)}})
	}
	v := visit(t, f, false)
	for _, step := range []struct {
		older string
		left  int
	}{{"week", 2}, {"day", 1}, {"", 0}} {
		if w := v.post("/read", "upto", "3", "older", step.older); w.Code != 303 {
			t.Fatalf("%s: %d", step.older, w.Code)
		}
		if n := f.at("https://a.example/feed").Unread; n != step.left {
			t.Errorf("older than a %s: %d are left, want %d", step.older, n, step.left)
		}
	}
}

// The categories of an article lead to the others of the same category, also where a long name is cut.
func TestCategoriesLeadToASearch(t *testing.T) {
	e := tidings.Entry{ID: 7, Kind: tidings.KindFeed}
	e.Content.Categories = []string{`Rock & "Roll"`, strings.Repeat("word ", 15)}
	text, err := pages.Fragment(t.Context(), "reading", entryPageOf(wording.Words{}, e))
	if err != nil {
		t.Fatal(err)
	}
	var sought []string
	for _, link := range regexp.MustCompile(`class="tag" href="/search\?q=([^"]*)"`).FindAllStringSubmatch(string(text),
		-1) {
		query, err := url.QueryUnescape(html.UnescapeString(link[1]))
		if err != nil {
			t.Fatal(err)
		}
		sought = append(sought, query)
	}
	if len(sought) != 2 || sought[0] != `"Rock &  Roll "` || !strings.HasPrefix(sought[1], `"word word`) ||
		!strings.HasSuffix(sought[1], `"*`) {
		t.Errorf("categories lead to searches for %q: %s", sought, text)
	}
}
