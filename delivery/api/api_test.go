package api

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"tidings"
	"tidings/delivery/auth"
)

const (
	news  = "https://news.example/feed"
	page  = "https://shop.example/prices"
	other = "https://secret.example/feed" // followed by the second account alone
)

const second tidings.AccountID = 2

// filled is a fake with two accounts, two channels of the first, and content for both channels.
func filled() *fake {
	f := newFake()
	f.follow(tidings.Owner, tidings.Subscription{Channel: tidings.Channel{
		URL: news, Site: "https://news.example/", Title: "News", Kind: tidings.KindFeed, Version: 2}, Name: "Mine",
		Folder: "a/b"})
	f.follow(tidings.Owner,
		tidings.Subscription{Channel: tidings.Channel{URL: page, Kind: tidings.KindPage, Version: 3}})
	f.follow(second, tidings.Subscription{Channel: tidings.Channel{URL: other, Kind: tidings.KindFeed, Version: 1}})
	f.states[news+" 1"] = tidings.State{Channel: news, Kind: tidings.KindFeed, Version: 1, Items: []tidings.Item{
		{ID: "1", Title: "one"}, {ID: "2", Title: "two"}, {ID: "same", Title: "x"}, {ID: "same", Title: "y"}}}
	f.states[news+" 2"] = tidings.State{Channel: news, Kind: tidings.KindFeed, Version: 2, Items: []tidings.Item{
		{ID: "3", Title: "three"}, {ID: "2", Title: "two!"}, {ID: "same", Title: "x"}, {ID: "same", Title: "y"}}}
	f.states[page+" 2"] = tidings.State{Channel: page, Kind: tidings.KindPage, Version: 2, Lines: []string{"a"}}
	f.states[page+" 3"] = tidings.State{Channel: page, Kind: tidings.KindPage, Version: 3, Lines: []string{"b"}}
	f.entries = []tidings.Entry{{ID: 2, Channel: news, Starred: true}, {ID: 1, Channel: page, Read: true}}
	f.found(news, "first")
	f.found(other, "not for the owner")
	f.found(page, "third")
	return f
}

func configOf(f *fake) Config {
	return Config{
		Store: f, Node: f, Local: true,
		Diff: func(from, to []string) (string, error) { return "1c1\n< " + from[0] + "\n---\n> " + to[0] + "\n", nil },
		Canonical: func(a string) (string, error) {
			if strings.Contains(a, " ") {
				return "", errors.New("it has a blank")
			}
			return strings.TrimSuffix(a, "#top"), nil
		},
	}
}

// as lets requests come from an account.
func as(account tidings.AccountID, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(w, r.WithContext(auth.WithAccount(r.Context(), account)))
	})
}

func ask(h http.Handler, method, target, body string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, Base+target, strings.NewReader(body))
	if body != "" || method == "POST" {
		r.Header.Set("Content-Type", typeJSON)
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestRoutes(t *testing.T) {
	for _, test := range []struct {
		method, target, body string
		status               int
		want                 string // part of the answer
	}{
		{"GET", "channels", "", 200, `"name":"Mine"`},
		{"GET", "channel?url=" + news, "", 200, `"title":"News"`},
		{"GET", "channel?url=" + news + "%23top", "", 200, `"title":"News"`},
		{"GET", "channel?url=https://me:secret@news.example/feed", "", 200, `"title":"News"`},
		{"GET", "channel?url=https://news.example/", "", 200, `"title":"News"`},
		{"GET", "channel?url=https://x.example/", "", 404, `"hint":"follow it first: tidings subscribe URL"`},
		{"GET", "channel?url=a%20b", "", 400, `it has a blank`},
		{"GET", "channel", "", 400, `parameter \"url\" is missing`},
		{"POST", "channels", `{"url":"https://new.example/"}`, 201, `"url":"https://new.example/"`},
		{"POST", "channels", `{"url":"` + news + `"}`, 409, `already there`},
		{"POST", "channels", `{"url":" "}`, 400, `field \"url\" is missing`},
		{"POST", "channels", `{"url":"https://new.example/","privacy":"open"}`, 400, `\"open\" is no privacy class`},
		{"POST", "channels", `{"url":"https://new.example/","colour":"red"}`, 400, `unknown field \"colour\"`},
		{"POST", "channels", `[]`, 400, `{"error":"the body is not a JSON object","hint":"send one JSON object"}`},
		{"POST", "channels", `{"url":1}`, 400, `field \"url\" cannot be a number`},
		{"POST", "channels", `{"url":"https://new.example/"} {}`, 400, `more than one`},
		{"POST", "channels", `{`, 400, `no JSON`},
		{"POST", "channels", ``, 400, `empty`},
		{"POST", "channels", `{"url":"` + strings.Repeat("x", maxBody) + `"}`, 413, `larger than`},
		{"DELETE", "channels?url=" + page, "", 200, page},
		{"DELETE", "channels?url=" + other, "", 404, `not followed`},
		{"PATCH", "channel?url=" + news, `{"folder":"c","privacy":"unlisted"}`, 200, `"privacy":"unlisted"`},
		{"PATCH", "channel?url=" + news, `{"folder":""}`, 200, `"name":"Mine"`},
		{"PATCH", "channel?url=" + news, `{"edits_as_items":true}`, 200, `"edits_as_items":true`},
		{"PATCH", "channel?url=" + news, `{"privacy":"x"}`, 400, `no privacy class`},
		{"POST", "poll?url=" + news, "", 200, `"outcome":"not modified"`},
		{"POST", "poll?url=" + other, "", 404, `not followed`},
		{"POST", "preview", `{"url":"https://new.example/"}`, 200, `"kind":"feed"`},
		{"GET", "updates", "", 200, `[{"id":1,`},
		{"GET", "updates?after=1", "", 200, `[{"id":3,`},
		{"GET", "updates?limt=1", "", 400, `no parameter \"limt\" here","hint":"there are: since, after, limit, `},
		{"GET", "updates?limit=1;after=2", "", 400, `parameters cannot be read`},
		{"GET", "status?url=x", "", 400, `no parameter \"url\" here","hint":"leave it out`},
		{"HEAD", "updates?limt=1", "", 400, ``},
		{"POST", "preview", `{"URLs":"x"}`, 400,
			`unknown field \"URLs\"","hint":"there are: access, as_page, cookies, edits_as_items, entries, folder, `},
		{"GET", "updates?newest=true&limit=1", "", 200, `[{"id":3,`},
		{"GET", "updates?limit=1", "", 200, `[{"id":3,`},
		{"GET", "updates?after=0&limit=1", "", 200, `[{"id":1,`},
		{"GET", "updates?channel=" + page + "%23top", "", 200, `[{"id":3,`},
		{"GET", "updates?after=99", "", 200, `[]`},
		{"GET", "updates?limit=1001", "", 400, `\"limit\" is not at most 1000`},
		{"GET", "updates?after=-1", "", 400, `\"after\" is not`},
		{"GET", "updates?since=yesterday", "", 400, `\"since\" is not a time`},
		{"GET", "updates?newest=maybe", "", 400, `\"newest\" is not true or false`},
		{"GET", "updates/3", "", 200, `"delta":"third"`},
		{"GET", "updates/2", "", 404, `not found`}, // another account's
		{"GET", "updates/x", "", 404, `nothing of that number`},
		{"GET", "entries", "", 200, `[{"id":2,`},
		{"GET", "entries?unread", "", 200, `"starred":true`},
		{"GET", "entries/1", "", 200, `"id":1`},
		{"GET", "entries/9", "", 404, `not found`},
		{"POST", "entries/read", `{"items":[1,2],"read":true}`, 204, ""},
		{"POST", "entries/read-all", `{"up_to":5,"folder":"a"}`, 200, `{"marked":7}`},
		{"POST", "entries/read-all", `{}`, 400, `up_to`},
		{"POST", "entries/star", `{"item":1,"starred":true}`, 204, ""},
		{"GET", "state?url=" + news + "&version=1", "", 200, `"title":"one"`},
		{"GET", "state?url=" + news + "&version=9", "", 404, `has no version 9`},
		{"GET", "state?url=" + other, "", 404, `not followed`},
		{"GET", "diff?url=" + page, "", 200, `"from":2,"to":3,"delta":"1c1`},
		{"GET", "diff?url=" + page + "&from=x", "", 400, `\"from\"`},
		{"GET", "diff?url=" + other, "", 404, `not followed`},
		{"GET", "status", "", 200, `"id":"abc"`},
		{"POST", "backup", `{"no_keys":true}`, 200, `a copy`},
		{"POST", "backup", `{"file":"/b"}`, 400, `unknown field \"file\"`},
		{"PUT", "password", `{"password":"short"}`, 400, `8 to 1024 bytes`},
		{"PUT", "password", `{"password":""}`, 204, ""},
		{"POST", "tokens", `{"label":"phone"}`, 201, `"secret":"tdg_`},
		{"POST", "tokens", `{"label":"old phone","fever_user":"ann"}`, 201, `"secret":"tdg_`},
		{"POST", "tokens", `{"label":"old phone","fever_user":"an n"}`, 400, `no blanks`},
		{"POST", "tokens", `{"label":"old phone","fever_user":""}`, 400, `1 to 64 bytes`},
		{"GET", "tokens", "", 200, `[]`},
		{"DELETE", "tokens/5", "", 404, `not found`},
		{"GET", "feeds", "", 200, `[]`},
		{"POST", "feeds", `{"selection":"folder","of":"daily","name":"x"}`, 201, `"selection":"folder","of":"daily"`},
		{"POST", "feeds", `{"selection":"channel","of":"` + news + `"}`, 201, `"atom":"/feeds/`},
		{"POST", "feeds", `{"selection":"channel","of":"` + other + `"}`, 404, `not followed`},
		{"POST", "feeds", `{"selection":"channel"}`, 400, `say which channel`},
		{"POST", "feeds", `{"selection":"king"}`, 400, `not of`},
		{"POST", "feeds", `{"selection":"river","secret":"mine"}`, 400, `unknown field`},
		{"DELETE", "feeds/5", "", 404, `tidings feed list`},
		{"GET", "nothing", "", 404, `nothing at this address`},
		{"PUT", "status", "{}", 405, `"hint":"possible: GET"`},
		{"HEAD", "status", "", 200, ""},
	} {
		t.Run(test.method+" "+clip(test.target+" "+test.body), func(t *testing.T) {
			w := ask(as(tidings.Owner, New(configOf(filled()))), test.method, test.target, test.body)
			if w.Code != test.status || !strings.Contains(w.Body.String(), test.want) {
				t.Errorf("got %d %s\nwant %d with %s", w.Code, w.Body, test.status, test.want)
			}
			if strings.Count(w.Body.String(), "\n") > 1 {
				t.Errorf("the answer has several lines: %s", w.Body)
			}
			if w.Code >= 400 {
				var p problem
				if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || p.Error == "" {
					t.Errorf("no error object: %s", w.Body)
				}
			}
		})
	}
}

func clip(s string) string { return s[:min(len(s), 60)] }

func TestNobodyIsAnsweredWithoutAnAccount(t *testing.T) {
	h := New(configOf(filled()))
	for path, methods := range (&handler{Config: Config{Local: true}}).routes() {
		for method := range methods {
			w := ask(h, method, strings.ReplaceAll(path, "{id}", "1"), "")
			if w.Code != http.StatusUnauthorized {
				t.Errorf("%s %s: %d", method, path, w.Code)
			}
		}
	}
}

func TestOnlyTheSocketOpensFilesAndKeys(t *testing.T) {
	c := configOf(filled())
	c.Local = false
	h := as(tidings.Owner, New(c))
	for _, path := range []string{"backup", "password", "tokens", "tokens/1", "zone/attributes", "zone/functions"} {
		if w := ask(h, "POST", path, "{}"); w.Code != http.StatusNotFound {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
}

func TestJSONLinesWhenAskedFor(t *testing.T) {
	h := as(tidings.Owner, New(configOf(filled())))
	w := ask(h, "GET", "updates", "", "Accept", "text/html;q=0.1, application/x-ndjson")
	lines := strings.Split(strings.TrimSpace(w.Body.String()), "\n")
	if len(lines) != 2 || w.Header().Get("Content-Type") != typeNDJSON {
		t.Fatalf("got %s", w.Body)
	}
	for _, line := range lines {
		var u tidings.Update
		if err := json.Unmarshal([]byte(line), &u); err != nil || u.ID == 0 {
			t.Errorf("line %s: %v", line, err)
		}
	}
}

func TestReasonsOfOriginsAreTold(t *testing.T) {
	f := filled()
	f.previewErr = errors.New("checking https://x.example/: no such host\nat all")
	w := ask(as(tidings.Owner, New(configOf(f))), "POST", "preview", `{"url":"https://x.example/"}`)
	if w.Code != http.StatusBadGateway || !strings.Contains(w.Body.String(), "no such host at all") {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
}

func TestReasonsOfTheStoreAreNot(t *testing.T) {
	f := filled()
	f.readErr = errors.New("sqlite: disk I/O error in /home/me")
	w := ask(as(tidings.Owner, New(configOf(f))), "GET", "updates", "")
	if w.Code != http.StatusInternalServerError || strings.Contains(w.Body.String(), "sqlite") {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
}

func TestDiffOfFeedsTellsItems(t *testing.T) {
	w := ask(as(tidings.Owner, New(configOf(filled()))), "GET", "diff?url="+news, "")
	var d Difference
	if err := json.Unmarshal(w.Body.Bytes(), &d); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range d.Items {
		before := ""
		if c.Before != nil {
			before = " was " + c.Before.Title
		}
		got = append(got, string(c.Change)+" "+c.Item.Title+before)
	}
	if want := "new three; changed two! was two; gone one"; strings.Join(got, "; ") != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// hostile 57: what a page of another site can have a browser send changes nothing. The
// names under which the node may be asked for are package auth's.
func TestHostile57CrossSiteRequests(t *testing.T) {
	const subscribe = `{"url":"https://evil.example/feed"}`
	for name, test := range map[string]struct {
		method, target, body string
		header               []string
		status               int
	}{
		"a form of another site": {"POST", "channels", subscribe,
			[]string{"Content-Type", "text/plain", "Sec-Fetch-Site", "cross-site"}, 403},
		"fetch of another site": {"POST", "channels", subscribe, []string{"Sec-Fetch-Site", "cross-site"},
			403},
		"a neighbour of the same domain": {"POST", "channels", subscribe, []string{"Sec-Fetch-Site", "same-site"},
			403},
		"an old browser": {"POST", "channels", subscribe, []string{"Origin", "https://evil.example"},
			403},
		"a sandboxed frame": {"POST", "channels", subscribe, []string{"Origin", "null"}, 403},
		"a form without origin": {"POST", "channels", subscribe,
			[]string{"Content-Type", "application/x-www-form-urlencoded"}, 415},
		"a form that looks like JSON": {"POST", "channels", subscribe, []string{"Content-Type", "text/plain"},
			415},
		"a form without a body": {"POST", "poll?url=" + news, "", []string{"Content-Type", ""}, 415},
		"an upload": {"POST", "opml", "<opml/>",
			[]string{"Content-Type", "multipart/form-data; boundary=x"}, 415},
		"deleting from another site": {"DELETE", "channels?url=" + news, "",
			[]string{"Sec-Fetch-Site", "cross-site"}, 403},
		"a method in the query is nothing": {"GET", "channels?_method=DELETE&url=" + news, "", nil, 400},
		"the node's own page": {"POST", "channels", subscribe, []string{"Sec-Fetch-Site", "same-origin"},
			201},
		"a program": {"POST", "channels", subscribe, nil, 201},
	} {
		t.Run(name, func(t *testing.T) {
			f := filled()
			w := ask(as(tidings.Owner, New(configOf(f))), test.method, test.target, test.body, test.header...)
			if w.Code != test.status {
				t.Errorf("got %d %s, want %d", w.Code, w.Body, test.status)
			}
			want := 2
			if w.Code == http.StatusCreated {
				want = 3
			}
			if all, _ := f.Channels(t.Context(), tidings.Owner); len(all) != want {
				t.Errorf("%d channels are followed, want %d", len(all), want)
			}
			if w.Header().Get("Access-Control-Allow-Origin") != "" {
				t.Error("another site may read the answer")
			}
		})
	}
}

func FuzzQuery(f *testing.F) {
	seeds := []string{"", "since=2026-01-02T03:04:05.678Z&after=3&limit=10", "newest&unread=1",
		"after=99999999999999999999",
		"limit=-1", "since=2h", "%zz=1", "after=1;limit=2", "before=9223372036854775807", "unread=perhaps"}
	for _, seed := range seeds {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		r := httptest.NewRequest("GET", Base+"updates", nil)
		r.URL.RawQuery = raw
		q := queryOf(r)
		u, e := q.updates(), q.entries()
		if q.err != nil {
			var refused *Error
			if !errors.As(q.err, &refused) || refused.Status != http.StatusBadRequest {
				t.Fatalf("%q: %v is no refusal", raw, q.err)
			}
			return
		}
		if u.After < 0 || u.Limit < 0 || u.Limit > tidings.MaxLimit || e.Before < 0 || e.Limit > tidings.MaxLimit {
			t.Fatalf("%q: out of bounds: %+v %+v", raw, u, e)
		}
	})
}

// hostile 59: lists of more items than are marked at once, and numbers that are none, never reach the store.
func TestHostile59ListsOfItems(t *testing.T) {
	f := filled()
	h := as(tidings.Owner, New(configOf(f)))
	list := func(n int, item string) string {
		return `{"read":true,"items":[` + strings.TrimSuffix(strings.Repeat(item+",", n), ",") + "]}"
	}
	for name, c := range map[string]struct {
		body string
		want int
	}{
		"one too many":   {list(maxItems+1, "1"), http.StatusRequestEntityTooLarge},
		"a million":      {list(1_000_000, "12"), http.StatusRequestEntityTooLarge},
		"SQL":            {list(1, `"1) OR (1=1"`), http.StatusBadRequest},
		"a fraction":     {list(1, "1.5"), http.StatusBadRequest},
		"out of range":   {list(1, "9223372036854775808"), http.StatusBadRequest},
		"a nested list":  {list(1, "[1]"), http.StatusBadRequest},
		"nested deeply":  {strings.Repeat(`{"items":`, 100_000), http.StatusBadRequest},
		"an object more": {list(1, "1") + "{}", http.StatusBadRequest},
	} {
		if w := ask(h, "POST", "entries/read", c.body); w.Code != c.want {
			t.Errorf("%s: %d %s, want %d", name, w.Code, w.Body, c.want)
		}
	}
	if len(f.marked) > 0 {
		t.Errorf("marked: %.200q", f.marked)
	}
	if w := ask(h, "POST", "entries/read", list(maxItems, "1")); w.Code != http.StatusNoContent {
		t.Errorf("as many as may be: %d %s", w.Code, w.Body)
	}
}
