package web

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"tidings"
	"tidings/delivery/auth"
	"tidings/delivery/passkeys"
	"tidings/delivery/web/shell"
	"tidings/delivery/web/shell/shelltest"
)

// sound fails the test unless a page is whole and holds nothing that the policy refuses.
var sound = shelltest.Sound

// visitor is a browser without script, in front of the page and its guard.
type visitor struct {
	t       *testing.T
	handler http.Handler
	cookies map[string]string
	host    string // by which the node is asked for; empty: by an address
}

func visit(t *testing.T, f *fake, requirePassword bool) *visitor {
	t.Helper()
	guard, err := auth.New(auth.Config{Store: f, RequirePassword: requirePassword, Open: OpenPaths()})
	if err != nil {
		t.Fatal(err)
	}
	page, err := New(Config{Store: f, Node: f, Network: emptyRing{}, Archive: f, Publisher: f, People: f,
		Provider: f.provider, Guard: guard, Passkeys: passkeys.New(f, guard, nil), Notifications: f.notifications,
		Pictures: f.pictures, Players: f.players, Marks: f, Version: "0.1"})
	if err != nil {
		t.Fatal(err)
	}
	return &visitor{t, guard.Handler(page), map[string]string{}, ""}
}

func (v *visitor) send(r *http.Request) *httptest.ResponseRecorder {
	r.Host, r.RemoteAddr = cmp.Or(v.host, "127.0.0.1:7600"), "127.0.0.1:50000"
	r.Header.Set("Accept", "text/html,*/*")
	for name, value := range v.cookies {
		r.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	w := httptest.NewRecorder()
	v.handler.ServeHTTP(w, r)
	for _, c := range w.Result().Cookies() {
		if c.MaxAge < 0 {
			delete(v.cookies, c.Name)
		} else {
			v.cookies[c.Name] = c.Value
		}
	}
	return w
}

func (v *visitor) get(path string) *httptest.ResponseRecorder {
	return v.send(httptest.NewRequest("GET", path, nil))
}

func (v *visitor) post(path string, fields ...string) *httptest.ResponseRecorder {
	form := url.Values{}
	for i := 0; i < len(fields); i += 2 {
		form.Add(fields[i], fields[i+1])
	}
	r := httptest.NewRequest("POST", path, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	return v.send(r)
}

// goesTo fails the test unless a form led on to target.
func (v *visitor) goesTo(w *httptest.ResponseRecorder, target string) {
	v.t.Helper()
	if w.Code != http.StatusSeeOther || w.Header().Get("Location") != target {
		v.t.Errorf("got %d %q, want 303 %q\n%.300s", w.Code, w.Header().Get("Location"), target, w.Body)
	}
}

var allPaths = []string{"/", "/?show=unread", "/?show=starred", "/?folder=Programming", "/?before=25",
	"/?show=unread&folder=Town",
	"/entry/1", "/entry/25", "/entry/26", "/entry/30", "/search", "/search?q=kernel", "/search?q=zeppelin", "/add",
	"/add?url=x.example", "/add/query",
	"/channels", "/channels?q=town", "/channel?url=https://kernel.example/headlines/rss",
	"/channel?url=https://museum.example/tickets",
	"/channel?url=https://kernel.example/headlines/rss&versions=200", "/older?url=https://kernel.example/headlines/rss",
	"/update/1", "/update/6", "/version?url=https://museum.example/tickets&v=1",
	"/version?url=https://kernel.example/headlines/rss", "/opml", "/settings", "/notifications", "/network", "/status",
	"/people", "/help"}

// Every page renders, is whole, carries the policy, and holds no script or style of its own.
func TestEveryPageRenders(t *testing.T) {
	v := visit(t, sample(), false)
	for _, path := range append([]string{"/no/such/page", "/entry/999", "/entry/x", "/channel?url=https://not.example/",
		"/login"}, allPaths...) {
		w := v.get(path)
		want := http.StatusOK
		if !slices.Contains(allPaths, path) {
			want = http.StatusNotFound
		}
		if path == "/login" { // nobody needs to
			want = http.StatusSeeOther
		}
		if w.Code != want {
			t.Errorf("%s: %d, want %d", path, w.Code, want)
			continue
		}
		if got := w.Header().Get("Content-Security-Policy"); got != shell.Policy {
			t.Errorf("%s: policy %q", path, got)
		}
		if w.Code == http.StatusSeeOther {
			continue
		}
		sound(t, path, w.Body.String())
	}
	sound(t, "the first page of all", visit(t, newFake(), false).get("/").Body.String())
}

func TestAssets(t *testing.T) {
	v := visit(t, sample(), true) // without being signed in
	for name := range shell.Assets {
		w := v.get(shell.AssetPath(name))
		if w.Code != 200 || !strings.Contains(w.Header().Get("Cache-Control"), "immutable") ||
			w.Header().Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %d %v", name, w.Code, w.Header())
		}
		zipped := httptest.NewRequest("GET", shell.AssetPath(name), nil)
		zipped.Header.Set("Accept-Encoding", "gzip, deflate, br, zstd")
		packed := v.send(zipped)
		body := io.Reader(packed.Body)
		if isText := !strings.HasSuffix(name, ".png"); isText != (packed.Header().Get("Content-Encoding") == "gzip") {
			t.Errorf("%s: %v", name, packed.Header())
		} else if isText {
			if packed.Body.Len() >= w.Body.Len() || packed.Header().Get("Vary") != "Accept-Encoding" ||
				w.Header().Get("Content-Encoding") != "" {
				t.Errorf("%s: %d bytes of %d by gzip, %v", name, packed.Body.Len(), w.Body.Len(), packed.Header())
			}
			var err error
			if body, err = gzip.NewReader(body); err != nil {
				t.Fatal(err)
			}
		}
		if whole, err := io.ReadAll(body); err != nil || !bytes.Equal(whole, w.Body.Bytes()) {
			t.Errorf("%s: %d bytes of %d, %v", name, len(whole), w.Body.Len(), err)
		}
		if w := v.get("/assets/" + name + "?older"); w.Code != 200 ||
			strings.Contains(w.Header().Get("Cache-Control"), "immutable") {
			t.Errorf("%s under another address: %d %q", name, w.Code, w.Header().Get("Cache-Control"))
		}
	}
	if w := v.get("/assets/doc.go"); w.Code != 404 {
		t.Errorf("a file that is no asset: %d", w.Code)
	}
	if bytes.Contains(shell.Assets["style.css"].Body, []byte("url(")) ||
		bytes.Contains(shell.Assets["script.js"].Body, []byte("http")) {
		t.Error("an asset asks for something else")
	}
}

// If something fails inside, the person gets plain words, and nothing leaks.
func TestFailures(t *testing.T) {
	f := sample()
	v := visit(t, f, false)
	f.fail = errors.New("disk I/O error at /var/lib/secret.db")
	for _, path := range allPaths {
		if path == "/add" || path == "/help" || path == "/search" || strings.HasPrefix(path, "/add?") {
			continue // they need nothing of the store but the list beside them
		}
		w := v.get(path)
		if w.Code != 500 || !strings.Contains(w.Body.String(), "Something went wrong") ||
			strings.Contains(w.Body.String(), "secret.db") {
			t.Errorf("%s: %d %.200s", path, w.Code, w.Body)
		}
	}
}

func TestFoldedFirstVersion(t *testing.T) {
	f := newFake()
	f.follow(tidings.Subscription{Channel: tidings.Channel{URL: "https://big.example/feed", Title: "Big",
		Kind: tidings.KindFeed}})
	f.follow(tidings.Subscription{Channel: tidings.Channel{URL: "https://old.example/feed", Title: "Old",
		Kind: tidings.KindFeed}})
	for i := range 90 {
		f.arrive("https://old.example/feed", tidings.Version(i+2),
			tidings.Entry{Content: tidings.Item{Title: fmt.Sprintf("Old %d", i)}})
	}
	var many []tidings.Entry
	for i := range 700 {
		many = append(many, tidings.Entry{Content: tidings.Item{Title: fmt.Sprintf("Item %d", i)}})
	}
	f.arrive("https://big.example/feed", 1, many...)
	v := visit(t, f, false)
	older := regexp.MustCompile(`rel="next" href="([^"]+)"`)
	all := func(text string) (seen int) {
		seen = strings.Count(text, `<a class="open" href="/entry/`)
		for range 10 {
			m := older.FindStringSubmatch(text)
			if m == nil {
				break
			}
			text = v.get(html.UnescapeString(m[1])).Body.String()
			seen += strings.Count(text, `<a class="open" href="/entry/`)
		}
		return seen
	}
	text := v.get("/").Body.String()
	if !strings.Contains(text, "697 more items from Big") || strings.Count(text, `<li class="line`) != pageLines {
		t.Error("by date, a burst floods the page")
	}
	if seen := all(text); seen != 93 {
		t.Errorf("%d of 93 entries on all pages by date", seen)
	}
	if w := v.get("/?sort=arrival"); w.Code != 303 || w.Header().Get("Location") != "/" {
		t.Fatalf("sorting answers %d %s", w.Code, w.Header().Get("Location"))
	}
	text = v.get("/").Body.String()
	if n := strings.Count(text, "Now following Big"); n != 1 || !strings.Contains(text, "700 earlier items") {
		t.Errorf("the first version takes %d lines", n)
	}
	if n := strings.Count(text, `<li class="line`); n != pageLines {
		t.Errorf("the page has %d lines, want %d", n, pageLines)
	}

	// Going to older pages shows every other entry once.
	seen := all(text)
	if seen != 90 {
		t.Errorf("%d of 90 entries on all pages", seen)
	}
}

// hostile 57: no other site can have this node join anybody, forget an address, or believe another node.
func TestOtherSitesCannotChangeTheNetwork(t *testing.T) {
	v := visit(t, sample(), false)
	for _, path := range []string{"/network/join", "/network/forget", "/node"} {
		r := httptest.NewRequest("POST", path,
			strings.NewReader(url.Values{"address": {"/ip4/192.0.2.1/tcp/1"}, "id": {sampleID},
				"do": {"prefer"}}.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Sec-Fetch-Site", "cross-site")
		r.Header.Set("Origin", "https://attacker.example")
		if w := v.send(r); w.Code != http.StatusForbidden {
			t.Errorf("%s from another site: %d", path, w.Code)
		}
	}
}

func TestLocalPath(t *testing.T) {
	for target, want := range map[string]string{
		"/": "/", "/?show=unread": "/?show=unread", "/entry/3#e3": "/entry/3#e3", "": "/", "channels": "/",
		"//attacker.example/": "/", "https://attacker.example/": "/", "/\\attacker.example": "/",
		"\\\\attacker.example": "/", "/%zz": "/", "javascript:alert(1)": "/", "/\t/attacker.example": "/",
	} {
		if got := shell.LocalPath(target); got != want {
			t.Errorf("localPath(%q) = %q, want %q", target, got, want)
		}
	}
}
