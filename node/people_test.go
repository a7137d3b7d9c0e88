package node

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"tidings"
	"tidings/delivery/api"
	"tidings/delivery/auth"
	"tidings/lab/origin"
)

const personsPassword = "long enough"

// person is a visitor that is signed in at a node's page, without a browser.
type person struct {
	t      testing.TB
	node   *Node
	cookie string
}

// startShared starts a node for several people: the owner, and readers. It returns the owner's client.
func startShared(t testing.TB, names ...string) (*Node, *api.Client, []person) {
	t.Helper()
	n, client := startNode(t)
	if err := client.SetPassword(t.Context(), personsPassword); err != nil {
		t.Fatal(err)
	}
	var readers []person
	for _, name := range names {
		if _, err := client.Users().Add(t.Context(), api.NewPerson{Name: name, Password: personsPassword}); err != nil {
			t.Fatal(err)
		}
		readers = append(readers, signIn(t, n, name))
	}
	return n, client, readers
}

func signIn(t testing.TB, n *Node, name string) person {
	t.Helper()
	p := person{t: t, node: n}
	r := p.request("POST", "/login", "application/x-www-form-urlencoded",
		url.Values{"name": {name}, "password": {personsPassword}}.Encode())
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	for _, c := range resp.Cookies() {
		if c.Name == auth.CookieName {
			p.cookie = c.Value
		}
	}
	if p.cookie == "" {
		t.Fatalf("%s is not signed in: %d", name, resp.StatusCode)
	}
	return p
}

func (p person) request(method, path, kind, body string) *http.Request {
	r, err := http.NewRequestWithContext(p.t.Context(), method, p.node.URL()+path, strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	r.Header.Set("Accept", "text/html, application/json")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	if kind != "" {
		r.Header.Set("Content-Type", kind)
	}
	if p.cookie != "" {
		r.AddCookie(&http.Cookie{Name: auth.CookieName, Value: p.cookie})
	}
	return r
}

// ask returns what a request is answered, without following redirects. It asks again, later, when the node answers that
// this person asks too often: tests wait for events by asking.
func (p person) ask(method, path, kind, body string) (status int, header http.Header, text string) {
	p.t.Helper()
	for {
		status, header, text = p.askOnce(method, path, kind, body)
		if status != http.StatusTooManyRequests {
			return status, header, text
		}
		time.Sleep(100 * time.Millisecond)
	}
}

func (p person) askOnce(method, path, kind, body string) (status int, header http.Header, text string) {
	p.t.Helper()
	resp, err := http.DefaultTransport.RoundTrip(p.request(method, path, kind, body))
	if err != nil {
		p.t.Fatal(err)
	}
	defer resp.Body.Close()
	all, err := io.ReadAll(resp.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return resp.StatusCode, resp.Header, string(all)
}

func (p person) json(method, path string, body, into any) int {
	p.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		p.t.Fatal(err)
	}
	status, _, answer := p.ask(method, api.Base+path, "application/json", string(text))
	if into != nil {
		if err := json.Unmarshal([]byte(answer), into); err != nil {
			p.t.Fatalf("%s %s: %d %s: %v", method, path, status, answer, err)
		}
	}
	return status
}

// asked is the subject of one request of a route: a channel by its address, or an entry or an update by its number.
type asked struct {
	path, kind, body string
}

// about returns for each route requests about a channel at an address; its entry and its update have the number id.
// Routes of nil name no channel.
var about = func() map[string]func(address string, id int64) []asked {
	of := func(path string) func(string, int64) []asked { // the address is a parameter
		return func(address string, id int64) []asked {
			return []asked{{path: strings.ReplaceAll(path, "%s", url.QueryEscape(address))}}
		}
	}
	numbered := func(path string) func(string, int64) []asked {
		return func(_ string, id int64) []asked { return []asked{{path: fmt.Sprintf(path, id)}} }
	}
	form := func(path string, fields ...string) func(string, int64) []asked {
		return func(address string, id int64) []asked {
			v := url.Values{}
			for i := 0; i < len(fields); i += 2 {
				v.Set(fields[i], strings.NewReplacer("URL", address, "ID", fmt.Sprint(id)).Replace(fields[i+1]))
			}
			return []asked{{path, "application/x-www-form-urlencoded", v.Encode()}}
		}
	}
	sent := func(path, body string) func(string, int64) []asked {
		return func(address string, id int64) []asked {
			fill := strings.NewReplacer("URL", address, "ESCAPED", url.QueryEscape(address), "ID", fmt.Sprint(id))
			return []asked{{fill.Replace(path), "application/json", fill.Replace(body)}}
		}
	}
	together := func(all ...func(string, int64) []asked) func(string, int64) []asked {
		return func(address string, id int64) (requests []asked) {
			for _, one := range all {
				requests = append(requests, one(address, id)...)
			}
			return requests
		}
	}
	v1 := api.Base
	return map[string]func(string, int64) []asked{
		"GET /login": nil, "POST /login": nil, "GET /login/openid": nil, "GET /login/openid/return": nil,
		"GET /assets/{file}": nil, "GET /events": nil, "GET /add/query": nil, "GET /opml": nil, "GET /opml/export": nil,
		"GET /settings": nil, "POST /settings/appearance": nil, "POST /settings/password": nil,
		"POST /settings/tokens": nil, "POST /settings/tokens/delete": nil,
		"POST /settings/sessions/end": nil, "POST /login/passkey": nil, "POST /login/passkey/options": nil,
		"POST /settings/passkeys":         nil,
		"POST /settings/passkeys/options": nil, "POST /settings/passkeys/confirm": nil,
		"POST /settings/passkeys/remove": nil, "GET /help": nil, "POST /logout": nil, "/": nil,
		"POST /add/query/follow": nil, "POST /opml": nil,
		"POST /settings/feeds": form("/settings/feeds", "what", "channel", "of", "URL"),
		"GET /offline/list":    of("/offline/list"), "GET /offline/shell": of("/offline/shell"),
		"GET /offline/articles": numbered("/offline/articles?entries=%d"),
		"POST /offline/marks": func(_ string, id int64) []asked {
			return sent("/offline/marks", `{"marks":[{"do":"star","entry":ID}]}`)("", id)
		},
		"POST /settings/feeds/remove": nil, "GET /api/v1/feeds": nil, "DELETE /api/v1/feeds/{id}": nil,
		"POST /api/v1/feeds":  sent(v1+"feeds", `{"selection":"channel","of":"URL"}`),
		"GET /api/v1/targets": nil, "DELETE /api/v1/targets/{id}": nil, "POST /api/v1/targets/{id}/test": nil,
		"GET /api/v1/deliveries": nil, "DELETE /api/v1/deliveries": nil, "POST /api/v1/deliveries/retry": nil,
		"GET /api/v1/filters": nil, "DELETE /api/v1/filters/{id}": nil, "POST /api/v1/filters/{id}/show": nil,
		"POST /api/v1/filters":       sent(v1+"filters", `{"condition":"channel = 'URL'","actions":{"read":true}}`),
		"POST /api/v1/filters/check": sent(v1+"filters/check", `{"condition":"channel = 'URL'"}`),
		"PATCH /api/v1/filters/{id}": sent(v1+"filters/1", `{"condition":"channel = 'URL'"}`),
		"POST /api/v1/items":         nil, // its channels are made of names
		"POST /api/v1/targets": sent(v1+"targets",
			`{"name":"x","kind":"webhook","url":"https://example.org/","channel":"URL"}`),
		"PATCH /api/v1/targets/{id}": sent(v1+"targets/1", `{"channel":"URL"}`),
		"GET /notifications":         of("/notifications"), "GET /notifications/{id}": nil,
		"POST /notifications/{id}/test":    nil,
		"POST /notifications/{id}/confirm": nil, "POST /api/v1/targets/{id}/confirm": nil, "GET /api/v1/push-key": nil,
		"GET /notifications/{id}/remove": nil, "POST /notifications/{id}/remove": nil,
		"POST /notifications/retry": nil, "POST /notifications/drop": nil,
		"POST /notifications": form("/notifications", "name", "x", "kind", "discord",
			"url", "https://discord.com/api/webhooks/1/a", "gets", "channel/URL"),
		"POST /notifications/{id}": form("/notifications/1", "name", "x", "kind", "discord",
			"url", "https://discord.com/api/webhooks/1/a", "gets", "channel/URL"),
		"POST /notifications/preview": form("/notifications/preview", "name", "x", "kind", "discord",
			"url", "https://discord.com/api/webhooks/1/a", "gets", "channel/URL"),
		"GET /filters": nil, "GET /filters/{id}": nil, "POST /filters/{id}/move": nil, "POST /filters/{id}/show": nil,
		"POST /filters/{id}/remove": nil,
		"GET /filters/new":          together(of("/filters/new?channel=%s"), numbered("/filters/new?entry=%d")),
		"POST /filters":             form("/filters", "condition", "channel = 'URL'", "read", "on"),
		"POST /filters/check":       form("/filters/check", "condition", "channel = 'URL'"),
		"POST /filters/{id}":        form("/filters/1", "condition", "channel = 'URL'", "read", "on"),
		"POST /filters/{id}/check":  form("/filters/1/check", "condition", "channel = 'URL'"),
		"GET /{$}":                  together(of("/?channel=%s"), of("/")),
		"POST /read":                form("/read", "channel", "URL", "upto", "ID"),
		"GET /entry/{id}":           numbered("/entry/%d"),
		"GET /chapters/{id}":        numbered("/chapters/%d"),
		"POST /entry/{id}": func(_ string, id int64) []asked {
			return form(fmt.Sprintf("/entry/%d", id), "do", "star")("", id)
		},
		"POST /file":            form("/file", "ref", "ID", "entry", "ID"),
		"GET /search":           together(of("/search?q=%s"), of("/search?q=a&channel=%s")),
		"GET /add":              of("/add?url=%s"),
		"POST /add/preview":     form("/add/preview", "url", "URL"),
		"POST /add":             nil, // at the end
		"POST /add/query/check": form("/add/query/check", "query", "Source = 'URL'"),
		"GET /channels":         of("/channels?q=%s"),
		"POST /view":            form("/view", "view", "channel/URL", "sort", "arrival", "back", "/"),
		"POST /channels": together(form("/channels", "url", "URL", "do", "tag", "tags", "x"),
			form("/channels", "url", "URL", "do", "poll"),
			form("/channels", "url", "URL", "do", "unsubscribe"),
			form("/channels", "url", "URL", "do", "unsubscribe-sure")),
		"GET /channel": of("/channel?url=%s"),
		"POST /channel": together(form("/channel", "url", "URL", "do", "rename", "name", "x"),
			form("/channel", "url", "URL", "do", "edits", "edits", "on"), form("/channel", "url", "URL", "do", "poll"),
			form("/channel", "url", "URL", "do", "unsubscribe")),
		"POST /channel privacy":  form("/channel", "url", "URL", "do", "privacy", "privacy", "unlisted"),
		"POST /channel options":  form("/channel", "url", "URL", "do", "options", "select", "p"),
		"POST /channel trust":    form("/channel", "url", "URL", "do", "trust"),
		"POST /channel distrust": form("/channel", "url", "URL", "do", "distrust"),
		"GET /older":             of("/older?url=%s"),
		"GET /update/{id}":       numbered("/update/%d"),
		"GET /version":           of("/version?url=%s&v=1"),
		"GET /network":           of("/network?channel=%s"), "GET /network/events": of("/network/events?channel=%s"),
		"POST /network/join": nil, "POST /network/forget": nil,
		"POST /text": form("/text", "entry", "ID"),
		"GET /node":  nil, "POST /node": nil, "GET /status": of("/status"),
		"POST /publishing/resume": form("/publishing/resume", "url", "URL"),
		"GET /people":             nil, "POST /people": nil, "POST /people/role": nil, "POST /people/password": nil,
		"POST /people/remove": nil, "GET /people/remove/{name}": nil,

		"GET /api/v1/channels": nil, "GET /api/v1/stream": nil, "POST /api/v1/opml": nil, "GET /api/v1/sessions": nil,
		"DELETE /api/v1/sessions/{id}": nil, "GET /api/v1/passkeys": nil, "DELETE /api/v1/passkeys/{id}": nil,
		"POST /api/v1/channels":         nil, // at the end
		"DELETE /api/v1/channels":       of(v1 + "channels?url=%s"),
		"GET /api/v1/channel":           of(v1 + "channel?url=%s"),
		"PATCH /api/v1/channel":         sent(v1+"channel?url=ESCAPED", `{"name":"x"}`),
		"PATCH /api/v1/channel privacy": sent(v1+"channel?url=ESCAPED", `{"privacy":"unlisted"}`),
		"POST /api/v1/poll":             sent(v1+"poll?url=ESCAPED", ""),
		"POST /api/v1/preview":          sent(v1+"preview", `{"url":"URL"}`),
		"POST /api/v1/query":            sent(v1+"query", `{"query":"Source = 'URL'"}`),
		"GET /api/v1/updates":           together(of(v1+"updates?channel=%s"), of(v1+"updates?newest")),
		"GET /api/v1/updates/{id}":      numbered(v1 + "updates/%d"),
		"GET /api/v1/entries": together(of(v1+"entries?channel=%s"), of(v1+"entries?search=%s"),
			of(v1+"entries")),
		"GET /api/v1/entries/{id}":          numbered(v1 + "entries/%d"),
		"POST /api/v1/entries/read":         sent(v1+"entries/read", `{"items":[ID],"read":true}`),
		"POST /api/v1/entries/read-all":     sent(v1+"entries/read-all", `{"channel":"URL","up_to":ID}`),
		"POST /api/v1/entries/star":         sent(v1+"entries/star", `{"item":ID,"starred":true}`),
		"GET /api/v1/state":                 together(of(v1+"state?url=%s"), of(v1+"state?url=%s&version=1")),
		"GET /api/v1/diff":                  of(v1 + "diff?url=%s"),
		"GET /api/v1/archive":               of(v1 + "archive?url=%s"),
		"POST /api/v1/files":                sent(v1+"files", `{"file":"URL"}`),
		"POST /api/v1/fulltext":             sent(v1+"fulltext", `{"entry":ID}`),
		"GET /api/v1/opml":                  of(v1 + "opml?proxy"),
		"POST /api/v1/trust":                sent(v1+"trust?url=ESCAPED", `{"fingerprint":"00"}`),
		"POST /api/v1/distrust":             sent(v1+"distrust?url=ESCAPED", `{}`),
		"GET /api/v1/tree":                  of(v1 + "tree?url=%s"),
		"DELETE /api/v1/publications":       of(v1 + "publications?url=%s"),
		"POST /api/v1/publications/entries": sent(v1+"publications/entries", `{"url":"URL"}`),
		"POST /api/v1/publications/resume":  sent(v1+"publications/resume?url=ESCAPED", ""),
		"GET /api/v1/republishers":          nil, "POST /api/v1/republishers": nil,
		"GET /api/v1/status": of(v1 + "status"), "GET /api/v1/network": of(v1 + "network"),
		"GET /api/v1/network/stream": of(v1 + "network/stream"), "GET /api/v1/peers": nil, "GET /api/v1/friends": nil,
		"GET /api/v1/overlay": nil, "GET /api/v1/zone": nil,
		"POST /api/v1/zone/items": nil, "POST /api/v1/joins": nil, "DELETE /api/v1/joins": nil,
		"GET /api/v1/publications": of(v1 + "publications"),
		"GET /api/v1/users":        of(v1 + "users"), "POST /api/v1/users": nil, "PATCH /api/v1/users/{name}": nil,
		"DELETE /api/v1/users/{name}": nil,
		"POST /api/v1/publications":   nil, "PUT /api/v1/zone": nil, "PUT /api/v1/zone/attributes": nil,
		"POST /api/v1/zone/functions": nil, "POST /api/v1/backup": nil,
		"PUT /api/v1/password": nil, "GET /api/v1/tokens": nil, "POST /api/v1/tokens": nil,
		"DELETE /api/v1/tokens/{id}": nil,

		"/feed":      together(of("/feed?url=%s"), of("/feed")),
		"/feed.json": together(of("/feed.json?url=%s"), of("/feed.json")),
		"/news.json": of("/news.json?url=%s"),
		"/news.xml":  of("/news.xml?url=%s"),
		"/feeds/":    of("/feeds/%s.atom"),
		"/files/":    numbered("/files/%064d/name"),
		"/media/":    of("/media/AAAA/%s"),
		"/icons/":    of("/icons/AAAA/%s"),
		"/stream/":   of("/stream/AAAA/%s"),
		"/metrics":   of("/metrics"),
		"/xmlrpc": func(address string, _ int64) []asked {
			call := `<?xml version="1.0"?><methodCall><methodName>%s</methodName><params><param><value>` + address +
				`</value></param></params></methodCall>`
			return []asked{{"/xmlrpc", "text/xml", fmt.Sprintf(call, "metaWeblog.getRecentPosts")},
				{"/xmlrpc", "text/xml", fmt.Sprintf(call, "tidings.updates")}}
		},
		"/xmlrpc metaWeblog.newPost": func(address string, _ int64) []asked {
			return []asked{{"/xmlrpc", "text/xml",
				`<?xml version="1.0"?><methodCall><methodName>metaWeblog.newPost</methodName><params><param><value>` +
					address + `</value></param></params></methodCall>`}}
		},
	}
}()

// what differs from request to request, for any subject
var volatile = []*regexp.Regexp{
	regexp.MustCompile(`\d{4}-\d\d-\d\dT[0-9:.]+(Z|[+-]\d\d:\d\d)`), regexp.MustCompile(`"took":\d+`),
	regexp.MustCompile(`<time[^>]*>[^<]*</time>`),
	regexp.MustCompile(`badge [a-z ]*c\d+`),    // a colour by the address
	regexp.MustCompile(`"id":\d+,"condition"`), // the number of the asker's own filter
	regexp.MustCompile(`took [0-9.]+ .?s\b`), regexp.MustCompile(`[0-9.]+ .?s\b`),
}

// No person learns from any route whether another follows a channel. The answers about a followed channel and about one
// without followers are the same, to the byte. So are the answers to a person that follows it then.
func TestNobodySeesWhatOthersFollow(t *testing.T) {
	t.Parallel()
	o, base := startOrigin(t)
	for _, name := range []string{"followed", "nobodys_"} { // of one length
		if err := o.AddFeed(name, origin.MakeFeed(7, 5, 4000), origin.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	_, owner, readers := startShared(t, "ann", "bob")
	ann := readers[0]
	followed, nobodys := base+"followed", base+"nobodys_"
	if _, err := owner.Subscribe(t.Context(), tidings.SubscribeRequest{URL: followed}); err != nil {
		t.Fatal(err)
	}
	waitForContent(t, owner, followed)
	entries, err := owner.Entries(t.Context(), tidings.EntryQuery{Channel: followed, Limit: 1})
	if err != nil || len(entries) == 0 {
		t.Fatalf("%+v, error %v", entries, err)
	}
	const noID = 1 << 40
	compare := func(route string, about func(string, int64) []asked) {
		t.Helper()
		method, _, ok := strings.Cut(route, " ")
		if !ok || strings.HasPrefix(route, "/") {
			method = "GET"
			if strings.HasPrefix(route, "/xmlrpc") {
				method = "POST"
			}
		}
		known, unknown := about(followed, entries[0].ID), about(nobodys, noID)
		for i := range known {
			status, header, text := ann.ask(method, known[i].path, known[i].kind, known[i].body)
			otherStatus, otherHeader, otherText := ann.ask(method, unknown[i].path, unknown[i].kind, unknown[i].body)
			for _, same := range []*string{&text, &otherText} {
				*same = strings.NewReplacer("followed", "NAME", "nobodys_", "NAME", fmt.Sprint(int64(noID)),
					"ID").Replace(*same)
				for _, v := range volatile {
					*same = v.ReplaceAllString(*same, "X")
				}
			}
			if status != otherStatus || text != otherText && strings.ReplaceAll(text, fmt.Sprint(entries[0].ID),
				"ID") != strings.ReplaceAll(otherText, fmt.Sprint(entries[0].ID), "ID") {
				t.Errorf("%s %s: %d of a channel that somebody follows, %d of one that nobody does\n%s\n%s", method,
					known[i].path, status, otherStatus, differing(text, otherText), differing(otherText, text))
			}
			for _, name := range []string{"Location", "Etag", "Last-Modified", "Cache-Control", "Content-Type",
				"Retry-After"} {
				a, b := strings.ReplaceAll(header.Get(name), "followed", "NAME"),
					strings.ReplaceAll(otherHeader.Get(name), "nobodys_", "NAME")
				if a != b && strings.ReplaceAll(a, fmt.Sprint(entries[0].ID), "ID") != strings.ReplaceAll(b,
					fmt.Sprint(int64(noID)), "ID") {
					t.Errorf("%s %s: header %s is %q and %q", method, known[i].path, name, a, b)
				}
			}
		}
	}
	for _, route := range auth.Routes() {
		of, decided := about[route]
		if !decided {
			t.Errorf("nobody has decided what %s shows of others: say in this test how it is asked about a channel",
				route)
		}
		if of != nil {
			compare(route, of)
		}
	}
	if followed, err := owner.Channels(t.Context()); err != nil || len(followed) != 1 {
		t.Errorf("the owner follows %+v, error %v", followed, err)
	}

	// Then ann follows both, of which she has previews. So does bob, who has none, while the owner has one.
	for _, ann = range readers {
		compare("POST /api/v1/channels", func(address string, _ int64) []asked {
			return []asked{{api.Base + "channels", "application/json",
				fmt.Sprintf(`{"url":%q,"name":"mine","folder":"news"}`, address)}}
		})
		for _, address := range []string{followed, nobodys} {
			if status, _, _ := ann.ask("DELETE", api.Base+"channels?url="+url.QueryEscape(address), "",
				""); status != http.StatusOK {
				t.Errorf("%s is not followed: %d", address, status)
			}
		}
		if _, err := owner.Preview(t.Context(), tidings.SubscribeRequest{URL: followed}); err != nil {
			t.Fatal(err)
		}
	}
}

// differing returns the part of a text around where another begins to differ.
func differing(text, from string) string {
	at := 0
	for at < len(text) && at < len(from) && text[at] == from[at] {
		at++
	}
	return text[max(0, at-100):min(len(text), at+200)]
}

// waitForContent waits until something of a channel is read.
func waitForContent(t testing.TB, client *api.Client, channel string) {
	t.Helper()
	err := client.Follow(t.Context(), 0, tidings.Update{}.Received, func(u tidings.Update) error {
		if u.Channel == channel {
			return errSeen
		}
		return nil
	})
	if err != errSeen {
		t.Fatal(err)
	}
}

var errSeen = fmt.Errorf("seen")

// gate is an origin that answers no request while it is closed.
type gate struct {
	open chan struct{}
	base string
}

// startGate starts an origin of a site with a feed, which is closed.
func startGate(t *testing.T) *gate {
	g := &gate{open: make(chan struct{})}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-g.open:
		case <-r.Context().Done():
			return
		}
		switch r.URL.Path {
		case "/site":
			fmt.Fprint(w, `<html><head><title>Site</title><link rel="alternate" type="application/rss+xml" href="/feed"></head><body>hello</body></html>`)
		case "/feed":
			w.Header().Set("Content-Type", "application/rss+xml")
			fmt.Fprint(w, rss(`<item><guid>1</guid><title>One</title></item>`))
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(server.Close)
	t.Cleanup(g.release)
	g.base = server.URL + "/"
	return g
}

func (g *gate) release() {
	select {
	case <-g.open:
	default:
		close(g.open)
	}
}

// A person that follows a channel is answered before its origin answers. Later the person follows the feed to which the
// address leads. A name and a folder that the person sets meanwhile stay. A channel that the person has left does not
// come back.
func TestSubscriptionsWaitForNoPoll(t *testing.T) {
	t.Parallel()
	g := startGate(t)
	_, _, readers := startShared(t, "ann", "bob")
	ann, bob := readers[0], readers[1]
	var f tidings.Subscription
	if status := ann.json("POST", "channels", tidings.SubscribeRequest{URL: g.base + "site"},
		&f); status != http.StatusCreated || f.URL != g.base+"site" || f.Health != tidings.HealthNew || f.Version != 0 {
		t.Errorf("%d, %+v", status, f)
	}
	if status := ann.json("PATCH", "channel?url="+url.QueryEscape(f.URL),
		map[string]string{"name": "mine", "folder": "news"}, &f); status != http.StatusOK || f.Name != "mine" {
		t.Errorf("%d, %+v", status, f)
	}
	if status := bob.json("POST", "channels", tidings.SubscribeRequest{URL: g.base + "missing"},
		&f); status != http.StatusCreated || f.Health != tidings.HealthNew {
		t.Errorf("%d, %+v", status, f)
	}
	if status := bob.json("POST", "channels", tidings.SubscribeRequest{URL: g.base + "site"},
		&f); status != http.StatusCreated {
		t.Errorf("%d, %+v", status, f)
	}
	if status, _, text := bob.ask("DELETE", api.Base+"channels?url="+url.QueryEscape(g.base+"site"), "",
		""); status != http.StatusOK {
		t.Errorf("%d %s", status, text)
	}
	g.release()
	for {
		var all []tidings.Subscription
		ann.get("channels", &all)
		if len(all) == 1 && all[0].URL == g.base+"feed" && all[0].Version == 1 {
			if all[0].Name != "mine" || all[0].Folder != "news" || all[0].Unread != 1 {
				t.Errorf("ann follows %+v", all[0])
			}
			break
		}
		time.Sleep(time.Millisecond)
	}
	for {
		var all []tidings.Subscription
		bob.get("channels", &all)
		if len(all) == 1 && all[0].Health != tidings.HealthNew { // what is wrong is said of the channel
			if all[0].URL != g.base+"missing" || all[0].Last.Error == "" {
				t.Errorf("bob follows %+v", all)
			}
			break
		}
		time.Sleep(time.Millisecond)
	}
}

func (p person) get(path string, into any) {
	p.t.Helper()
	status, _, text := p.ask("GET", api.Base+path, "", "")
	if err := json.Unmarshal([]byte(text), into); err != nil || status != http.StatusOK {
		p.t.Fatalf("%s: %d %s", path, status, text)
	}
}

// Two people follow, read and star for themselves. When one is removed, what was that person's alone goes. Channels
// that the other follows are polled on, and channels without followers are not.
func TestTwoPeopleAtOneNode(t *testing.T) {
	t.Parallel()
	o, base := startOrigin(t)
	for i, name := range []string{"shared", "own"} {
		if err := o.AddFeed(name, origin.MakeFeed(uint64(i+1), 5, 4000), origin.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	n, owner, readers := startShared(t, "ann")
	ann := readers[0]
	if _, err := owner.Subscribe(t.Context(), tidings.SubscribeRequest{URL: base + "shared"}); err != nil {
		t.Fatal(err)
	}
	waitForContent(t, owner, base+"shared")
	for _, name := range []string{"shared", "own"} {
		if status := ann.json("POST", "channels", tidings.SubscribeRequest{URL: base + name},
			nil); status != http.StatusCreated {
			t.Fatal(status)
		}
	}
	var entries []tidings.Entry
	for len(entries) < 10 {
		ann.get("entries", &entries)
	}
	for { // what was new is polled in its turn, not once more
		status, err := owner.Status(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if time.Until(status.NextPoll) > time.Hour {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if requests := o.Requests("own"); len(requests) != 1 {
		t.Errorf("the origin was asked %d times: %+v", len(requests), requests)
	}
	all := map[string]any{"up_to": entries[0].ID}
	if status := ann.json("POST", "entries/read-all", all, nil); status != http.StatusOK {
		t.Error(status)
	}
	if status := ann.json("POST", "entries/star", map[string]any{"item": entries[0].Item, "starred": true},
		nil); status != http.StatusNoContent {
		t.Error(status)
	}
	own, err := owner.Entries(t.Context(), tidings.EntryQuery{Unread: true})
	if err != nil || len(own) != 5 {
		t.Errorf("unread to the owner are %d, error %v", len(own), err)
	}
	if starred, err := owner.Entries(t.Context(), tidings.EntryQuery{Starred: true}); err != nil || len(starred) != 0 {
		t.Errorf("starred by the owner are %+v, error %v", starred, err)
	}
	// An administrator is none above the owner.
	if status := ann.json("PATCH", "users/owner", map[string]string{"password": personsPassword},
		nil); status != http.StatusForbidden {
		t.Errorf("a reader sets the owner's password: %d", status)
	}
	role := tidings.Administrator
	if _, err := owner.Users().Change(t.Context(), "ann", api.PersonChange{Role: &role}); err != nil {
		t.Fatal(err)
	}
	for _, change := range []map[string]string{{"password": personsPassword}, {"role": "reader"}} {
		if status := ann.json("PATCH", "users/owner", change, nil); status != http.StatusForbidden &&
			status != http.StatusBadRequest {
			t.Errorf("an administrator changes the owner to %v: %d", change, status)
		}
	}
	if status := ann.json("DELETE", "users/owner", nil, nil); status != http.StatusBadRequest {
		t.Errorf("an administrator removes the owner: %d", status)
	}
	if err := owner.Users().Remove(t.Context(), "ANN"); err != nil {
		t.Fatal(err)
	}
	if status, _, _ := ann.ask("GET", api.Base+"channels", "", ""); status != http.StatusUnauthorized {
		t.Errorf("who was removed is answered %d", status)
	}
	if _, err := owner.Poll(t.Context(), base+"shared"); err != nil {
		t.Errorf("what the other follows: %v", err)
	}
	if status, err := owner.Status(t.Context()); err != nil || status.Channels != 1 || status.Subscriptions != 1 {
		t.Errorf("%d channels and %d subscriptions, error %v", status.Channels, status.Subscriptions, err)
	}
	if n.watcher.Has(base + "own") {
		t.Error("what nobody follows is polled")
	}
}

// guarded starts an origin of feeds that require a name and a password, with own items for each reader.
func guarded(t *testing.T) (base string) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, password, ok := r.BasicAuth()
		if !ok || password != name+"'s" {
			w.Header().Set("WWW-Authenticate", `Basic realm="feeds"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		w.Header().Set("Content-Type", "application/rss+xml")
		fmt.Fprint(w, rss(`<item><guid>1</guid><title>For `+name+`</title></item>`))
	}))
	t.Cleanup(server.Close)
	return server.URL + "/"
}

// withPassword returns an address with what a person enters it with.
func withPassword(address, name string) string {
	return strings.Replace(address, "://", "://"+name+":"+name+"%27s@", 1)
}

// A channel with a password is the person's own. Others who follow the same address, with another password or none,
// have another channel, see nothing of it, and notice nothing. That holds whether the first person came before or after
// the others.
func TestPasswordsAreOnePersons(t *testing.T) {
	t.Parallel()
	base := guarded(t)
	n, owner := startNode(t)
	ctx := t.Context()
	if _, err :=
		owner.Subscribe(ctx, tidings.SubscribeRequest{URL: withPassword(base+"followed", "owner")}); err != nil {
		t.Fatal(err)
	}
	if err := owner.SetPassword(ctx, personsPassword); err != nil {
		t.Fatal(err)
	}
	people := map[string]person{}
	for _, name := range []string{"ann", "bob", "cy"} {
		if _, err := owner.Users().Add(ctx, api.NewPerson{Name: name, Password: personsPassword}); err != nil {
			t.Fatal(err)
		}
		people[name] = signIn(t, n, name)
	}
	urls := map[string]string{"owner": base + "followed"}
	for _, name := range []string{"ann", "bob"} {
		var answers []string
		for _, address := range []string{base + "followed", base + "nobodys_"} {
			var f tidings.Subscription
			order := tidings.SubscribeRequest{URL: withPassword(address, name)}
			if status := people[name].json("POST", "channels", order, &f); status != http.StatusCreated ||
				f.URL != address {
				t.Fatalf("%s: %d %+v", name, status, f)
			}
			f.URL, f.Since, f.Added = "", time.Time{}, time.Time{}
			answers = append(answers, fmt.Sprintf("%+v", f))
		}
		if answers[0] != answers[1] {
			t.Errorf("%s is answered differently:\n%s\n%s", name, answers[0], answers[1])
		}
	}
	// A person without the password sees that in the channel's health, and nowhere else.
	var f tidings.Subscription
	if status := people["cy"].json("POST", "channels", tidings.SubscribeRequest{URL: base + "followed"},
		&f); status != http.StatusCreated || f.Health != tidings.HealthNew || f.URL != base+"followed" {
		t.Errorf("cy: %d %+v", status, f)
	}
	for name, want := range map[string]string{"ann": "For ann", "bob": "For bob"} {
		var entries []tidings.Entry
		for len(entries) < 2 {
			people[name].get("entries", &entries)
		}
		for _, e := range entries {
			if e.Content.Title != want || !tidings.IsOwnURL(e.Channel) {
				t.Errorf("%s reads %q of %s", name, e.Content.Title, e.Channel)
			}
		}
		if status := people[name].json("POST", "poll?url="+url.QueryEscape(base+"followed"), nil,
			nil); status == http.StatusNotFound {
			t.Errorf("%s cannot name the channel by its public address", name)
		}
		people[name].get("channel?url="+url.QueryEscape(base+"followed"), &f)
		if f.Privacy != tidings.Credentialed {
			t.Errorf("the channel is %s", f.Privacy)
		}
		urls[name] = f.URL
	}
	if urls["ann"] == urls["bob"] || tidings.IDOf(urls["ann"]) == tidings.IDOf(urls["owner"]) {
		t.Errorf("channels are one: %v", urls)
	}
	for { // cy's poll is made without anybody's password
		people["cy"].get("channel?url="+url.QueryEscape(base+"followed"), &f)
		if f.Health != tidings.HealthNew {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if f.Version != 0 || f.Last.Status != http.StatusUnauthorized {
		t.Errorf("cy reads version %d, after a status of %d", f.Version, f.Last.Status)
	}
	// Another's address gives nothing away.
	for _, path := range []string{"channel", "state"} {
		if status, _, text := people["bob"].ask("GET", api.Base+path+"?url="+url.QueryEscape(urls["ann"]), "",
			""); status != http.StatusNotFound {
			t.Errorf("bob asks for ann's %s: %d %s", path, status, text)
		}
	}
	if entries, err := owner.Entries(ctx, tidings.EntryQuery{}); err != nil || len(entries) != 1 ||
		entries[0].Content.Title != "For owner" {
		t.Errorf("the owner reads %+v, error %v", entries, err)
	}
	// A new password after the channel was left, and once more with the name and folder of an order.
	bob := people["bob"]
	if status, _, text := bob.ask("DELETE", api.Base+"channels?url="+url.QueryEscape(base+"followed"), "",
		""); status != http.StatusOK {
		t.Fatalf("%d %s", status, text)
	}
	again := tidings.SubscribeRequest{URL: withPassword(base+"followed", "robert")}
	if status := bob.json("POST", "channels", again, &f); status != http.StatusCreated {
		t.Fatalf("%d %+v", status, f)
	}
	again.Name = "mine"
	if status := bob.json("POST", "channels", again, &f); status != http.StatusCreated || f.Name != "mine" ||
		f.URL != urls["bob"] {
		t.Errorf("%d %+v", status, f)
	}
	// Exported are public addresses without passwords.
	_, _, list := bob.ask("GET", api.Base+"opml", "", "")
	if !strings.Contains(list, `xmlUrl="`+base+`followed"`) || strings.Contains(list, "robert") ||
		strings.Contains(list, "#~") {
		t.Errorf("exported is %s", list)
	}
	if status, _, text := bob.ask("GET", "/channel?url="+url.QueryEscape(base+"followed"), "",
		""); status != http.StatusSeeOther {
		t.Errorf("the page of the public address: %d %.300s", status, text)
	}
}
