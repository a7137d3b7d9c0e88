package web

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"tidings"
	"tidings/delivery/auth"
)

// visitor is a browser without script, in front of the page and its guard.
type visitor struct {
	t       *testing.T
	handler http.Handler
	cookies map[string]string
}

func visit(t *testing.T, f *fake, requirePassword bool) *visitor {
	t.Helper()
	guard, err := auth.New(auth.Config{Store: f, RequirePassword: requirePassword, Open: OpenPaths()})
	if err != nil {
		t.Fatal(err)
	}
	page, err := New(Config{Store: f, Node: f, Guard: guard, Version: "0.1"})
	if err != nil {
		t.Fatal(err)
	}
	return &visitor{t, guard.Handler(page), map[string]string{}}
}

func (v *visitor) send(r *http.Request) *httptest.ResponseRecorder {
	r.Host, r.RemoteAddr = "127.0.0.1:7600", "127.0.0.1:50000"
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

var allPaths = []string{"/", "/?show=unread", "/?show=starred", "/?folder=Programming", "/?before=25", "/?show=unread&folder=Town",
	"/entry/1", "/entry/25", "/entry/26", "/entry/30", "/search", "/search?q=kernel", "/search?q=zeppelin", "/add", "/add?url=x.example",
	"/channels", "/channels?q=town", "/channel?url=https://lwn.example/headlines/rss", "/channel?url=https://museum.example/tickets",
	"/channel?url=https://lwn.example/headlines/rss&versions=200", "/update/1", "/update/6", "/version?url=https://museum.example/tickets&v=1",
	"/version?url=https://lwn.example/headlines/rss", "/opml", "/settings", "/status", "/help"}

// Every page renders, is whole, carries the policy, and holds no script or style of its own.
func TestEveryPageRenders(t *testing.T) {
	v := visit(t, sample(), false)
	for _, path := range append([]string{"/no/such/page", "/entry/999", "/entry/x", "/channel?url=https://not.example/", "/login"}, allPaths...) {
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
		if got := w.Header().Get("Content-Security-Policy"); got != policy {
			t.Errorf("%s: policy %q", path, got)
		}
		if w.Code == http.StatusSeeOther {
			continue
		}
		sound(t, path, w.Body.String())
	}
	sound(t, "the first page of all", visit(t, newFake(), false).get("/").Body.String())
}

// sound checks a page's markup for what the policy would refuse and for what must be there.
func sound(t *testing.T, path, text string) {
	t.Helper()
	if strings.Contains(text, "ZgotmplZ") {
		t.Errorf("%s: the template refused a value", path)
	}
	if !strings.HasSuffix(strings.TrimSpace(text), "</html>") {
		t.Errorf("%s: the page is cut", path)
	}
	doc, err := html.Parse(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	ids, headings := map[string]bool{}, 0
	for n := range doc.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		if n.DataAtom == atom.H1 {
			headings++
		}
		if n.DataAtom == atom.Style || n.DataAtom == atom.Script && (n.FirstChild != nil || !strings.HasPrefix(attribute(n, "src"), "/assets/")) {
			t.Errorf("%s: a %s in the page", path, n.Data)
		}
		for _, a := range n.Attr {
			if a.Key == "style" || strings.HasPrefix(a.Key, "on") {
				t.Errorf("%s: <%s %s=%q>", path, n.Data, a.Key, a.Val)
			}
			if a.Key == "id" {
				if ids[a.Val] {
					t.Errorf("%s: two elements have the id %q", path, a.Val)
				}
				ids[a.Val] = true
			}
			if (a.Key == "src" || a.Key == "href" && n.DataAtom == atom.Link || a.Key == "action" || a.Key == "formaction") && !strings.HasPrefix(a.Val, "/") {
				t.Errorf("%s: <%s> asks for %q", path, n.Data, a.Val)
			}
		}
	}
	if headings != 1 {
		t.Errorf("%s: %d first headings", path, headings)
	}
}

func TestAssets(t *testing.T) {
	v := visit(t, sample(), true) // without being signed in
	for name := range assets {
		w := v.get(assetPath(name))
		if w.Code != 200 || !strings.Contains(w.Header().Get("Cache-Control"), "immutable") || w.Header().Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %d %v", name, w.Code, w.Header())
		}
		if w := v.get("/assets/" + name + "?older"); w.Code != 200 || strings.Contains(w.Header().Get("Cache-Control"), "immutable") {
			t.Errorf("%s under another address: %d %q", name, w.Code, w.Header().Get("Cache-Control"))
		}
	}
	if w := v.get("/assets/doc.go"); w.Code != 404 {
		t.Errorf("a file that is no asset: %d", w.Code)
	}
	if bytes.Contains(assets["style.css"].body, []byte("url(")) || bytes.Contains(assets["script.js"].body, []byte("http")) {
		t.Error("an asset asks for something else")
	}
}

// Whatever fails inside, people are told in plain words, and nothing leaks.
func TestFailures(t *testing.T) {
	f := sample()
	v := visit(t, f, false)
	f.fail = errors.New("disk I/O error at /var/lib/secret.db")
	for _, path := range allPaths {
		if path == "/add" || path == "/help" || path == "/search" || strings.HasPrefix(path, "/add?") {
			continue // they need nothing of the store but the list beside them
		}
		w := v.get(path)
		if w.Code != 500 || !strings.Contains(w.Body.String(), "Something went wrong") || strings.Contains(w.Body.String(), "secret.db") {
			t.Errorf("%s: %d %.200s", path, w.Code, w.Body)
		}
	}
}

func TestFoldedFirstVersion(t *testing.T) {
	f := newFake()
	f.follow(tidings.Followed{Channel: tidings.Channel{URL: "https://big.example/feed", Title: "Big", Kind: tidings.KindFeed}})
	f.follow(tidings.Followed{Channel: tidings.Channel{URL: "https://old.example/feed", Title: "Old", Kind: tidings.KindFeed}})
	for i := range 90 {
		f.arrive("https://old.example/feed", tidings.Version(i+2), tidings.Entry{Content: tidings.Item{Title: fmt.Sprintf("Old %d", i)}})
	}
	var many []tidings.Entry
	for i := range 700 {
		many = append(many, tidings.Entry{Content: tidings.Item{Title: fmt.Sprintf("Item %d", i)}})
	}
	f.arrive("https://big.example/feed", 1, many...)
	v := visit(t, f, false)
	text := v.get("/").Body.String()
	if n := strings.Count(text, "Now following Big"); n != 1 || !strings.Contains(text, "700 items to begin with") {
		t.Errorf("the first version takes %d lines", n)
	}
	if n := strings.Count(text, `<li class="line`); n != pageLines {
		t.Errorf("the page has %d lines, want %d", n, pageLines)
	}

	// Going to older pages shows every other entry once.
	older := regexp.MustCompile(`rel="next" href="([^"]+)"`)
	seen := strings.Count(text, `<a class="open" href="/entry/`)
	for range 10 {
		m := older.FindStringSubmatch(text)
		if m == nil {
			break
		}
		text = v.get(html.UnescapeString(m[1])).Body.String()
		seen += strings.Count(text, `<a class="open" href="/entry/`)
	}
	if seen != 90 {
		t.Errorf("%d of 90 entries on all pages", seen)
	}
}

func TestReadAndStar(t *testing.T) {
	f := sample()
	v := visit(t, f, false)
	v.goesTo(v.post("/entry/29", "do", "star", "back", "/?show=unread"), "/?show=unread#e29")
	v.goesTo(v.post("/entry/29", "do", "read", "back", "https://attacker.example/"), "/#e29")
	if e, _ := f.Entry(t.Context(), 1, 29); !e.Starred || !e.Read {
		t.Errorf("entry is %+v", e)
	}
	v.goesTo(v.post("/entry/29", "do", "unstar"), "/#e29")
	v.goesTo(v.post("/entry/29", "do", "unread", "back", "/entry/29"), "/#e29")
	if e, _ := f.Entry(t.Context(), 1, 29); e.Starred || e.Read {
		t.Errorf("entry is %+v", e)
	}
	if w := v.post("/entry/29", "do", "burn"); w.Code != 400 {
		t.Errorf("nonsense: %d", w.Code)
	}

	// Opening reads; fetching ahead does not.
	r := httptest.NewRequest("GET", "/entry/29", nil)
	r.Header.Set("Sec-Purpose", "prefetch")
	v.send(r)
	if e, _ := f.Entry(t.Context(), 1, 29); e.Read {
		t.Error("fetching ahead marked it as read")
	}
	v.get("/entry/29")
	if e, _ := f.Entry(t.Context(), 1, 29); !e.Read {
		t.Error("opening did not mark it as read")
	}

	// All of a folder, up to what was shown.
	v.goesTo(v.post("/read", "folder", "Town", "upto", "29"), "/?folder=Town")
	e27, _ := f.Entry(t.Context(), 1, 27)
	e30, _ := f.Entry(t.Context(), 1, 30)
	e25, _ := f.Entry(t.Context(), 1, 25)
	if !e27.Read || e30.Read || e25.Read {
		t.Errorf("read: in the folder %v, later %v, elsewhere %v", e27.Read, e30.Read, e25.Read)
	}
	v.goesTo(v.post("/read", "channel", "https://museum.example/tickets", "upto", "30"), "/channel?url=https%3A%2F%2Fmuseum.example%2Ftickets")
}

func TestChannelForms(t *testing.T) {
	f := sample()
	v := visit(t, f, false)
	const address = "https://lwn.example/headlines/rss"
	path := channelPath(address)
	v.goesTo(v.post("/channel", "url", address, "do", "rename", "name", "Kernel news", "folder", "Work/Linux"), path+"&said=saved")
	v.goesTo(v.post("/channel", "url", address, "do", "privacy", "privacy", "unlisted"), path+"&said=saved")
	if c := f.at(address); c.Name != "Kernel news" || c.Folder != "Work/Linux" || c.Privacy != tidings.Unlisted {
		t.Errorf("channel is %+v", c)
	}
	if w := v.post("/channel", "url", address, "do", "privacy", "privacy", "credentialed"); w.Code != 400 {
		t.Errorf("a class that nobody can choose: %d", w.Code)
	}
	v.goesTo(v.post("/channel", "url", address, "do", "look"), path+"&said=looked")
	if text := v.get(path + "&said=looked").Body.String(); !strings.Contains(text, "Looked again just now.") || !strings.Contains(text, "you asked for it") {
		t.Error("the page does not say that it looked, and why")
	}
	v.goesTo(v.post("/channel", "url", address, "do", "unsubscribe"), "/channels?said=unfollowed")
	if f.at(address) != nil {
		t.Error("it is still followed")
	}
	if w := v.post("/channel", "url", address, "do", "look"); w.Code != 404 {
		t.Errorf("a look at what is not followed: %d", w.Code)
	}
}

func TestSubscribing(t *testing.T) {
	f := sample()
	v := visit(t, f, false)
	w := v.post("/add/preview", "url", "orchard.example")
	for _, want := range []string{"The Orchard Review", "Grafting in a wet spring", "Comments", "The page itself", "2 dates without a time zone", "Unlisted", "and 1 more"} {
		if !strings.Contains(w.Body.String(), want) {
			t.Errorf("the preview lacks %q", want)
		}
	}
	if f.at("https://orchard.example/feed.xml") != nil {
		t.Error("it is followed before it was confirmed")
	}
	v.goesTo(v.post("/add", "url", "https://orchard.example", "choice", "https://orchard.example/feed.xml", "name", "Orchard", "folder", "Garden", "privacy", "unlisted"),
		"/channel?url=https%3A%2F%2Forchard.example%2Ffeed.xml&said=followed")
	v.post("/add", "url", "orchard.example", "choice", "page", "select", "#hours\n\n .times ", "ignore", "Last updated.*")
	want := []tidings.Order{
		{URL: "https://orchard.example"},
		{URL: "https://orchard.example/feed.xml", Name: "Orchard", Folder: "Garden", Privacy: tidings.Unlisted},
		{URL: "https://orchard.example", AsPage: true, Options: tidings.PageOptions{Select: []string{"#hours", ".times"}, Ignore: []string{"Last updated.*"}}},
	}
	if got := fmt.Sprintf("%+v", f.orders); got != fmt.Sprintf("%+v", want) {
		t.Errorf("ordered\n%s, want\n%+v", got, want)
	}
	for _, bad := range [][]string{{"url", ""}, {"url", "x.example", "choice", "javascript:alert(1)"}} {
		if w := v.post("/add", bad...); w.Code != 422 || !strings.Contains(w.Body.String(), `role="alert"`) {
			t.Errorf("%q: %d", bad, w.Code)
		}
	}
	f.probeFails = fmt.Errorf("look at it: %w", errors.New("no such host"))
	if w := v.post("/add/preview", "url", "https://user:secret@gone.example/"); w.Code != 422 || !strings.Contains(w.Body.String(), "no such host") {
		t.Errorf("a look that fails: %d", w.Code)
	}
}

func TestPreviewIsNoLink(t *testing.T) {
	f := sample()
	visit(t, f, false).get("/add?url=https://attacker.example/")
	if len(f.orders) != 0 {
		t.Error("following a link made the node fetch something")
	}
}

func (v *visitor) upload(field, name, content string) *httptest.ResponseRecorder {
	var b bytes.Buffer
	m := multipart.NewWriter(&b)
	var part io.Writer
	if name != "" {
		part, _ = m.CreateFormFile(field, name)
	} else {
		part, _ = m.CreateFormField(field)
	}
	io.WriteString(part, content)
	m.Close()
	r := httptest.NewRequest("POST", "/opml", &b)
	r.Header.Set("Content-Type", m.FormDataContentType())
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	return v.send(r)
}

// hostile 24, as the page shows it: an import is reported line by line.
func TestImportAndExport(t *testing.T) {
	f := sample()
	v := visit(t, f, false)
	w := v.upload("file", "feeds.opml", `<opml version="2.0"><body>
		<outline text="Papers"><outline text="A &lt;b&gt;paper" type="rss" xmlUrl="https://paper.example/feed"/></outline>
		<outline text="Go" xmlUrl="https://go.example/blog/feed.atom"/>
		<outline text="Inside" xmlUrl="http://10.0.0.7/feed"/>
		<outline text="Bad" xmlUrl="ftp://old.example/"/></body></opml>`)
	for _, want := range []string{"1 channel added", "1 was followed already", "1 address could not be used", "A &lt;b&gt;paper", "a private address", "What was passed over", "Line 5"} {
		if !strings.Contains(w.Body.String(), want) {
			t.Errorf("the report lacks %q", want)
		}
	}
	if c := f.at("https://paper.example/feed"); c == nil || c.Folder != "Papers" {
		t.Errorf("imported: %+v", c)
	}
	if w := v.upload("text", "", "https://one.example/feed\nhttps://two.example/\nnonsense"); !strings.Contains(w.Body.String(), "2 channels added") || !strings.Contains(w.Body.String(), "Line 3") {
		t.Errorf("addresses one a line: %.300s", w.Body)
	}
	for _, bad := range []string{"", "<html>no list</html>"} {
		if w := v.upload("text", "", bad); w.Code != 422 {
			t.Errorf("%q: %d", bad, w.Code)
		}
	}
	if w := v.upload("file", "big.opml", strings.Repeat(" ", 80<<20)); w.Code != 413 {
		t.Errorf("80 MiB: %d", w.Code)
	}
	w = v.get("/opml/export")
	if !strings.Contains(w.Body.String(), `xmlUrl="https://paper.example/feed"`) || !strings.Contains(w.Header().Get("Content-Disposition"), "tidings.opml") {
		t.Errorf("export: %v %.300s", w.Header(), w.Body)
	}
}

func TestSettingsForms(t *testing.T) {
	f := sample()
	v := visit(t, f, false)
	v.goesTo(v.post("/settings/appearance", "theme", "dark"), "/settings?said=saved")
	if text := v.get("/").Body.String(); !strings.Contains(text, `data-theme="dark" data-keys="off"`) {
		t.Error("theme and keys are not kept")
	}
	v.goesTo(v.post("/settings/appearance", "theme", "x\" onload=", "keys", "on"), "/settings?said=saved")
	if text := v.get("/").Body.String(); strings.Contains(text, "data-theme") || strings.Contains(text, "data-keys") {
		t.Error("not as the system, with keys")
	}

	w := v.post("/settings/tokens", "label", "newsboat <laptop>")
	secret := regexp.MustCompile(`tdg_[\w-]{43}`).FindString(w.Body.String())
	if secret == "" || !strings.Contains(w.Body.String(), "newsboat &lt;laptop&gt;") {
		t.Fatalf("no token: %.300s", w.Body)
	}
	if strings.Contains(v.get("/settings").Body.String(), secret) {
		t.Error("the secret is shown twice")
	}
	v.goesTo(v.post("/settings/tokens/delete", "id", "1"), "/settings?said=removed")
	if len(f.tokens) != 0 {
		t.Error("the token is still there")
	}

	if w := v.post("/settings/password", "new", "one password", "again", "another password"); w.Code != 422 || f.password != "" {
		t.Errorf("two different new passwords: %d", w.Code)
	}
	if w := v.post("/settings/password", "new", "short", "again", "short"); w.Code != 422 || f.password != "" {
		t.Errorf("a short password: %d", w.Code)
	}
	v.goesTo(v.post("/settings/password", "new", testPassword, "again", testPassword), "/settings?said=password")
	if w := v.get("/settings"); w.Code != 200 || !strings.Contains(w.Body.String(), "Sign out of this browser") {
		t.Errorf("this browser is not signed in: %d", w.Code)
	}
	v.goesTo(v.post("/logout"), "/login")
	v.goesTo(v.get("/"), "/login")
}

func TestSigningIn(t *testing.T) {
	v := visit(t, newFakeWithPassword(t), true)
	v.goesTo(v.get("/channels?q=a"), "/login?next=%2Fchannels%3Fq%3Da")
	w := v.get("/login?next=/channels")
	sound(t, "/login", w.Body.String())
	if strings.Contains(w.Body.String(), "LWN.net") {
		t.Error("the login page shows what is followed")
	}
	if w := v.post("/login", "password", "wrong", "next", "/channels"); w.Code != 401 || !strings.Contains(w.Body.String(), "That is not the password.") || !strings.Contains(w.Body.String(), `value="/channels"`) {
		t.Errorf("a wrong password: %d", w.Code)
	}
	v.goesTo(v.post("/login", "password", testPassword, "next", "//attacker.example/"), "/")
	if w := v.get("/"); w.Code != 200 || !strings.Contains(w.Body.String(), "LWN.net") {
		t.Errorf("signed in: %d", w.Code)
	}
	v.cookies = map[string]string{}
	for range 8 {
		w = v.post("/login", "password", "guess")
	}
	if w.Code != 429 || w.Header().Get("Retry-After") == "" {
		t.Errorf("the eighth guess: %d", w.Code)
	}
	if w := visit(t, newFake(), true).get("/login"); !strings.Contains(w.Body.String(), "no password yet") {
		t.Error("nobody is told how to set a first password")
	}
}

// hostile 57: the page's forms in the hands of another site.
func TestFormsFromElsewhere(t *testing.T) {
	f := sample()
	v := visit(t, f, false)
	for _, path := range []string{"/add", "/add/preview", "/channel", "/read", "/entry/29", "/opml", "/settings/password", "/settings/tokens", "/settings/appearance", "/logout", "/login"} {
		for name, value := range map[string]string{"Sec-Fetch-Site": "cross-site", "Origin": "https://attacker.example", "X-None": ""} {
			r := httptest.NewRequest("POST", path, strings.NewReader("url=https://attacker.example/&do=star&new=12345678&again=12345678"))
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			r.Header.Set(name, value)
			if w := v.send(r); w.Code != 403 {
				t.Errorf("%s with %s %q: %d", path, name, value, w.Code)
			}
		}
	}
	if len(f.orders) != 0 || f.password != "" || len(f.tokens) != 0 {
		t.Error("something was done all the same")
	}
}

func TestLocalPath(t *testing.T) {
	for target, want := range map[string]string{
		"/": "/", "/?show=unread": "/?show=unread", "/entry/3#e3": "/entry/3#e3", "": "/", "channels": "/",
		"//attacker.example/": "/", "https://attacker.example/": "/", "/\\attacker.example": "/", "\\\\attacker.example": "/", "/%zz": "/", "javascript:alert(1)": "/", "/\t/attacker.example": "/",
	} {
		if got := localPath(target); got != want {
			t.Errorf("localPath(%q) = %q, want %q", target, got, want)
		}
	}
}
