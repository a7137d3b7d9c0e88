package minifluxapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"tidings/delivery/sync"
	"tidings/delivery/sync/synctest"
)

// client speaks to a handler as Ann's does.
type client struct {
	t       testing.TB
	handler http.Handler
	library *synctest.Library
	gate    *synctest.Gate
}

func newClient(t testing.TB, items int) *client {
	library, gate := synctest.Small(items)
	return &client{t, New(library, gate, synctest.Log()), library, gate}
}

// do sends a request with headers.
func (c *client) do(method, target, body string, headers ...string) *httptest.ResponseRecorder {
	c.t.Helper()
	r := httptest.NewRequest(method, "/", strings.NewReader(body))
	path, query, _ := strings.Cut(target, "?")
	r.URL.Path, r.URL.RawQuery = path, query
	for n := 0; n < len(headers); n += 2 {
		r.Header.Set(headers[n], headers[n+1])
	}
	w := httptest.NewRecorder()
	c.handler.ServeHTTP(w, r)
	return w
}

// call sends a request with Ann's token.
func (c *client) call(method, target, body string) *httptest.ResponseRecorder {
	c.t.Helper()
	return c.do(method, "/v1/"+target, body, "X-Auth-Token", synctest.AnnPassword)
}

// list returns the total and the numbers of a list of entries.
func (c *client) list(target string) (total int, ids []int64) {
	c.t.Helper()
	w := c.call(http.MethodGet, target, "")
	var list struct {
		Total   *int `json:"total"`
		Entries []struct {
			ID int64 `json:"id"`
		} `json:"entries"`
	}
	if err := json.Unmarshal(w.Body.Bytes(), &list); err != nil || w.Code != http.StatusOK || list.Total == nil ||
		list.Entries == nil {
		c.t.Fatalf("%s: the answer is %d %.200s: %v", target, w.Code, w.Body, err)
	}
	for _, e := range list.Entries {
		ids = append(ids, e.ID)
	}
	return *list.Total, ids
}

func (c *client) count(p sync.Person, q sync.Query) int {
	c.t.Helper()
	n, err := c.library.Count(context.Background(), p, q)
	if err != nil {
		c.t.Fatal(err)
	}
	return n
}

const first = sync.FirstNumber

// Every error is JSON with a sentence.
func (c *client) refused(status int, method, target, body string) {
	c.t.Helper()
	w := c.call(method, target, body)
	var refusal struct {
		Message string `json:"error_message"`
	}
	if err := json.Unmarshal(w.Body.Bytes(), &refusal); err != nil || w.Code != status || refusal.Message == "" {
		c.t.Errorf("%s %s with %.100s: %d %.200s, want %d", method, target, body, w.Code, w.Body, status)
	}
}

func TestPaths(t *testing.T) {
	c := newClient(t, 3)
	for path, status := range map[string]int{
		"/v1/me": http.StatusOK, "//v1/me": http.StatusOK, "/v1/me/": http.StatusNotFound, "/v1": http.StatusNotFound,
		"/v1/":    http.StatusNotFound,
		"/v1//me": http.StatusNotFound, "/v1/../v1/me": http.StatusNotFound, "/v1/nothing": http.StatusNotFound,
		"/me":                 http.StatusNotFound,
		"/v1/feeds/1/nothing": http.StatusNotFound, "/": http.StatusNotFound, "/v1/users": http.StatusNotFound,
	} {
		w := c.do(http.MethodGet, path, "", "X-Auth-Token", synctest.AnnPassword)
		if w.Code != status || !json.Valid(w.Body.Bytes()) {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
	c.refused(http.StatusNotFound, http.MethodPost, "me", "")
}

func TestWaysIn(t *testing.T) {
	c := newClient(t, 3)
	for name, call := range map[string]struct {
		header, value string
		status        int
	}{
		"token":        {"X-Auth-Token", synctest.AnnPassword, http.StatusOK},
		"wrong token":  {"X-Auth-Token", "x", http.StatusUnauthorized},
		"bearer":       {"Authorization", "Bearer " + synctest.AnnPassword, http.StatusUnauthorized},
		"cookie":       {"Cookie", "session=" + synctest.AnnPassword, http.StatusUnauthorized},
		"basic":        {"Authorization", "Basic YW5uOmFwcGxlLTdmM2E5Yw==", http.StatusOK},
		"wrong basic":  {"Authorization", "Basic YW5uOng=", http.StatusUnauthorized},
		"broken basic": {"Authorization", "Basic !", http.StatusUnauthorized},
		"nothing":      {"Accept", "*/*", http.StatusUnauthorized},
	} {
		w := c.do(http.MethodGet, "/v1/me", "", call.header, call.value)
		if w.Code != call.status || w.Header().Get("Access-Control-Allow-Origin") != "*" ||
			w.Header().Get("Access-Control-Allow-Credentials") != "" {
			t.Errorf("%s: %d, %v", name, w.Code, w.Header())
		}
		// A browser would ask for a password if the header said so; a reader in the browser asks itself.
		asks := call.status == http.StatusUnauthorized && call.header != "X-Auth-Token"
		if (w.Header().Get("WWW-Authenticate") != "") != asks {
			t.Errorf("%s: %v", name, w.Header())
		}
	}
	var last *httptest.ResponseRecorder
	for range 30 {
		last = c.do(http.MethodGet, "/v1/me", "", "X-Auth-Token", "guess")
	}
	if last.Code != http.StatusTooManyRequests || last.Header().Get("Retry-After") != "30" {
		t.Errorf("the thirtieth guess is answered with %d", last.Code)
	}
	c.gate.Broken = true
	c.refused(http.StatusServiceUnavailable, http.MethodGet, "me", "")
}

// A page of another site cannot use a password that the browser remembers. One that knows it can.
func TestOtherSites(t *testing.T) {
	const basic = "Basic YW5uOmFwcGxlLTdmM2E5Yw=="
	for name, call := range map[string]struct {
		headers []string
		status  int
	}{
		"a form": {[]string{"Authorization", basic, "Origin", "https://evil.example", "Content-Type",
			"text/plain"}, http.StatusForbidden},
		"a newer browser": {[]string{"Authorization", basic, "Sec-Fetch-Site", "cross-site"}, http.StatusForbidden},
		"JSON by a script": {[]string{"Authorization", basic, "Sec-Fetch-Site", "cross-site", "Content-Type",
			"application/json"}, http.StatusCreated},
		"a token": {[]string{"X-Auth-Token", synctest.AnnPassword, "Sec-Fetch-Site", "cross-site"},
			http.StatusCreated},
		"no browser": {[]string{"Authorization", basic}, http.StatusCreated},
	} {
		if w := newClient(t, 3).do(http.MethodPost, "/v1/categories", `{"title":"x"}`,
			call.headers...); w.Code != call.status {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
}

// Which entries are in a list, and how many there are in all.
func TestEntries(t *testing.T) {
	c := newClient(t, 1200)
	at := synctest.SampleTime.Unix()
	for query, want := range map[string]struct{ total, page int }{
		"":                                      {1200, 100},
		"limit=0":                               {1200, 1200},
		"limit=1000":                            {1200, 1000},
		"limit=5000":                            {1200, 1200},
		"limit=250&offset=1100":                 {1200, 100},
		"offset=1200":                           {1200, 0},
		"offset=99999999999999":                 {1200, 0},
		"status=unread":                         {200, 100},
		"status=read&status=unread":             {1200, 100},
		"status=read":                           {1000, 100},
		"status=removed":                        {0, 0},
		"status=removed&status=unread":          {200, 100},
		"starred=true":                          {12, 12},
		"starred=false":                         {1188, 100},
		"starred=true&status=unread":            {2, 2},
		"feed_id=1":                             {400, 100},
		"feed_id=0":                             {1200, 100},
		"category_id=2":                         {400, 100},
		"category_id=2&feed_id=1&status=unread": {66, 66},
		"category_id=3&feed_id=1":               {0, 0},
		"after_entry_id=1000001100":             {100, 100},
		"before_entry_id=1000000011":            {10, 10},
		"after_entry_id=1000000001&before_entry_id=1000000004": {2, 2},
		"after_entry_id=0":                                        {1200, 100},
		"before_entry_id=9007199254740991":                        {1200, 100},
		fmt.Sprintf("after=%d", at):                               {1, 1},
		fmt.Sprintf("after=%d", at+1):                             {0, 0},
		fmt.Sprintf("published_after=%d", at-3600):                {1, 1},
		fmt.Sprintf("published_after=%d", at):                     {0, 0},
		fmt.Sprintf("before=%d", at-3600):                         {1199, 100},
		fmt.Sprintf("published_before=%d", at-3600):               {1199, 100},
		fmt.Sprintf("before=%d&published_before=%d", at, at-3600): {1199, 100},
		fmt.Sprintf("changed_after=%d", at):                       {1002, 100},
		"changed_before=1":                                        {0, 0},
		"after=0":                                                 {1200, 100},
		"search=Item+1200":                                        {1, 1},
		"search=nothing+such":                                     {0, 0},
		"globally_visible=true":                                   {1200, 100},
	} {
		if total, ids := c.list("entries?" + query); total != want.total || len(ids) != want.page {
			t.Errorf("%s: %d of %d, want %d of %d", query, len(ids), total, want.page, want.total)
		}
	}
	for path, want := range map[string]int{"feeds/2/entries": 400, "categories/1/entries": 400,
		"feeds/2/entries?status=unread": 67, "feeds/1/entries?category_id=3": 0} {
		if total, _ := c.list(path); total != want {
			t.Errorf("%s: %d, want %d", path, total, want)
		}
	}
	for _, query := range []string{"status=eaten", "starred=maybe", "order=title", "direction=up", "limit=-1",
		"limit=x", "offset=-1", "feed_id=99", "feed_id=x", "category_id=99",
		"after=x", "after_entry_id=x", "tags=a", "status=unread'--"} {
		c.refused(http.StatusBadRequest, http.MethodGet, "entries?"+query, "")
	}
	for _, path := range []string{"feeds/99/entries", "categories/99/entries", "entries/1", "entries/1000001201",
		"feeds/1/entries/1000000002", "feeds/2/icon", "icons/99"} {
		c.refused(http.StatusNotFound, http.MethodGet, path, "")
	}
	for _, path := range []string{"feeds/x", "entries/x", "feeds/-1", "categories/0/feeds"} {
		c.refused(http.StatusBadRequest, http.MethodGet, path, "")
	}
}

// In which order entries come; the first one is given.
func TestOrder(t *testing.T) {
	c := newClient(t, 12)
	c.library.Pass(time.Hour)
	old := c.library.Arrive(sync.Item{Feed: 1, Published: time.Unix(1000, 0)})
	c.library.Pass(time.Hour)
	c.library.Edit(first+3, "Edited")
	for query, want := range map[string]int64{
		"": old, "order=published_at&direction=desc": first + 11, "order=id": first, "order=id&direction=desc": old,
		"order=created_at&direction=desc": old,
		"order=changed_at&direction=desc": first + 3, "order=changed_at&direction=asc": first,
	} {
		if _, ids := c.list("entries?" + query); ids[0] != want || len(ids) != 13 {
			t.Errorf("%s: %v, want %d first", query, ids, want)
		}
	}
}

// A client asks for what is new since its last sync. It learns of an item with an old date, and of each edit, mark and
// star.
func TestWhatIsNew(t *testing.T) {
	c := newClient(t, 12)
	c.library.Pass(time.Hour)
	since := c.library.Now().Unix()
	old := c.library.Arrive(sync.Item{Feed: 1, Published: time.Unix(1000, 0)})
	if _, ids := c.list(fmt.Sprintf("entries?after=%d", since)); !slices.Equal(ids, []int64{old}) {
		t.Errorf("%v are new", ids)
	}
	c.library.Pass(time.Hour)
	since = c.library.Now().Unix()
	c.library.Edit(first, "Edited")
	c.call(http.MethodPut, "entries", `{"entry_ids":[1000000002],"status":"read"}`)
	c.call(http.MethodPut, "entries", `{"entry_ids":[1000000003],"starred":true}`)
	c.call(http.MethodPut, "entries", `{"entry_ids":[1000000004],"status":"unread"}`)
	if _, ids := c.list(fmt.Sprintf("entries?order=id&changed_after=%d", since)); !slices.Equal(ids,
		[]int64{first, first + 1, first + 2}) {
		t.Errorf("%v have changed", ids)
	}
}

func TestEntryIDs(t *testing.T) {
	c := newClient(t, 1200)
	for query, want := range map[string]struct {
		total, page int
		first       int64
	}{
		"": {1200, 1200, first + 1199}, "status=unread": {200, 200, first + 1199},
		"status=read&limit=10": {1000, 10, first + 999},
		"starred=true":         {12, 12, first + 1199}, "limit=100&offset=1100": {1200, 100, first + 99},
		"limit=0": {1200, 1200, first + 1199},
	} {
		w := c.call(http.MethodGet, "entries/ids?"+query, "")
		var list struct {
			Total int     `json:"total"`
			IDs   []int64 `json:"entry_ids"`
		}
		if err := json.Unmarshal(w.Body.Bytes(), &list); err != nil || list.Total != want.total ||
			len(list.IDs) != want.page || list.IDs[0] != want.first {
			t.Errorf("%s: %d of %d from %v: %v", query, len(list.IDs), list.Total, list.IDs[0], err)
		}
	}
}

// A page has as many entries as it is asked for, while there are so many.
func TestPagesOfEntriesAreFull(t *testing.T) {
	c := newClient(t, 1200)
	for range 1000 {
		c.library.Arrive(sync.Item{Feed: 1, HTML: strings.Repeat("<p>long</p>", 1000)})
	}
	if total, ids := c.list("entries?limit=2000"); total != 2200 || len(ids) != 2000 {
		t.Errorf("%d of %d", len(ids), total)
	}
}

func TestMarks(t *testing.T) {
	c := newClient(t, 1200)
	for _, step := range []struct {
		method, target, body    string
		status, unread, starred int
	}{
		{http.MethodPut, "entries", `{"entry_ids":[1000001200],"status":"read"}`, 204, 199, 12},
		{http.MethodPut, "entries", `{"entry_ids":[1000001200,1000000001],"status":"unread"}`, 204, 201, 12},
		{http.MethodPut, "entries", `{"entry_ids":[1000000001],"starred":true}`, 204, 201, 13},
		{http.MethodPut, "entries", `{"entry_ids":[1000000001],"starred":false,"status":"read"}`, 204, 200, 12},
		{http.MethodPut, "entries", `{"entry_ids":[1,99,2147483647,-5],"status":"read"}`, 204, 200, 12},
		{http.MethodPut, "entries", `{"entry_ids":[],"status":"read"}`, 400, 200, 12},
		{http.MethodPut, "entries", `{"status":"read"}`, 400, 200, 12},
		{http.MethodPut, "entries", `{"entry_ids":[1000001200]}`, 400, 200, 12},
		{http.MethodPut, "entries", `{"entry_ids":[1000001200],"status":"removed"}`, 400, 200, 12},
		{http.MethodPut, "entries", `{"entry_ids":["1000001200"],"status":"read"}`, 400, 200, 12},
		{http.MethodPut, "entries", `{"entry_ids":[1000001200],"status":"read"`, 400, 200, 12},
		{http.MethodPut, "entries", ``, 400, 200, 12},
		{http.MethodPut, "entries/1000001199/bookmark", ``, 204, 200, 13},
		{http.MethodPut, "entries/1000001199/star", ``, 204, 200, 12},
		{http.MethodPut, "entries/1000001201/star", ``, 404, 200, 12},
		{http.MethodPut, "feeds/99/mark-all-as-read", ``, 404, 200, 12},
		{http.MethodPut, "categories/99/mark-all-as-read", ``, 404, 200, 12},
		{http.MethodPut, "users/2/mark-all-as-read", ``, 403, 200, 12},
		{http.MethodPut, "feeds/1/mark-all-as-read", ``, 204, 134, 12},
		{http.MethodPut, "categories/1/mark-all-as-read", ``, 204, 67, 12},
		{http.MethodPut, "users/1/mark-all-as-read", ``, 204, 0, 12},
		{http.MethodDelete, "flush-history", ``, 202, 0, 12},
		{http.MethodPut, "enclosures/5", `{"media_progression":9}`, 202, 0, 12},
	} {
		w := c.call(step.method, step.target, step.body)
		unread, starred := c.count(synctest.Ann, sync.Query{Read: sync.Without}),
			c.count(synctest.Ann, sync.Query{Starred: sync.Only})
		if w.Code != step.status || unread != step.unread || starred != step.starred ||
			w.Code == http.StatusNoContent && w.Body.Len() > 0 {
			t.Errorf("%s %s: %d %s; %d unread, %d starred", step.target, step.body, w.Code, w.Body, unread, starred)
		}
	}
	if c.count(synctest.Ben, sync.Query{Read: sync.Only}) != 0 || c.count(synctest.Ann, sync.Query{}) != 1200 {
		t.Error("what Ben has changed, or items are gone")
	}
}

// A body that cannot be read is refused in words for people, and none of Go.
func TestBodiesThatCannotBeRead(t *testing.T) {
	c := newClient(t, 3)
	for body, want := range map[string]string{
		`[]`:                                "the body is not a JSON object",
		`7`:                                 "the body is not a JSON object",
		`{"feed_url":5}`:                    `the field "feed_url" has a wrong value: number`,
		`{"feed_url":"x","category_id":{}}`: `the field "category_id" has a wrong value: object`,
		`{"category_id":1.5}`:               `the field "category_id" has a wrong value: number 1.5`,
		`{`:                                 "the body is not JSON: unexpected end of JSON input",
		``:                                  "the body is not JSON: unexpected end of JSON input",
	} {
		w := c.call(http.MethodPost, "feeds", body)
		var refusal struct {
			Text string `json:"error_message"`
		}
		if err := json.Unmarshal(w.Body.Bytes(), &refusal); err != nil || w.Code != http.StatusBadRequest ||
			refusal.Text != want {
			t.Errorf("%s: %d %q, not %q (%v)", body, w.Code, refusal.Text, want, err)
		}
	}
}

// An empty folder holds nothing that could be marked or listed.
func TestEmptyFolders(t *testing.T) {
	c := newClient(t, 12)
	if _, err := c.library.AddFolder(context.Background(), synctest.Ann, "Empty"); err != nil {
		t.Fatal(err)
	}
	if total, ids := c.list("categories/4/entries"); total != 0 || len(ids) != 0 {
		t.Errorf("%d entries", total)
	}
	if w := c.call(http.MethodPut, "categories/4/mark-all-as-read", ""); w.Code != http.StatusNoContent ||
		c.count(synctest.Ann, sync.Query{Read: sync.Only}) != 0 {
		t.Errorf("the answer is %d", w.Code)
	}
	if w := c.call(http.MethodPut, "categories/4/refresh", ""); w.Code != http.StatusNoContent ||
		len(c.library.Refreshed) != 0 {
		t.Errorf("the answer is %d, and %v are polled", w.Code, c.library.Refreshed)
	}
	if w := c.call(http.MethodGet, "categories/4/feeds", ""); strings.TrimSpace(w.Body.String()) != "[]" {
		t.Errorf("its feeds are %s", w.Body)
	}
}

func TestFeeds(t *testing.T) {
	c := newClient(t, 3)
	c.refused(http.StatusBadRequest, http.MethodPost, "feeds", `{"feed_url":"https://feed1.example/rss"}`)
	c.refused(http.StatusBadRequest, http.MethodPost, "feeds", `{"feed_url":""}`)
	c.refused(http.StatusBadRequest, http.MethodPost, "feeds", `{"feed_url":"x"}`)
	c.refused(http.StatusBadRequest, http.MethodPost, "feeds", `{"feed_url":"https://new.example/","category_id":99}`)
	c.refused(http.StatusBadGateway, http.MethodPost, "feeds", `{"feed_url":"https://broken.example/"}`)
	c.refused(http.StatusBadRequest, http.MethodPut, "feeds/1", `{"title":" "}`)
	c.refused(http.StatusBadRequest, http.MethodPut, "feeds/1", `{"category_id":99}`)
	c.refused(http.StatusNotFound, http.MethodPut, "feeds/99", `{"title":"x"}`)
	c.refused(http.StatusNotFound, http.MethodPut, "feeds/99", `{}`)
	c.refused(http.StatusNotFound, http.MethodDelete, "feeds/99", "")
	c.refused(http.StatusBadRequest, http.MethodPost, "categories", `{"title":" "}`)
	c.refused(http.StatusBadRequest, http.MethodPut, "categories/2", `{"title":"Q&A / C++"}`)
	c.refused(http.StatusNotFound, http.MethodPut, "categories/1", `{"title":"x"}`)
	c.refused(http.StatusNotFound, http.MethodDelete, "categories/1", "")
	c.refused(http.StatusBadRequest, http.MethodPost, "import", "x")
	if w := c.call(http.MethodDelete, "categories/2", ""); w.Code != http.StatusNoContent {
		t.Errorf("removing a folder: %d", w.Code)
	}
	feeds, _ := c.library.Feeds(context.Background(), synctest.Ann)
	if len(feeds) != 3 || feeds[0].Folder != sync.NoFolder {
		t.Errorf("the feeds are %v", feeds)
	}
}

// The lists have validators, which change with what is in them.
func TestValidators(t *testing.T) {
	c := newClient(t, 3)
	for _, list := range []string{"feeds", "categories", "icons/1", "categories/2/feeds"} {
		tag := c.call(http.MethodGet, list, "").Header().Get("ETag")
		again := func() int {
			return c.do(http.MethodGet, "/v1/"+list, "", "X-Auth-Token", synctest.AnnPassword, "If-None-Match",
				tag).Code
		}
		if tag == "" || again() != http.StatusNotModified {
			t.Errorf("%s has the validator %q and is answered with %d", list, tag, again())
		}
		title := "Title for " + list
		if err := errors.Join(c.library.RenameFolder(context.Background(), synctest.Ann, 2, title),
			c.library.ChangeFeed(context.Background(), synctest.Ann, 1, sync.Naming{Title: &title})); err != nil {
			t.Fatal(err)
		}
		if code := again(); (code == http.StatusOK) != (list != "icons/1") {
			t.Errorf("%s is answered with %d when names have changed", list, code)
		}
	}
	c.library.SetIcon(1, sync.Icon{Type: "image/png"})
	if w := c.call(http.MethodGet, "feeds/1", ""); !strings.Contains(w.Body.String(), `"icon_id":2`) {
		t.Errorf("the feed is %s", w.Body)
	}
}

func TestReadingTime(t *testing.T) {
	for html, want := range map[string]int{
		"": 1, "<p>one</p>": 1, strings.Repeat("word ", 265): 1, strings.Repeat("word ", 266): 2,
		strings.Repeat("<b>word</b>\n", 531):                3,
		"<img alt='" + strings.Repeat("word ", 5000) + "'>": 1,
	} {
		if got := readingTime(html); got != want {
			t.Errorf("%.20q: %d minutes, want %d", html, got, want)
		}
	}
}

// hostile 59: whatever a client sends, the answer is JSON or nothing, and what it has no name for stays as it
// is.
func FuzzCalls(f *testing.F) {
	for pattern := range routes {
		method, path, _ := strings.Cut(pattern, " ")
		for name, id := range map[string]string{"{id}": "1", "{feed}": "1", "{folder}": "2", "{entry}": "1000000001"} {
			path = strings.ReplaceAll(path, name, id)
		}
		f.Add(method, path, "status=read&limit=1&after=5&order=id&starred=1",
			`{"entry_ids":[1000000001],"status":"read","title":"x"}`)
	}
	f.Add("GET", "/v1/feeds/9999999999999999999/entries", "offset=99999999999999999999", "[")
	f.Fuzz(func(t *testing.T, method, path, query, body string) {
		if strings.ContainsAny(method, " /\r\n") || method == "" {
			return
		}
		c := newClient(t, 12)
		r := httptest.NewRequest(http.MethodGet, "/", strings.NewReader(body))
		r.Method, r.URL.Path, r.URL.RawQuery = method, path, query
		r.Header.Set("X-Auth-Token", synctest.AnnPassword)
		w := httptest.NewRecorder()
		c.handler.ServeHTTP(w, r)
		isJSON := strings.HasPrefix(w.Header().Get("Content-Type"), "application/json")
		if isJSON && !json.Valid(w.Body.Bytes()) || w.Code >= http.StatusInternalServerError &&
			w.Code != http.StatusBadGateway {
			t.Errorf("%s %q?%q with %q: %d %s", method, path, query, body, w.Code, w.Body)
		}
		if c.count(synctest.Ben, sync.Query{Read: sync.Only}) != 0 {
			t.Error("what Ben has changed")
		}
	})
}

// Every answer that has a body is compressed for a client that reads that, errors too.
func TestAnswersAreCompressed(t *testing.T) {
	c := newClient(t, 12)
	for pattern := range routes {
		method, path, _ := strings.Cut(pattern, " ")
		for name, id := range map[string]string{"{id}": "1", "{feed}": "1", "{folder}": "2", "{entry}": "1000000001"} {
			path = strings.ReplaceAll(path, name, id)
		}
		w := c.do(method, path, "{}", "X-Auth-Token", synctest.AnnPassword, "Accept-Encoding", "gzip")
		if w.Body.Len() > 0 && w.Header().Get("Content-Encoding") != "gzip" ||
			w.Code >= http.StatusInternalServerError {
			t.Errorf("%s: %d with %v", pattern, w.Code, w.Header())
		}
	}
}

// Whichever call to the library fails, the client learns that it has to come again, and nothing else.
func TestFailures(t *testing.T) {
	bodies := map[string]string{
		"POST /v1/feeds": `{"feed_url":"https://new.example/"}`, "PUT /v1/feeds/{feed}": `{"title":"x"}`,
		"POST /v1/categories":         `{"title":"x"}`,
		"PUT /v1/categories/{folder}": `{"title":"x"}`, "PUT /v1/entries": `{"entry_ids":[1000000001],"status":"read"}`,
		"POST /v1/import": "<opml/>",
	}
	for pattern := range routes {
		method, path, _ := strings.Cut(pattern, " ")
		for name, id := range map[string]string{"{id}": "1", "{feed}": "1", "{folder}": "2", "{entry}": "1000000001"} {
			path = strings.ReplaceAll(path, name, id)
		}
		for after := 0; ; after++ {
			c := newClient(t, 12)
			library := synctest.Fail(c.library, after)
			c.handler = New(library, c.gate, synctest.Log())
			w := c.do(method, path+"?counts=true", bodies[pattern], "X-Auth-Token", synctest.AnnPassword)
			if !library.Failed {
				if w.Code >= http.StatusInternalServerError {
					t.Errorf("%s: %d without a failure", pattern, w.Code)
				}
				break
			}
			if w.Code != http.StatusServiceUnavailable || !json.Valid(w.Body.Bytes()) ||
				strings.Contains(w.Body.String(), "disk") {
				t.Errorf("%s, when call %d fails: %d %.200s", pattern, after, w.Code, w.Body)
			}
		}
	}
}

// fetch-content has the text of the page that an item links to, else the feed's own, and nothing of what is another
// person's.
func TestFetchContent(t *testing.T) {
	c := newClient(t, 3)
	_, ids := c.list("entries?limit=2")
	c.library.SetPage(ids[0], "<p>the whole page</p>")
	content := func(id int64) string {
		w := c.call(http.MethodGet, fmt.Sprintf("entries/%d/fetch-content", id), "")
		var got struct {
			Content string `json:"content"`
			Time    int    `json:"reading_time"`
		}
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != http.StatusOK || got.Time < 1 {
			t.Fatalf("%d: %d %s", id, w.Code, w.Body)
		}
		return got.Content
	}
	if got := content(ids[0]); got != "<p>the whole page</p>" {
		t.Errorf("of the page: %q", got)
	}
	if got := content(ids[1]); got == "" || strings.Contains(got, "whole page") {
		t.Errorf("of the feed: %q", got)
	}
	c.refused(http.StatusNotFound, http.MethodGet, "entries/1999999999/fetch-content", "")
}
