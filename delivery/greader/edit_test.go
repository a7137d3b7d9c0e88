package greader

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"tidings/delivery/sync"
	"tidings/delivery/sync/synctest"
)

// What clients say of an item, in their ways; what they say both of is to be read again.
func TestMarks(t *testing.T) {
	const unread, read = first + 1100, first    // neither starred
	for form, want := range map[string][2]bool{ // whether the first and the second are read then
		"a=user/-/state/com.google/read":                                       {true, true},
		"r=user/-/state/com.google/read":                                       {false, false},
		"a=user/-/state/com.google/kept-unread":                                {false, false},
		"r=user/-/state/com.google/unread":                                     {true, true},
		"a=user/-/state/com.google/read&r=user/-/state/com.google/kept-unread": {true, true},
		"a=user/-/state/com.google/read&a=user/-/state/com.google/kept-unread": {false, false},
		"a=user/-/state/com.google/read&r=user/-/state/com.google/read":        {false, false},
		"a=user/-/state/com.google/tracking-kept-unread":                       {false, true},
		"r=user/-/state/com.google/kept-unread":                                {false, true},
		"a=user/-/state/com.google/broadcast&a=user/-/state/com.google/like":   {false, true},
		"a=user/1005921515/state/com.google/read":                              {true, true},
		"a=user/-/state/com.google/starred":                                    {false, true},
		"":                                                                     {false, true},
		"a=nonsense":                                                           {false, true},
		"a=user/-/state/com.google/reading-list":                               {false, true},
	} {
		c := newClient(t)
		c.write("edit-tag", fmt.Sprintf("i=%d&i=%s&i=x&i=1&%s", unread, formatID(read), form))
		if got := [2]bool{c.state(unread).Read, c.state(read).Read}; got != want {
			t.Errorf("%s: read %v, want %v", form, got, want)
		}
		if starred := c.state(unread).Starred; starred != strings.Contains(form, "starred") {
			t.Errorf("%s: starred %v", form, starred)
		}
	}
}

// A label for no item makes a folder. One for items that do not exist makes nothing.
func TestLabelsForNothing(t *testing.T) {
	c := newClient(t)
	for form, folders := range map[string]int{"i=x&a=user/-/label/New": 3, "i=1&a=user/-/label/New": 3,
		"i=&a=user/-/label/New": 3} {
		c.write("edit-tag", form)
		if list, _ := c.library.Folders(context.Background(), synctest.Ann); len(list) != folders {
			t.Errorf("%s: the folders are %v", form, list)
		}
	}
	c.write("edit-tag", "a=user/-/label/New&a=user/-/label/News")
	if list, _ := c.library.Folders(context.Background(), synctest.Ann); len(list) != 4 || list[3].Name != "New" {
		t.Errorf("the folders are %v", list)
	}
}

// Two people have the same items, and each marks his own.
func TestMarksAreOnesOwn(t *testing.T) {
	c := newClient(t)
	c.write("edit-tag",
		fmt.Sprintf("i=%d&a=user/-/state/com.google/read&a=user/-/state/com.google/starred&a=user/-/label/x",
			first+1100))
	c.write("mark-all-as-read", "s=feed/1")
	for _, q := range []sync.Query{{Read: sync.Only}, {Starred: sync.Only}, {Label: "x"}} {
		if n, _ := c.library.Count(context.Background(), synctest.Ben, q); n != 0 {
			t.Errorf("Ben has %d of %+v", n, q)
		}
	}
	w := c.do(http.MethodGet, api+"user-info", "", "Authorization", "GoogleLogin auth="+synctest.BenPassword)
	if !strings.Contains(w.Body.String(), `"userName":"ben"`) {
		t.Errorf("Ben is %s", w.Body)
	}
}

// What is marked in a stream is what is in it.
func TestMarkingStreams(t *testing.T) {
	c := newClient(t)
	c.write("edit-tag", fmt.Sprintf("i=%d&i=%d&a=user/-/label/Later", first+1001, first+1004))
	c.write("edit-tag", "a=user/-/label/Empty")
	for _, step := range []struct {
		stream string
		left   int
	}{
		{"user/-/label/Nothing", 200}, {"user/-/label/Empty", 200}, {"feed/99", 200},
		{"user/-/state/com.google/like", 200}, {"user/-/label/Later", 198},
		{"user/-/label/News", 132}, {"feed/https://feed2.example/rss", 65}, {"user/-/state/com.google/starred", 64},
		{"user/-/label/All", 0},
	} {
		c.write("mark-all-as-read", url.Values{"s": {step.stream}}.Encode())
		if ids, _ := c.ids("xt=user/-/state/com.google/read"); len(ids) != step.left {
			t.Errorf("behind %s there are %d unread, want %d", step.stream, len(ids), step.left)
		}
	}
}

// Streams can be left out by feed, folder, label and state, and combined.
func TestLeavingOut(t *testing.T) {
	c := newClient(t)
	c.write("edit-tag", fmt.Sprintf("i=%d&a=user/-/label/Later", first))
	for query, want := range map[string]int{
		"xt=feed/1": 800, "xt=user/-/label/News": 800, "xt=feed/1&xt=feed/2": 400, "xt=feed/1&xt=feed/2&xt=feed/3": 0,
		"xt=user/-/label/Later":                                              1199,
		"xt=user/-/state/com.google/starred":                                 1188,
		"xt=user/-/state/com.google/read&xt=user/-/state/com.google/starred": 198,
		"s=feed/1&xt=feed/1":                                                 0,
		"s=feed/1&xt=user/-/state/com.google/read":                           66, "s=user/-/label/Later": 1,
		"s=user/-/label/Later&xt=feed/1":              0,
		"s=feed/1&it=user/-/state/com.google/starred": 4, "s=feed/1&it=feed/2": 0, "xt=feed/99": 1200,
		"xt=nonsense":                     1200,
		"xt=user/-/state/com.google/like": 1200, "xt=user/-/state/com.google/reading-list": 0,
		"s=user/-/label/Q%26A+/+C%2B%2B":             400,
		"s=user/-/label/Later&it=user/-/label/Other": 0, "s=user/-/label/Later&it=user/-/label/Later": 1,
	} {
		if ids, _ := c.ids(query); len(ids) != want {
			t.Errorf("%s: %d numbers, want %d", query, len(ids), want)
		}
	}
}

// A name that a client does not encode removes what it names, and nothing else.
func TestNamesThatAreNotEncoded(t *testing.T) {
	for name, body := range map[string]string{
		"Q&A": "s=user/-/label/Q&A&T=x", "C++": "s=user/-/label/C++&T=x", "100%": "s=user/-/label/100%&T=x",
		"A+B C": "T=x&s=user/-/label/A+B%20C",
		"50%20": "s=user/-/label/50%20", "a=b": "s=user/-/label/a=b", "Ä/é": "s=user/-/label/%C3%84%2F%C3%A9",
		"Q&A&D": "s=user%2F-%2Flabel%2FQ%26A%26D",
		"x;y":   "t=user/-/label/x;y", "bare": "s=bare",
	} {
		c := newClient(t)
		others := []string{"Q", "C", "C  ", "100", "A", "50 ", "a", "x", "user"}
		for _, one := range append(others, name) {
			if _, err := c.library.AddFolder(context.Background(), synctest.Ann, one); err != nil {
				t.Fatal(err)
			}
		}
		c.write("disable-tag", body)
		folders, _ := c.library.Folders(context.Background(), synctest.Ann)
		var left []string
		for _, f := range folders {
			left = append(left, f.Name)
		}
		want := append([]string{"All", "News", "Q&A / C++"}, others...)
		if name == "C++" || name == "50%20" || name == "A+B C" {
			continue // may as well mean another that there is; see the next test
		}
		if !slices.Equal(left, want) {
			t.Errorf("%s: the folders %q are left", body, left)
		}
	}
	for name, body := range map[string]string{"C++": "s=user/-/label/C++&T=x", "50%20": "s=user/-/label/50%20"} {
		c := newClient(t)
		if _, err := c.library.AddFolder(context.Background(), synctest.Ann, name); err != nil {
			t.Fatal(err)
		}
		c.write("disable-tag", body)
		if folders, _ := c.library.Folders(context.Background(), synctest.Ann); len(folders) != 3 {
			t.Errorf("%s: the folders %v are left", body, folders)
		}
	}
}

// Removing a folder or label removes nothing that is in it. That of feeds in none stays.
func TestRemovingNames(t *testing.T) {
	ctx := context.Background()
	c := newClient(t)
	c.write("edit-tag", fmt.Sprintf("i=%d&a=user/-/label/Later", first))
	for _, name := range []string{"News", "Later", "All", "Nothing", ""} {
		c.write("disable-tag", url.Values{"s": {labelPrefix + name}}.Encode())
	}
	feeds, _ := c.library.Feeds(ctx, synctest.Ann)
	folders, _ := c.library.Folders(ctx, synctest.Ann)
	labels, _ := c.library.Labels(ctx, synctest.Ann)
	if len(feeds) != 3 || feeds[0].Folder != sync.NoFolder || len(folders) != 2 || len(labels) != 0 {
		t.Errorf("there are the feeds %v, folders %v, labels %v", feeds, folders, labels)
	}
	if n, _ := c.library.Count(ctx, synctest.Ann, sync.Query{}); n != 1200 {
		t.Errorf("%d items are left", n)
	}
}

// Renaming a folder to the name of another puts its feeds there.
func TestRenamingNames(t *testing.T) {
	ctx := context.Background()
	c := newClient(t)
	c.write("edit-tag", fmt.Sprintf("i=%d&a=user/-/label/Later", first))
	c.write("rename-tag", "s=user/-/label/Later&dest=user/-/label/Soon")
	c.write("rename-tag", "s=user/-/label/News&dest=user/-/label/News")
	c.write("rename-tag", "s=user/-/label/Nothing&dest=user/-/label/Something")
	c.write("rename-tag", "s=user/-/label/News&dest="+url.QueryEscape("user/-/label/Q&A / C++"))
	feeds, _ := c.library.Feeds(ctx, synctest.Ann)
	folders, _ := c.library.Folders(ctx, synctest.Ann)
	labels, _ := c.library.Labels(ctx, synctest.Ann)
	if feeds[0].Folder != 3 || feeds[1].Folder != 3 || len(folders) != 2 || !slices.Equal(labels, []string{"Soon"}) {
		t.Errorf("there are the feeds %v, folders %v, labels %v", feeds, folders, labels)
	}
}

// A feed leaves a folder only if it is in it.
func TestMovingFeeds(t *testing.T) {
	c := newClient(t)
	for _, step := range []struct {
		form   string
		folder int64
	}{
		{"r=" + url.QueryEscape("user/-/label/Q&A / C++"), 2}, {"r=user/-/label/Nothing", 2},
		{"r=user/-/label/News", sync.NoFolder},
		{"a=user/-/label/New", 4}, {"a=user/-/label/News&r=user/-/label/New", 2}, {"a=user/-/label/All", sync.NoFolder},
		{"t=Title", sync.NoFolder}, {"", sync.NoFolder},
	} {
		c.write("subscription/edit", "ac=edit&s=feed/1&"+step.form)
		if feeds, _ := c.library.Feeds(context.Background(), synctest.Ann); feeds[0].Folder != step.folder {
			t.Errorf("behind %s the feed is in folder %d, want %d", step.form, feeds[0].Folder, step.folder)
		}
	}
	c.write("subscription/edit", "ac=edit&s=feed/1&s=feed/2&t=One&t=Two&a=user/-/label/News")
	feeds, _ := c.library.Feeds(context.Background(), synctest.Ann)
	if feeds[0].Title != "One" || feeds[1].Title != "Two" || feeds[1].Folder != 2 {
		t.Errorf("the feeds are %v", feeds)
	}
	// Servers in between make one slash of two.
	c.write("subscription/edit", "ac=unsubscribe&s=feed/https:/feed2.example/rss")
	c.write("subscription/edit", "ac=subscribe&s=feed/https:/feed9.example/rss")
	feeds, _ = c.library.Feeds(context.Background(), synctest.Ann)
	if len(feeds) != 3 || feeds[2].URL != "https://feed9.example/rss" {
		t.Errorf("the feeds are %v", feeds)
	}
}

// Streams are named in the path with and without escapes.
func TestStreamsInPaths(t *testing.T) {
	c := newClient(t)
	for path, want := range map[string]string{
		"feed%2F1": "feed/1", "feed/1": "feed/1", "feed/https%3A%2F%2Ffeed1.example%2Frss": "feed/1",
		"feed/https://feed1.example/rss": "feed/1",
		"feed/https:/feed1.example/rss":  "feed/1", "user%2F-%2Flabel%2FQ%26A%20%2F%20C%2B%2B": "feed/2",
		"user/-/label/News": "feed/1", "reading-list": "feed/3",
		"starred": "feed/3", "user%2F-%2Fstate%2Fcom.google%2Freading-list": "feed/3", "": "feed/3",
	} {
		items, _ := c.items("stream/contents/" + path + "?output=json&n=1")
		if len(items) != 1 || items[0].Origin.StreamID != want {
			t.Errorf("%s: %v", path, items)
		}
	}
	if items, next := c.items("stream/contents/feed/1"); len(items) != fewItems || next == "" {
		t.Errorf("without n there are %d items", len(items))
	}
	if w := c.get("stream/contents/nonsense"); w.Code != http.StatusBadRequest {
		t.Errorf("a stream that is none: %d", w.Code)
	}
}

// An item without a link gets one of its own: clients distinguish items by their links. Links that run scripts count as
// none.
func TestItemsThatLack(t *testing.T) {
	c := newClient(t)
	a := c.library.Arrive(sync.Item{Feed: 1})
	b := c.library.Arrive(sync.Item{Feed: 1, URL: "javascript:alert(1)"})
	items, _ := c.items("stream/contents/feed/1?n=2")
	for n, number := range []int64{b, a} {
		want := fmt.Sprintf("https://feed1.example/#item-%d", number)
		if got := items[n]; got.Canonical[0].Href != want || got.Alternate[0].Href != want ||
			got.Published != c.library.Now().Unix() {
			t.Errorf("the item is %+v", got)
		}
	}
}

// hostile 59: whatever a client sends, the answer is one, and what it has no name for stays as it is.
func FuzzRequests(f *testing.F) {
	for call := range methods {
		for _, seed := range []string{"s=feed/1&i=1000000001&a=user/-/label/x&T=y",
			"s=user/-/label/Q&A&dest=x&r=&i=%zz", "n=-1&ot=1e99&c=&it=read&xt=unread",
			"ac=edit&s=&a=user/-/label/&t=", "quickadd=feed/http:/x&ts=NaN"} {
			f.Add(call, seed, seed)
		}
	}
	f.Add("stream/contents/feed/http://[::1", "", "")
	f.Fuzz(func(t *testing.T, call, query, form string) {
		c := newFuzzed(t)
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			r := httptest.NewRequest(method, "/", strings.NewReader(form))
			r.URL.Path, r.URL.RawQuery = api+call, query
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			r.Header.Set("Authorization", auth)
			w := httptest.NewRecorder()
			c.handler.ServeHTTP(w, r)
			if w.Code >= http.StatusInternalServerError {
				t.Errorf("%s %s?%q with %q: %d %s", method, call, query, form, w.Code, w.Body)
			}
		}
		for _, q := range []sync.Query{{Read: sync.Only}, {Starred: sync.Only}} {
			if n, _ := c.library.Count(context.Background(), synctest.Ben, q); n != 0 {
				t.Errorf("Ben has %d of %+v", n, q)
			}
		}
	})
}

// newFuzzed returns a client of a small library.
func newFuzzed(t testing.TB) *client {
	library, gate := synctest.Small(12)
	return &client{t, New(library, gate, synctest.Log()), library, gate}
}

func FuzzStream(f *testing.F) {
	for _, seed := range []string{"feed/1", "feed/https://x", "user/-/label/a/b", "user/1/state/com.google/read",
		"state/com.google/read", "read", "user//label/x", "label/x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		s, ok := parseStream(name)
		set := 0
		for _, part := range []string{s.state, s.label, s.feed} {
			if part != "" {
				set++
			}
		}
		if ok && set != 1 {
			t.Errorf("%q is %+v", name, s)
		}
	})
}

func FuzzID(f *testing.F) {
	for _, seed := range []string{formatID(first), "000000003b9aca01", "1000000001", "-1", longID,
		"tag:google.com,2005:reader/item/ffffffffffffffff"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, id string) {
		n, ok := parseID(id)
		if again, good := parseID(formatID(n)); ok && (!sync.IsNumber(n) || again != n || !good) {
			t.Errorf("%q is %d, which is read as %d", id, n, again)
		}
	})
}

func BenchmarkUnread(b *testing.B) {
	c := newClient(b)
	c.many(10_000)
	for b.Loop() {
		c.ids("xt=user/-/state/com.google/read&n=10000")
	}
}

func BenchmarkContents(b *testing.B) {
	c := newClient(b)
	var form strings.Builder
	for range 250 {
		n := c.library.Arrive(sync.Item{Feed: 1, HTML: strings.Repeat("<p>Some words of an article.</p>\n", 300)})
		form.WriteString("&i=" + url.QueryEscape(formatID(n)))
	}
	for b.Loop() {
		w := c.do(http.MethodPost, api+"stream/items/contents", form.String(), "Authorization", auth, "Accept-Encoding",
			"gzip")
		if w.Code != http.StatusOK {
			b.Fatal(w.Code)
		}
	}
}
