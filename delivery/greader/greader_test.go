package greader

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

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

func newClient(t testing.TB) *client {
	library, gate := synctest.Sample()
	return &client{t, New(library, gate, synctest.Log()), library, gate}
}

// do sends a request with a form, if there is one, and with headers.
func (c *client) do(method, target, form string, headers ...string) *httptest.ResponseRecorder {
	c.t.Helper()
	r := httptest.NewRequest(method, target, strings.NewReader(form))
	if form != "" {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for n := 0; n < len(headers); n += 2 {
		r.Header.Set(headers[n], headers[n+1])
	}
	w := httptest.NewRecorder()
	c.handler.ServeHTTP(w, r)
	return w
}

const auth = "GoogleLogin auth=" + synctest.AnnPassword

func (c *client) get(call string) *httptest.ResponseRecorder {
	c.t.Helper()
	return c.do(http.MethodGet, api+call, "", "Authorization", auth)
}

func (c *client) post(call, form string) *httptest.ResponseRecorder {
	c.t.Helper()
	return c.do(http.MethodPost, api+call, form, "Authorization", auth)
}

// write posts what must be answered with OK.
func (c *client) write(call, form string) {
	c.t.Helper()
	w := c.post(call, form)
	if w.Code != http.StatusOK || w.Body.String() != "OK" || !strings.HasPrefix(w.Header().Get("Content-Type"),
		"text/plain") {
		c.t.Errorf("%s with %.200s: the answer is %d %q as %s", call, form, w.Code, w.Body,
			w.Header().Get("Content-Type"))
	}
}

// ids returns the numbers of a list, and its continuation.
func (c *client) ids(query string) (ids []string, next string) {
	c.t.Helper()
	w := c.get("stream/items/ids?output=json&" + query)
	var list struct {
		Refs []struct {
			ID string `json:"id"`
		} `json:"itemRefs"`
		Next *string `json:"continuation"`
	}
	if err := json.Unmarshal(w.Body.Bytes(), &list); err != nil || w.Code != http.StatusOK || list.Refs == nil {
		c.t.Fatalf("%s: the answer is %d %.200s: %v", query, w.Code, w.Body, err)
	}
	for _, ref := range list.Refs {
		ids = append(ids, ref.ID)
	}
	if list.Next != nil {
		if next = *list.Next; next == "" || len(ids) == 0 {
			c.t.Errorf("%s: the continuation is %q behind %d numbers", query, next, len(ids))
		}
	}
	return ids, next
}

// items returns the items of a stream, and its continuation.
func (c *client) items(call string) (items []item, next string) {
	c.t.Helper()
	w := c.get(call)
	var list struct {
		Items []item  `json:"items"`
		Next  *string `json:"continuation"`
	}
	if err := json.Unmarshal(w.Body.Bytes(), &list); err != nil || w.Code != http.StatusOK || list.Items == nil {
		c.t.Fatalf("%s: the answer is %d %.200s: %v", call, w.Code, w.Body, err)
	}
	if list.Next != nil {
		if next = *list.Next; next == "" || len(list.Items) == 0 {
			c.t.Errorf("%s: the continuation is %q behind %d items", call, next, len(list.Items))
		}
	}
	return list.Items, next
}

// state returns how Ann has an item.
func (c *client) state(number int64) sync.Item {
	c.t.Helper()
	items, err := c.library.ItemsOf(context.Background(), synctest.Ann, []int64{number})
	if err != nil || len(items) != 1 {
		c.t.Fatalf("item %d is not there: %v", number, err)
	}
	return items[0]
}

const first = sync.FirstNumber

// 1: numbers have ten digits, grow with arrival, fit 32 bits, and are read in all three forms.
func TestNumbers(t *testing.T) {
	c := newClient(t)
	ids, _ := c.ids("s=user/-/state/com.google/reading-list&r=o")
	if len(ids) != 1200 || !slices.IsSorted(ids) {
		t.Errorf("%d numbers, sorted as texts: %v", len(ids), slices.IsSorted(ids))
	}
	for _, id := range ids {
		if len(id) != 10 {
			t.Errorf("%q has not ten digits", id)
		}
	}
	for n, form := range []string{formatID(first + 1), formatID(first + 1)[len(longID):], fmt.Sprint(first + 1)} {
		c.write("edit-tag", url.Values{"i": {form}, "a": {"user/-/label/" + fmt.Sprint(n)}}.Encode())
	}
	if got := c.state(first + 1).Labels; !slices.Equal(got, []string{"0", "1", "2"}) {
		t.Errorf("the forms %v name the item", got)
	}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(sync.FirstNumber, sync.LastNumber).Draw(t, "number")
		for _, form := range []string{formatID(n), formatID(n)[len(longID):], fmt.Sprint(n),
			strings.ToUpper(formatID(n)[len(longID):])} {
			if got, ok := parseID(form); !ok || got != n {
				t.Fatalf("%q is %d, %v", form, got, ok)
			}
		}
	})
	for _, none := range []string{"", "1", "-1", "null", "0", "2147483648", "1000000000", "ffffffffffffffff", longID,
		longID + "x", longID + "-00000003b9aca01",
		longID + "+00000003b9aca01", "+1000000001", "-00000003b9aca01", "3b9aca01", "1000000001 OR 1=1",
		"9999999999999999999999"} {
		if n, ok := parseID(none); ok {
			t.Errorf("%q is item %d", none, n)
		}
	}
}

// 2: the paths of FreshRSS and plain ones, without redirects. Where there is nothing below them, that is the answer,
// and not 401, for which clients sign in again.
func TestPaths(t *testing.T) {
	c := newClient(t)
	for _, base := range []string{"", "/api/greader.php", "//api/greader.php", "/", "/api/greader.php/"} {
		for path, status := range map[string]int{
			"/check/compatibility": http.StatusOK, "/accounts/ClientLogin": http.StatusUnauthorized,
			"/reader/api/0/token":                          http.StatusUnauthorized,
			"/reader/api/0/subscription/list":              http.StatusUnauthorized,
			"/reader/api/0/stream/contents/feed%2F1":       http.StatusUnauthorized,
			"/reader/api/0/stream/contents/feed/https://x": http.StatusUnauthorized,
			"/reader/api/0/tag/list/":                      http.StatusUnauthorized,
			"/reader/atom/feed%2F1":                        http.StatusUnauthorized,
			"/reader/atom/":                                http.StatusNotFound,
			"/reader/api/0/edit-tag":                       http.StatusUnauthorized,
			"/reader/api/0/nothing":                        http.StatusNotFound,
			"/reader/api/0":                                http.StatusNotFound,
			"/reader":                                      http.StatusNotFound, "/accounts": http.StatusNotFound,
			"/index.html":              http.StatusNotFound,
			"/reader/api/0/edit-tag/x": http.StatusNotFound,
		} {
			w := c.do(http.MethodPost, "/x", "a=1")
			r := httptest.NewRequest(http.MethodPost, "http://node.example"+base+path, nil)
			c.handler.ServeHTTP(w, r)
			w = httptest.NewRecorder()
			c.handler.ServeHTTP(w, r)
			served := status != http.StatusNotFound || strings.HasPrefix(path, api) ||
				strings.HasPrefix(path, atomPrefix) || strings.Contains(base, prefix)
			if w.Code != status || Serves(r.URL.Path) != served {
				t.Errorf("%s%s: %d, served %v", base, path, w.Code, Serves(r.URL.Path))
			}
			if status == http.StatusOK && w.Body.String() != "PASS" {
				t.Errorf("%s%s: %q", base, path, w.Body)
			}
		}
	}
	for path, status := range map[string]int{
		"/": http.StatusNotFound, "/api/greader.php": http.StatusOK, "/api/greader.php/": http.StatusOK,
		"/api":                               http.StatusNotFound,
		"/api/greader.phpreader/api/0/token": http.StatusNotFound,
	} {
		if w := c.do(http.MethodGet, path, ""); w.Code != status || Serves(path) != (status == http.StatusOK) {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
}

// 3: a token in the header, in the form or in the URL lets in. Cookies do not.
func TestTokens(t *testing.T) {
	const token = synctest.AnnPassword
	for name, call := range map[string]struct {
		target, form, header string
		ok                   bool
	}{
		"header":                  {"edit-tag", "i=1", auth, true},
		"header in other letters": {"edit-tag", "i=1", "googlelogin Auth=" + token, true},
		"header and T":            {"edit-tag", "i=1&T=" + token, auth, true},
		"header and an old T":     {"edit-tag", "i=1&T=old", auth, true},
		"T":                       {"edit-tag", "i=1&T=" + token, "", true},
		"T and a line":            {"edit-tag", "i=1&T=" + token + "%0A", "", true},
		"T in the URL":            {"edit-tag?T=" + token, "i=1", "", true},
		"an old header and T":     {"edit-tag", "i=1&T=" + token, "GoogleLogin auth=old", false},
		"another header":          {"edit-tag", "i=1", "Bearer " + token, false},
		"an empty header":         {"edit-tag", "i=1", "GoogleLogin auth=", false},
		"an old T":                {"edit-tag", "i=1&T=old", "", false},
		"nothing":                 {"edit-tag", "i=1", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newClient(t).do(http.MethodPost, api+call.target, call.form, "Authorization", call.header,
				"Cookie", "session="+token+"; Auth="+token)
			switch {
			case call.ok && (w.Code != http.StatusOK || w.Body.String() != "OK"):
				t.Errorf("the answer is %d %s", w.Code, w.Body)
			case !call.ok &&
				(w.Code != http.StatusUnauthorized || w.Header().Get("X-Reader-Google-Bad-Token") != "true"):
				t.Errorf("the answer is %d with %v", w.Code, w.Header())
			}
		})
	}
}

// 3: a client that guesses waits; when the node has trouble, no client forgets its token.
func TestGuessesAndTrouble(t *testing.T) {
	c := newClient(t)
	last := 0
	for range 30 {
		w := c.do(http.MethodGet, api+"token", "", "Authorization", "GoogleLogin auth=guess")
		if last = w.Code; last == http.StatusTooManyRequests && w.Header().Get("Retry-After") != "30" {
			t.Errorf("Retry-After is %q", w.Header().Get("Retry-After"))
		}
	}
	if last != http.StatusTooManyRequests {
		t.Errorf("the thirtieth guess is answered with %d", last)
	}
	c.gate.Broken = true
	for _, w := range []*httptest.ResponseRecorder{c.get("token"),
		c.do(http.MethodPost, loginPath, "Email=ann&Passwd=x")} {
		if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" ||
			strings.Contains(w.Body.String(), "disk") {
			t.Errorf("trouble is %d %s", w.Code, w.Body)
		}
	}
}

// many adds unread items up to a number of them.
func (c *client) many(items int) {
	for range items - 200 {
		c.library.Arrive(sync.Item{Feed: 1, Title: "x"})
	}
}

// 4: what a client lacks in a list of unread items, it marks as read. So a long list is never short, whatever
// n says.
func TestUnreadListsAreWhole(t *testing.T) {
	const unread, starred = "s=user/-/state/com.google/reading-list&xt=user/-/state/com.google/read",
		"s=user/-/state/com.google/starred"
	c := newClient(t)
	c.many(60_000)
	yes := true
	if err := c.library.MarkAll(context.Background(), synctest.Ann, sync.Query{},
		sync.Change{Starred: &yes}); err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]int{
		unread: 60_000, unread + "&n=50000": 60_000, unread + "&n=2500": 60_000, unread + "&n=200000": 60_000,
		unread + "&n=0":  60_000,
		unread + "&n=-5": 60_000, unread + "&n=x": 60_000, starred + "&n=50000": 61_000,
		"it=user/-/state/com.google/starred&n=2500": 61_000,
		"s=user/-/state/com.google/unread&n=2500":   60_000, unread + "&n=99999999999999999999": 60_000,
	} {
		if ids, next := c.ids(query); len(ids) != want || next != "" {
			t.Errorf("%s: %d numbers, continuation %q", query, len(ids), next)
		}
	}
	// The newest only, and lists of read items, are as long as they are asked for.
	for query, want := range map[string]int{
		unread + "&n=1000": 1000, unread + "&n=2499": 2499, "n=10000": 10_000,
		"s=user/-/state/com.google/read&n=500": 500,
	} {
		if ids, next := c.ids(query); len(ids) != want || next == "" {
			t.Errorf("%s: %d numbers, continuation %q", query, len(ids), next)
		}
	}
}

// 4: the bound of a list is 200,000, and the continuation leads on.
func TestListsHave200000Numbers(t *testing.T) {
	if testing.Short() {
		t.Skip("adds 200,000 items")
	}
	c := newClient(t)
	c.many(sync.MaxNumbers + 10)
	const unread = "s=user/-/state/com.google/reading-list&xt=user/-/state/com.google/read&n=200000"
	ids, next := c.ids(unread)
	if len(ids) != sync.MaxNumbers || next == "" {
		t.Errorf("%d numbers, continuation %q", len(ids), next)
	}
	if rest, next := c.ids(unread + "&c=" + next); len(rest) != 10 || next != "" {
		t.Errorf("%d more numbers, continuation %q", len(rest), next)
	}
}

// 4: a client counts what is in the list of read items as read.
func TestReadListsHaveReadItemsAlone(t *testing.T) {
	c := newClient(t)
	for _, query := range []string{"s=user/-/state/com.google/read",
		"s=user/-/state/com.google/reading-list&it=user/-/state/com.google/read",
		"s=user/-/state/com.google/reading-list&xt=user/-/state/com.google/unread", "s=user/1234/state/com.google/read",
		"s=read"} {
		ids, _ := c.ids(query)
		if len(ids) != 1000 || slices.Max(ids) != fmt.Sprint(first+999) {
			t.Errorf("%s: %d numbers up to %s", query, len(ids), slices.Max(ids))
		}
	}
	for _, query := range []string{"s=user/-/state/com.google/read&xt=user/-/state/com.google/read",
		"s=read&xt=user/-/state/com.google/reading-list",
		"s=read&it=user/-/state/com.google/unread", "s=user/-/state/com.google/like", "s=feed/99",
		"s=feed/https://nobody.example/",
		"s=user/-/label/Nothing", "it=user/-/state/com.google/broadcast", "it=feed/99"} {
		if ids, next := c.ids(query); len(ids) != 0 || next != "" {
			t.Errorf("%s: %d numbers", query, len(ids))
		}
	}
	// hostile 59: a name that means nothing is an error.
	for _, name := range []string{"x", "user", "user/-", "user/-/state/com.google/", "user/-/label/", "feed/",
		"read' OR 1=1--", "../../feed/1", "\x00", "user/-/state/org/read"} {
		for _, parameter := range []string{"s", "it"} {
			if w := c.get("stream/items/ids?" +
				url.Values{parameter: {name}}.Encode()); w.Code != http.StatusBadRequest {
				t.Errorf("%s=%q: %d %.100s", parameter, name, w.Code, w.Body)
			}
		}
		if w := c.post("mark-all-as-read", url.Values{"s": {name}}.Encode()); w.Code != http.StatusBadRequest {
			t.Errorf("marking %q: %d", name, w.Code)
		}
	}
	if w := c.post("mark-all-as-read", "ts=1"); w.Code != http.StatusBadRequest {
		t.Errorf("marking no stream: %d", w.Code)
	}
	if n, _ := c.library.Count(context.Background(), synctest.Ann, sync.Query{Read: sync.Without}); n != 200 {
		t.Errorf("%d are unread", n)
	}
}

// 5: pages leave nothing out and repeat nothing while items arrive and are read.
func TestContinuations(t *testing.T) {
	for _, order := range []string{"", "&r=o", "&r=n", "&r=d"} {
		for _, n := range []int{5, 100, 200, 400} {
			c := newClient(t)
			query := fmt.Sprintf("s=feed/1&n=%d%s", n, order)
			seen := make(map[string]bool)
			pages := 0
			for next := ""; ; pages++ {
				ids, more := c.ids(query + "&c=" + next)
				for _, id := range ids {
					if seen[id] {
						t.Fatalf("%s: %s comes twice", query, id)
					}
					seen[id] = true
				}
				if more == "" {
					break
				}
				if next = more; pages < 20 {
					c.library.Arrive(sync.Item{Feed: 1})
				}
				c.write("edit-tag", "i="+ids[0]+"&a=user/-/state/com.google/read")
			}
			for number := int64(first); number < first+1200; number += 3 {
				if !seen[fmt.Sprint(number)] {
					t.Fatalf("%s: %d is left out", query, number)
				}
			}
			if want := (400 - 1) / n; order != "&r=o" && pages != want {
				t.Errorf("%s: %d pages before the last, want %d", query, pages, want)
			}
		}
	}
	c := newClient(t)
	for _, wrong := range []string{"x", "-1", "1", "1000000001x", "99999999999"} {
		if w := c.get("stream/items/ids?c=" + wrong); w.Code != http.StatusBadRequest {
			t.Errorf("the continuation %q: %d", wrong, w.Code)
		}
	}
	if ids, next := c.ids("s=feed/1&c=" + fmt.Sprint(first)); len(ids) != 0 || next != "" {
		t.Errorf("behind the last there are %v", ids)
	}
}

// 5: pages of items are full but for the last, also when they are large.
func TestPagesOfItemsAreFull(t *testing.T) {
	c := newClient(t)
	text := strings.Repeat("<p>long</p>", 600)
	for n := range 2600 {
		c.library.Arrive(sync.Item{Feed: 1, HTML: text + fmt.Sprint(n)})
	}
	seen := 0
	for next := ""; ; {
		items, more := c.items("stream/contents?n=3700&c=" + next)
		if seen += len(items); more == "" {
			break
		}
		if next = more; len(items) < leastItems {
			t.Errorf("a page has %d items", len(items))
		}
	}
	if seen != 3800 {
		t.Errorf("%d items in all pages", seen)
	}
	if items, _ := c.items("stream/contents?n=20000"); len(items) < leastItems {
		t.Errorf("a page has %d items", len(items))
	}
}

// vanishing has items that are gone when they are to be read, as when their feed is unfollowed meanwhile.
type vanishing struct{ sync.Library }

func (vanishing) ItemsOf(context.Context, sync.Person, []int64) ([]sync.Item, error) { return nil, nil }

// 5: a page of which nothing is left does not say that there are more: one client would ask for ever.
func TestPagesThatVanish(t *testing.T) {
	c := newClient(t)
	c.handler = New(vanishing{c.library}, c.gate, synctest.Log())
	if items, next := c.items("stream/contents?n=20"); len(items) != 0 || next != "" {
		t.Errorf("%d items, continuation %q", len(items), next)
	}
}

// 6: times are of arrival, included, in seconds or parts of them.
func TestTimesOfArrival(t *testing.T) {
	c := newClient(t)
	c.library.Pass(time.Hour / 2) // 13:30, and half a second
	c.library.Pass(time.Second / 2)
	old := fmt.Sprint(c.library.Arrive(sync.Item{Feed: 1, Published: time.Unix(1000, 0)}))
	at := c.library.Now().Unix()
	for query, want := range map[string]int{
		fmt.Sprintf("ot=%d", at): 1, fmt.Sprintf("ot=%d.5", at): 1, fmt.Sprintf("ot=%d.75", at): 0,
		fmt.Sprintf("ot=%d", at+1): 0,
		fmt.Sprintf("ot=%d", at-1): 1, "ot=0": 1201, "ot=": 1201, "ot=x": 1201, "ot=-5": 1201,
		fmt.Sprintf("ot=%d500", at): 1, fmt.Sprintf("ot=%d501", at): 0,
		fmt.Sprintf("nt=%d", at): 1201, fmt.Sprintf("nt=%d", at-1): 1200, fmt.Sprintf("nt=%d.25", at): 1200,
		"nt=0":                        1201,
		"ot=1772366340&nt=1772366340": 1,
	} {
		ids, _ := c.ids(query)
		if len(ids) != want || want == 1 && !strings.Contains(query, "nt") && ids[0] != old {
			t.Errorf("%s: %d numbers", query, len(ids))
		}
	}
}

// 6: what a client marks is what it has seen.
func TestTimesOfMarking(t *testing.T) {
	arrived := synctest.SampleTime // of the last item
	for ts, want := range map[string]int{
		"": 0, "0": 0, fmt.Sprint(arrived.UnixMicro()): 0, fmt.Sprint(arrived.UnixMicro() - 1): 1,
		fmt.Sprint(arrived.UnixMilli()):     0,
		fmt.Sprint(arrived.UnixMilli() - 1): 1, fmt.Sprint(arrived.Unix()): 0, fmt.Sprint(arrived.Unix() - 1): 1,
		"1": 200, "9223372036854775807": 0,
	} {
		c := newClient(t)
		form := "s=user/-/state/com.google/reading-list"
		if ts != "" {
			form += "&ts=" + ts
		}
		c.write("mark-all-as-read", form)
		if ids, _ := c.ids("xt=user/-/state/com.google/read"); len(ids) != want {
			t.Errorf("ts=%s: %d are unread, want %d", ts, len(ids), want)
		}
	}
	// What arrives later in the second that the client names has not been seen.
	c := newClient(t)
	c.library.Pass(time.Second / 2)
	late := c.library.Arrive(sync.Item{Feed: 1})
	c.write("mark-all-as-read", fmt.Sprintf("s=feed/1&ts=%d", c.library.Now().Unix()))
	if c.state(late).Read || !c.state(first+1197).Read || c.state(first+1199).Read {
		t.Error("the wrong items of the second are read")
	}
	if w := c.post("mark-all-as-read", "s=feed/1&ts=x"); w.Code != http.StatusBadRequest || c.state(late).Read {
		t.Errorf("a time that is none: %d", w.Code)
	}
}

// 7: a client passes over everything while a validator is the same. So the list of names has one that changes with it;
// and none have the list of feeds, without which another client asks for no items, and the lists of numbers.
func TestValidators(t *testing.T) {
	ctx := context.Background()
	folder, title := int64(3), "Other"
	for name, change := range map[string]struct {
		do    func(*client) error
		names bool // the list of names changes
	}{
		"nothing": {func(*client) error { return nil }, false},
		"a title": {func(c *client) error {
			return c.library.ChangeFeed(ctx, synctest.Ann, 1, sync.Naming{Title: &title})
		}, false},
		"a folder": {func(c *client) error {
			return c.library.ChangeFeed(ctx, synctest.Ann, 1, sync.Naming{Folder: &folder})
		}, false},
		"a folder's name": {func(c *client) error { return c.library.RenameFolder(ctx, synctest.Ann, 2, title) }, true},
		"a new folder": {func(c *client) error {
			_, err := c.library.AddFolder(ctx, synctest.Ann, title)
			return err
		}, true},
		"a label": {func(c *client) error {
			return c.library.Mark(ctx, synctest.Ann, []int64{first}, sync.Change{AddLabels: []string{title}})
		}, true},
		"an item": {func(c *client) error { c.library.Arrive(sync.Item{Feed: 1}); return nil }, false},
	} {
		c := newClient(t)
		tag := c.get("tag/list").Header().Get("ETag")
		if err := change.do(c); err != nil || tag == "" {
			t.Fatal(tag, err)
		}
		w := c.do(http.MethodGet, api+"tag/list", "", "Authorization", auth, "If-None-Match", tag)
		if (w.Code == http.StatusOK) != change.names || w.Code == http.StatusNotModified && w.Body.Len() > 0 {
			t.Errorf("%s: the list of names is answered with %d", name, w.Code)
		}
	}
	for _, call := range []string{"subscription/list", "stream/items/ids"} {
		h := newClient(t).get(call).Header()
		if h.Get("ETag") != "" || h.Get("Last-Modified") != "" {
			t.Errorf("%s has a validator: %v", call, h)
		}
	}
}

// 8: the answer to a login is cut into pieces by each client in its own way.
func TestLogin(t *testing.T) {
	c := newClient(t)
	for name, w := range map[string]*httptest.ResponseRecorder{
		"form": c.do(http.MethodPost, loginPath, "Email=ann&Passwd="+synctest.AnnPassword),
		"URL":  c.do(http.MethodGet, loginPath+"?Email=ann&Passwd="+synctest.AnnPassword, ""),
		"both": c.do(http.MethodPost, loginPath+"?accountType=GOOGLE&service=reader", "Email=ann&Passwd="+
			synctest.AnnPassword),
	} {
		lines := strings.Split(w.Body.String(), "\n")
		if w.Code != http.StatusOK || len(lines) != 3 || !strings.HasPrefix(lines[2], "Auth=") ||
			strings.ContainsAny(lines[2][5:], "=&: \\#") {
			t.Errorf("%s: %d %q", name, w.Code, w.Body)
		}
	}
	for _, form := range []string{"", "Email=ann", "Email=ann&Passwd=", "Email=ann&Passwd=" + synctest.BenPassword,
		"Passwd=" + synctest.AnnPassword} {
		w := c.do(http.MethodPost, loginPath, form)
		if w.Code != http.StatusUnauthorized || w.Body.String() != "Error=BadAuthentication\n" {
			t.Errorf("%s: %d %q", form, w.Code, w.Body)
		}
	}
	if w := c.do(http.MethodPost, loginPath, "Email=ann&Passwd="+
		strings.Repeat("x", maxLogin)); w.Code != http.StatusRequestEntityTooLarge {
		t.Errorf("a large form: %d", w.Code)
	}
}

// 10: errors are texts with the status that clients know.
func TestErrors(t *testing.T) {
	c := newClient(t)
	for _, w := range []*httptest.ResponseRecorder{
		c.post("subscription/edit", "ac=edit&s=feed/99&t=x"), c.post("subscription/edit", "ac=dance&s=feed/1"),
		c.post("subscription/edit", "ac=edit&s=x"),
		c.post("subscription/edit", "ac=subscribe&s=feed/https://broken.example/"), c.post("subscription/quickadd", ""),
		c.post("rename-tag", "s=user/-/label/News"), c.post("rename-tag", "s=user/-/label/News&dest=user/-/label/"),
		c.post("subscription/import", "x"),
	} {
		if w.Code != http.StatusBadRequest || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/plain") ||
			w.Body.Len() == 0 {
			t.Errorf("the answer is %d %q as %s", w.Code, w.Body, w.Header().Get("Content-Type"))
		}
	}
	for _, call := range []string{"edit-tag", "mark-all-as-read", "subscription/edit", "subscription/quickadd",
		"subscription/import", "rename-tag", "disable-tag"} {
		if w := c.get(call + "?i=1000000001"); w.Code != http.StatusMethodNotAllowed {
			t.Errorf("GET %s: %d", call, w.Code)
		}
	}
	w := c.do(http.MethodPost, api+"edit-tag", strings.Repeat("i=1&", sync.MaxBody/4+1), "Authorization", auth)
	if w.Code != http.StatusRequestEntityTooLarge {
		t.Errorf("a large body: %d", w.Code)
	}
	w = c.do(http.MethodPost, api+"edit-tag", strings.Repeat("i=1000000001&", 2*sync.MaxGuestBody/13), "Authorization",
		auth)
	if w.Code != http.StatusOK {
		t.Errorf("a body with many numbers: %d", w.Code)
	}
	w = c.do(http.MethodPost, api+"edit-tag", strings.Repeat("i=1&", sync.MaxGuestBody/4)+"T="+synctest.AnnPassword)
	if w.Code != http.StatusRequestEntityTooLarge {
		t.Errorf("a large body of a stranger: %d", w.Code)
	}
}

// Every answer is compressed for a client that reads that, errors too.
func TestAnswersAreCompressed(t *testing.T) {
	c := newClient(t)
	targets := []string{checkPath, loginPath, "/nothing", atomPrefix + "feed/1"}
	for call := range methods {
		targets = append(targets, api+call)
	}
	for _, target := range targets {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			w := c.do(method, target, "i=1000000001", "Authorization", auth, "Accept-Encoding", "gzip")
			if w.Header().Get("Content-Encoding") != "gzip" || w.Header().Get("Content-Type") == "" {
				t.Errorf("%s %s: %d with %v", method, target, w.Code, w.Header())
			}
		}
	}
}

// Whichever call to the library fails, the client learns that it has to come again, and nothing else.
func TestFailures(t *testing.T) {
	const form = "s=user/-/label/News&dest=user/-/label/New&a=user/-/label/Other&quickadd=https://new.example/x&T=x&output=json"
	for path, form := range map[string]string{
		api + "subscription/list": "", api + "subscription/export": "", api + "tag/list": "", api + "unread-count": "",
		api + "stream/items/ids": "",
		api + "stream/contents":  "", atomPrefix + "feed/1": "", api + "stream/items/contents": "i=1000000001",
		api + "subscription/import":   "<opml/>",
		api + "subscription/quickadd": form, api + "subscription/edit": "ac=edit&s=feed/1&t=x&a=user/-/label/Other",
		api + "edit-tag":         form,
		api + "mark-all-as-read": form, api + "rename-tag": form, api + "disable-tag": form,
		api + "edit-tag?i=1000000001": form, api + "subscription/edit?ac=subscribe&s=feed/https://new.example/": "t=x",
		api + "subscription/edit?ac=unsubscribe&s=feed/1":            "t=x",
		api + "rename-tag?s=user/-/label/News&dest=user/-/label/All": "t=x",
	} {
		for after := 0; ; after++ {
			c := newClient(t)
			if err := c.library.Mark(context.Background(), synctest.Ann, []int64{first},
				sync.Change{AddLabels: []string{"Later"}}); err != nil {
				t.Fatal(err)
			}
			library := synctest.Fail(c.library, after)
			c.handler = New(library, c.gate, synctest.Log())
			method := http.MethodPost
			if form == "" {
				method = http.MethodGet
			}
			w := c.do(method, path, form, "Authorization", auth)
			if !library.Failed {
				if after == 0 || w.Code >= http.StatusInternalServerError {
					t.Errorf("%s: %d without a failure", path, w.Code)
				}
				break
			}
			if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" ||
				strings.Contains(w.Body.String(), "disk") {
				t.Errorf("%s, when call %d fails: %d %.200s", path, after, w.Code, w.Body)
			}
		}
	}
}
