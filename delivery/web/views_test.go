package web

import (
	"fmt"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"tidings"
	"tidings/delivery/opml"
	"tidings/delivery/web/shell"
)

// titlesOf returns the titles of the lines of a page, in their order.
func titlesOf(page string) (all []string) {
	for _, m := range regexp.MustCompile(`(?s)<a class="open"[^>]*>(.*?)</a>`).FindAllStringSubmatch(page, -1) {
		all = append(all, html.UnescapeString(m[1]))
	}
	return all
}

// Each list is as its reader has chosen, in any browser. Lists without a choice are as all are.
func TestListsAreAsChosen(t *testing.T) {
	f := sample()
	v := visit(t, f, false)
	newest := titlesOf(v.get("/?folder=Programming").Body.String())
	v.goesTo(v.post("/view", "view", "folder/Programming", "back", "/?folder=Programming", "for", "this",
		"first", "oldest", "density", "compact", "scroll", "read", "items", "all", "sort", "date"),
		"/?folder=Programming")
	other := visit(t, f, false) // another browser
	page := other.get("/?folder=Programming").Body.String()
	oldest := titlesOf(page)
	slices.Reverse(oldest)
	if len(newest) < 3 || !slices.Equal(newest, oldest) {
		t.Errorf("oldest first, and reversed: %q; newest first: %q", oldest, newest)
	}
	if !strings.Contains(page, " data-dense data-scroll-read>") || strings.Contains(page, "data-events") {
		t.Error("the list is not compact, marks nothing that is scrolled past, or grows at its wrong end")
	}
	if page := other.get("/").Body.String(); strings.Contains(page, "data-dense") {
		t.Error("the river is as the folder")
	}
	v.goesTo(v.post("/view", "view", "river", "back", "https://evil.example/", "for", "all", "density", "compact",
		"items", "unread", "first", "newest"), "/")
	for path, want := range map[string]string{"/": "<h1 dir=\"auto\">River</h1>",
		"/?folder=Town":          "<h1 dir=\"auto\">Unread in Town</h1>",
		"/?show=all&folder=Town": "<h1 dir=\"auto\">Town</h1>"} {
		page := other.get(path).Body.String()
		if !strings.Contains(page, "data-dense") || !strings.Contains(page, want) {
			t.Errorf("%s is not as all lists are to be: %.200q", path, page[strings.Index(page, "<h1"):])
		}
		if read := strings.Contains(page, `class="line read`); read != strings.Contains(path, "all") {
			t.Errorf("%s shows what is read: %v", path, read)
		}
	}
	page = other.get(shell.ChannelPath("https://quiet.example/notes/index.xml")).Body.String()
	if len(titlesOf(page)) != 0 || !strings.Contains(page, "All of it is read.") ||
		!strings.Contains(page, "show=all") {
		t.Error("a channel shows what is read, or does not say how it would")
	}
	if page := other.get(shell.ChannelPath("https://quiet.example/notes/index.xml") + "&show=all").Body.String(); len(
		titlesOf(page)) != 1 {
		t.Error("all of a channel are not shown")
	}
	for _, wrong := range []string{"elsewhere", "folder/"} {
		if w := v.post("/view", "view", wrong, "sort", "date"); w.Code != 400 {
			t.Errorf("a view %q: %d", wrong, w.Code)
		}
	}
}

// However a list is sorted, its pages show each entry once.
func TestPagesOldestFirst(t *testing.T) {
	f := newFake()
	f.follow(tidings.Subscription{Channel: tidings.Channel{URL: "https://many.example/", Title: "Many",
		Kind: tidings.KindFeed}})
	for i := range 95 {
		f.arrive("https://many.example/", tidings.Version(i+2),
			tidings.Entry{Received: time.Now().Truncate(time.Microsecond).Add(time.Duration(i-200) * time.Minute),
				Content: tidings.Item{Title: fmt.Sprintf("Number %03d", i)}})
	}
	v := visit(t, f, false)
	for _, sort := range []string{"date", "arrival"} {
		v.post("/view", "view", "river", "back", "/", "for", "this", "sort", sort, "first", "oldest")
		var got []string
		for path := "/"; path != ""; {
			page := v.get(path).Body.String()
			got = append(got, titlesOf(page)...)
			path = ""
			if m := regexp.MustCompile(`rel="next" href="([^"]+)"`).FindStringSubmatch(page); m != nil {
				path = html.UnescapeString(m[1])
			}
		}
		if len(got) != 95 || !slices.IsSorted(got) {
			t.Errorf("by %s, %d titles: %q", sort, len(got), got)
		}
	}
}

// Earlier programs left choices in browsers. They are adopted once, and the browser keeps the theme for pages without a
// person.
func TestABrowsersChoicesAreAdopted(t *testing.T) {
	f := sample()
	v := visit(t, f, false)
	v.cookies["tidings_look"], v.cookies["tidings_sort"] = "dark-nokeys-nopictures", "river.channel.nonsense"
	if page := v.get("/").Body.String(); !strings.Contains(page, `data-theme="dark" data-keys="off"`) ||
		strings.Contains(page, "data-by-date") {
		t.Error("what the browser has kept does not count")
	}
	other := visit(t, f, false)
	other.cookies["tidings_look"] = "light"
	page := other.get("/").Body.String()
	if !strings.Contains(page, `data-theme="dark"`) || strings.Contains(page, "data-by-date") {
		t.Error("the person has not adopted it, or adopts it twice")
	}
	if !f.chosen.Is(tidings.ViewOf(tidings.ChannelKind, "https://x.example/"), tidings.PreferSort, "arrival") ||
		!f.chosen.Is(tidings.UnreadView, tidings.PreferSort, "date") {
		t.Errorf("adopted: %v", f.chosen)
	}
	other.goesTo(other.post("/settings/appearance", "theme", "light", "text", "large", "width", "wide", "keys", "on",
		"pictures", "on"), "/settings?said=saved")
	if page := v.get("/settings").Body.String(); !strings.Contains(page,
		`data-theme="light" data-text="large" data-width="wide">`) ||
		!strings.Contains(page, `<option value="large" selected>`) {
		t.Error("what is saved in one browser is not so in another")
	}
	if other.cookies["tidings_look"] != "light" {
		t.Errorf("the browser keeps %q", other.cookies["tidings_look"])
	}
}

// Tags stand beside the page, on the page of the channel and in the list, and select what is shown.
func TestTagsOnThePage(t *testing.T) {
	f := sample()
	v := visit(t, f, false)
	const kernel, ferry = "https://kernel.example/headlines/rss", "https://ferry.example/timetable"
	v.post("/channel", "url", kernel, "do", "rename", "folder", "Programming", "tags", " daily, R&D,daily, ,a/b,"+
		strings.Repeat("x", 99))
	if got := f.at(kernel).Tags; !slices.Equal(got, []string{"a", "b", "daily", "R&D"}) {
		t.Errorf("tags: %q", got)
	}
	v.post("/channel", "url", kernel, "do", "rename", "folder", "Programming")
	if got := f.at(kernel).Tags; len(got) != 4 {
		t.Errorf("a form without tags changes them: %q", got)
	}
	v.post("/channels", "do", "tag", "tags", "daily", "url", ferry)
	page := v.get("/?tag=daily").Body.String()
	if !strings.Contains(page, `<h1 dir="auto">daily</h1>`) ||
		!strings.Contains(page, `<a href="/?tag=daily" data-tag="daily" aria-current="page">`) {
		t.Error("the tag has no page, or is not marked beside it")
	}
	for _, title := range titlesOf(page) {
		if strings.Contains(title, "window open") {
			t.Errorf("it shows %q", title)
		}
	}
	for path, want := range map[string]string{
		"/channels?q=R%26D":       `<a class="tag" href="/?tag=R%26D">R&amp;D</a>`,
		shell.ChannelPath(kernel): `name="tags" value="a, b, daily, R&amp;D"`,
		"/?tag=%3Cscript%3E":      `&lt;script&gt;`,
	} {
		if page := v.get(path).Body.String(); !strings.Contains(page, want) || strings.Contains(page, "<script>") {
			t.Errorf("%s lacks %s", path, want)
		}
	}
}

// Several channels are changed by one form: those that are checked, or all that a filter finds. To unsubscribe is asked
// again, and can be undone.
func TestSeveralChannelsAtOnce(t *testing.T) {
	f := sample()
	v := visit(t, f, false)
	const kernel, compiler = "https://kernel.example/headlines/rss", "https://compiler.example/blog/feed.atom"
	page := v.get("/channels").Body.String()
	if n := strings.Count(page, `form="bulk"`); n != 8 ||
		!strings.Contains(page, `id="bulk" method="post" action="/channels"`) {
		t.Errorf("%d boxes", n)
	}
	v.goesTo(v.post("/channels", "do", "folder", "folder", "Work/Part 2", "q", "", "url", kernel, "url",
		"https://not.example/"), "/channels?from=1&n=1&said=changed")
	if f.at(kernel).Folder != "Work/Part 2" || f.at(compiler).Folder != "Programming" {
		t.Errorf("folders: %q, %q", f.at(kernel).Folder, f.at(compiler).Folder)
	}
	v.goesTo(v.post("/channels", "do", "tag", "tags", "x, y", "all", "on", "q", "museum"),
		"/channels?from=1&n=1&q=museum&said=changed")
	v.goesTo(v.post("/channels", "do", "untag", "tags", "y", "all", "on"), "/channels?from=1&n=8&said=changed")
	if text := v.get("/channels?from=1&n=8&said=changed").Body.String(); !strings.Contains(text,
		"Changed: 8 channels.") {
		t.Error("the page does not say how many are changed")
	}
	if got := f.at("https://museum.example/tickets").Tags; !slices.Equal(got, []string{"x"}) {
		t.Errorf("tags: %q", got)
	}
	v.goesTo(v.post("/channels", "do", "shown", "text", "full", "pictures", "set", "edits", "", "url", kernel, "url",
		compiler), "/channels?from=1&n=2&said=changed")
	if c := f.changed; c.FullText == nil || !*c.FullText || c.Pictures == nil || *c.Pictures != tidings.PicturesAsSet ||
		c.EditsAsItems != nil || c.Folder != nil || c.Tags != nil {
		t.Errorf("how items are shown: %+v", c)
	}
	v.goesTo(v.post("/channels", "do", "poll", "url", kernel), "/channels?from=1&said=polling")
	if !slices.Equal(f.soon, []string{kernel}) {
		t.Errorf("polled soon: %q", f.soon)
	}
	for _, wrong := range [][]string{{"do", "folder", "folder", "x"}, {"do", "tag", "url", kernel},
		{"do", "nonsense", "url", kernel}} {
		if w := v.post("/channels", wrong...); w.Code != 400 {
			t.Errorf("%q: %d", wrong, w.Code)
		}
	}
	before := len(f.followed)
	w := v.post("/channels", "do", "unsubscribe", "url", kernel, "url", compiler)
	if w.Code != 200 || len(f.followed) != before || !strings.Contains(w.Body.String(), "Kernel Weekly") ||
		!strings.Contains(w.Body.String(), "Unsubscribe from 2 channels") {
		t.Errorf("before: %d, %d channels", w.Code, len(f.followed))
	}
	w = v.post("/channels", "do", "unsubscribe-sure", "url", kernel, "url", compiler)
	if w.Code != 200 || len(f.followed) != before-2 || f.at(kernel) != nil {
		t.Errorf("after: %d, %d channels", w.Code, len(f.followed))
	}
	m := regexp.MustCompile(`name="text" value="([^"]+)"`).FindStringSubmatch(w.Body.String())
	if m == nil {
		t.Fatal("there is no way back")
	}
	list, err := importedFrom(html.UnescapeString(m[1]))
	if err != nil || len(list) != 2 || list[1].Folder != "Work/Part 2" {
		t.Errorf("the way back: %+v, %v", list, err)
	}
}

// Items are marked as read by number, and no others.
func TestItemsAreMarkedByNumber(t *testing.T) {
	f := sample()
	v := visit(t, f, false)
	var unread []tidings.Entry
	for _, e := range f.entries {
		if !e.Read {
			unread = append(unread, e)
		}
	}
	if w := v.post("/read", "item", fmt.Sprint(unread[0].Item), "item", fmt.Sprint(unread[1].Item)); w.Code != 204 {
		t.Fatalf("answers %d", w.Code)
	}
	for i, e := range unread {
		if f.entries[e.ID-1].Read != (i < 2) {
			t.Errorf("entry %d is read: %v", i, f.entries[e.ID-1].Read)
		}
	}
	if w := v.post("/read", "item", "x"); w.Code != 400 {
		t.Errorf("no number: %d", w.Code)
	}
	many := url.Values{}
	for range maxMarked + 1 {
		many.Add("item", "1")
	}
	if w := v.post("/read", flat(many)...); w.Code != 400 {
		t.Errorf("too many: %d", w.Code)
	}
}

func flat(q url.Values) (all []string) {
	for name, values := range q {
		for _, value := range values {
			all = append(all, name, value)
		}
	}
	return all
}

// An item that stands in several channels has one line with all their names.
func TestAnItemOfSeveralChannels(t *testing.T) {
	f := sample()
	for i := range f.entries {
		if strings.Contains(f.entries[i].Content.Title, "page cache") {
			f.entries[i].Also = []tidings.ChannelLabel{{Channel: "query:x", Label: "Memory <news>"}}
		}
	}
	f.doubled = []tidings.Doubled{{Query: "https://quiet.example/notes/index.xml",
		Of: "https://kernel.example/headlines/rss", Unread: 1}}
	v := visit(t, f, false)
	page := v.get("/").Body.String()
	if !strings.Contains(page,
		`<a class="channel also" href="/channel?url=query%3ax" dir="auto">Memory &lt;news&gt;</a>`) {
		t.Error("the other channel is not named")
	}
}

// importedFrom reads a list as the form for lists does.
func importedFrom(text string) ([]opml.Entry, error) {
	list, err := opml.Parse(strings.NewReader(text), opml.Limits{})
	return list.Entries, err
}
