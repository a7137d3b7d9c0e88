package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"tidings"
	"tidings/delivery/web/offline"
	"tidings/delivery/web/shell"
)

// listOf returns what a browser is to keep.
func listOf(t *testing.T, v *visitor) (l offline.List, etag string) {
	t.Helper()
	w := v.get("/offline/list")
	if err := json.Unmarshal(w.Body.Bytes(), &l); w.Code != http.StatusOK || err != nil {
		t.Fatalf("the list: status %d, %v", w.Code, err)
	}
	return l, w.Header().Get("ETag")
}

// Browsers keep the newest unread articles, and see by tags which have changed. Pages name the same person.
func TestWhatBrowsersKeep(t *testing.T) {
	f := sample()
	v := visit(t, f, false)
	l, etag := listOf(t, v)
	unread := 0
	for _, e := range f.entries {
		if !e.Read {
			unread++
		}
	}
	if len(l.Articles) != unread || unread == 0 {
		t.Fatalf("%d articles are kept of %d", len(l.Articles), unread)
	}
	if got := v.get("/").Header().Get(offline.PersonHeader); got != l.Person || got == "" {
		t.Errorf("a page is of person %q, the list of %q", got, l.Person)
	}
	again := func() int {
		r := httptest.NewRequest("GET", "/offline/list", nil)
		r.Header.Set("If-None-Match", etag)
		return v.send(r).Code
	}
	if got := again(); got != http.StatusNotModified {
		t.Errorf("the same list is answered %d", got)
	}
	var articles []offline.Article
	w := v.get(fmt.Sprintf("/offline/articles?entries=%d,%d,999999", l.Articles[0].Entry, l.Articles[1].Entry))
	if err := json.Unmarshal(w.Body.Bytes(), &articles); err != nil || len(articles) != 2 {
		t.Fatalf("articles: %s, %v", w.Body, err)
	}
	for i, a := range articles {
		id := fmt.Sprintf(`id="e%d"`, l.Articles[i].Entry)
		if a.Entry != l.Articles[i].Entry || !strings.Contains(a.Line, id) || !strings.Contains(a.Text, id) ||
			!strings.Contains(a.Text, `class="reading`) || strings.Contains(a.Text, "<main") {
			t.Errorf("article %d: %+v", i, a)
		}
	}
	if e, err := f.Entry(t.Context(), tidings.Owner, articles[0].Entry); err != nil || e.Read {
		t.Errorf("what is kept counts as read: %v, %v", e.Read, err)
	}
	if err := f.MarkRead(t.Context(), tidings.Owner, []int64{f.entries[l.Articles[0].Entry-1].Item}, true); err != nil {
		t.Fatal(err)
	}
	if got := again(); got != http.StatusOK {
		t.Errorf("a list that has changed is answered %d", got)
	}
	for _, bad := range []string{"", "x", "1,", "-1", strings.Repeat("1,", offline.MaxBatch) + "1"} {
		if w := v.get("/offline/articles?entries=" + bad); w.Code < 400 || w.Code >= 500 {
			t.Errorf("entries %q: status %d", bad, w.Code)
		}
	}
}

// There is a bound on what is kept, and on each answer.
func TestWhatBrowsersKeepIsBounded(t *testing.T) {
	f := newFake()
	f.follow(tidings.Subscription{Channel: tidings.Channel{URL: "https://long.example/feed", Title: "Long",
		Kind: tidings.KindFeed}})
	for i := range offline.MaxArticles + 30 {
		f.arrive("https://long.example/feed", tidings.Version(i+1),
			tidings.Entry{Received: time.Now().Add(time.Duration(i-500) * time.Minute),
				Content: tidings.Item{Title: fmt.Sprint("Part ", i)}})
	}
	v := visit(t, f, false)
	l, _ := listOf(t, v)
	if newest := int64(len(f.entries)); len(l.Articles) != offline.MaxArticles || l.Articles[0].Entry != newest {
		t.Errorf("%d articles, from %d on", len(l.Articles), l.Articles[0].Entry)
	}
	long := "<p>" + strings.Repeat("word ", offline.MaxArticle/10) + "</p>" // half of what is kept
	for i := range 20 {
		f.arrive("https://long.example/feed", tidings.Version(1000+i),
			tidings.Entry{Content: tidings.Item{Title: fmt.Sprint("Long ", i), Content: long}})
	}
	f.arrive("https://long.example/feed", 2000,
		tidings.Entry{Content: tidings.Item{Title: "Too long", Content: long + long + long}})
	l, _ = listOf(t, v)
	if len(l.Articles) < 10 || len(l.Articles) > 16 {
		t.Errorf("%d long articles are kept", len(l.Articles))
	}
	var ids []string
	for _, a := range l.Articles[:10] {
		ids = append(ids, fmt.Sprint(a.Entry))
	}
	var articles []offline.Article
	w := v.get("/offline/articles?entries=" + strings.Join(ids, ","))
	if err := json.Unmarshal(w.Body.Bytes(), &articles); err != nil || len(articles) < 2 || len(articles) > 6 {
		t.Fatalf("%d articles in one answer, %v", len(articles), err)
	}
	if articles[0].Text != "" || articles[0].Line == "" || articles[1].Text == "" {
		t.Errorf("the one that is too long has %d bytes of text, the next one %d", len(articles[0].Text),
			len(articles[1].Text))
	}
}

// Marks are applied in order, for the person that made them and for nobody else.
func TestMarksOfADeviceAreApplied(t *testing.T) {
	f := sample()
	v := visit(t, f, false)
	l, _ := listOf(t, v)
	send := func(body string) int {
		r := httptest.NewRequest("POST", "/offline/marks", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Sec-Fetch-Site", "same-origin")
		return v.send(r).Code
	}
	id := l.Articles[0].Entry
	body := func(person string) string {
		return fmt.Sprintf(`{"person": %q, "marks": [{"do": "star", "entry": %d, "ago": 60000}, {"do": "read-all", "entry": %d, "ago": 1000, "channel": "https://none.example/", "older": "day"}]}`, person, id, id)
	}
	if got := send(body("another")); got != http.StatusConflict || len(f.applied) != 0 {
		t.Errorf("another person's marks: status %d, %+v", got, f.applied)
	}
	if got := send(body(l.Person)); got != http.StatusNoContent || len(f.applied) != 2 {
		t.Fatalf("status %d, %+v", got, f.applied)
	}
	first, second := f.applied[0], f.applied[1]
	if ago := time.Since(first.At); first.Do != tidings.MarkStarred || first.Entry != id || ago < time.Minute ||
		ago > 10*time.Minute {
		t.Errorf("the first: %+v", first)
	}
	if second.Query.Channel != "https://none.example/" || !second.Query.ByDate ||
		second.At.Sub(second.Query.Behind.Dated) != 24*time.Hour {
		t.Errorf("the second: %+v", second)
	}
	for _, bad := range []string{"", "{", "[]", body(l.Person) + "x", `{"person": "` + l.Person +
		`", "marks": [{"do": "burn", "entry": 1}]}`} {
		if got := send(bad); got < 400 || got >= 500 || got == http.StatusConflict {
			t.Errorf("%q: status %d", bad, got)
		}
	}
}

// The worker controls all pages, and is another one where the assets are: its address and its text differ.
func TestTheWorkerIsOfABuild(t *testing.T) {
	v := visit(t, sample(), false)
	w := v.get(shell.AssetPath(shell.OfflineWorker))
	head, _, _ := strings.Cut(w.Body.String(), "\n")
	if w.Header().Get("Service-Worker-Allowed") != "/" || !strings.HasPrefix(head, "const BUILT = {") {
		t.Errorf("headers %v, text %.80q", w.Header(), head)
	}
	for _, name := range []string{"style.css", "script.js", "offline.js"} {
		if !strings.Contains(head, shell.AssetPath(name)) {
			t.Errorf("the worker does not keep %s: %s", name, head)
		}
	}
	l, _ := listOf(t, v)
	built, _, _ := strings.Cut(l.Build, "-")
	if !strings.Contains(head, `"build":"`+built+`"`) {
		t.Errorf("the node's build is %s, the worker's: %s", l.Build, head)
	}
}
