package web

import (
	"bytes"
	"crypto/md5" //nolint:gosec // what keys of the Fever API are made of
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"tidings"
)

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
	const address = "https://kernel.example/headlines/rss"
	path := channelPath(address)
	v.goesTo(v.post("/channel", "url", address, "do", "rename", "name", "Kernel news", "folder", "Work/Linux"), path+"&said=saved")
	v.goesTo(v.post("/channel", "url", address, "do", "privacy", "privacy", "unlisted"), path+"&said=saved")
	if c := f.at(address); c.Name != "Kernel news" || c.Folder != "Work/Linux" || c.Privacy != tidings.Unlisted {
		t.Errorf("channel is %+v", c)
	}
	if w := v.post("/channel", "url", address, "do", "privacy", "privacy", "credentialed"); w.Code != 400 {
		t.Errorf("a class that nobody can choose: %d", w.Code)
	}
	v.goesTo(v.post("/channel", "url", address, "do", "poll"), path+"&said=polled")
	if text := v.get(path + "&said=polled").Body.String(); !strings.Contains(text, "Checked again just now.") || !strings.Contains(text, "you asked for it") {
		t.Error("the page does not say that it checked, and why")
	}
	const page = "https://museum.example/tickets"
	v.goesTo(v.post("/channel", "url", page, "do", "options", "select", "#prices\n .hours ", "keep", "Sold out"), channelPath(page)+"&said=options")
	if got, want := fmt.Sprint(f.at(page).Options), "{[#prices .hours] [] [Sold out]}"; got != want {
		t.Errorf("the page is read by %s, want %s", got, want)
	}
	if text := v.get(channelPath(page)).Body.String(); !strings.Contains(text, "#prices\n.hours</textarea>") {
		t.Error("the form does not show the rules that hold")
	}
	v.goesTo(v.post("/channel", "url", page, "do", "options"), channelPath(page)+"&said=options")
	if !f.at(page).Options.IsZero() {
		t.Error("the rules cannot be taken back")
	}
	v.goesTo(v.post("/channel", "url", address, "do", "unsubscribe"), "/channels?said=unfollowed")
	if f.at(address) != nil {
		t.Error("it is still followed")
	}
	if w := v.post("/channel", "url", address, "do", "poll"); w.Code != 404 {
		t.Errorf("a check of what is not followed: %d", w.Code)
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
	want := []tidings.SubscribeRequest{
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
	f.previewFails = fmt.Errorf("check it: %w", errors.New("no such host"))
	if w := v.post("/add/preview", "url", "https://user:secret@gone.example/"); w.Code != 422 || !strings.Contains(w.Body.String(), "no such host") {
		t.Errorf("a check that fails: %d", w.Code)
	}
	f.previewFails = &tidings.Failure{Op: "checking", Address: "https://a.example/", Hint: "let the node read more",
		Err: &tidings.Failure{Op: "reading feed", Err: errors.New("it is too large")}}
	if w := v.post("/add/preview", "url", "a.example"); !strings.Contains(w.Body.String(), "<b>checking https://a.example/: it is too large</b></p><p>Let the node read more.</p>") {
		t.Errorf("no reason and hint: %s", w.Body)
	}
}

func TestPreviewIsNoLink(t *testing.T) {
	f := sample()
	visit(t, f, false).get("/add?url=https://attacker.example/")
	if len(f.orders) != 0 {
		t.Error("following a link made the node fetch something")
	}
}

func (v *visitor) upload(field, name, content string, further ...string) *httptest.ResponseRecorder {
	var b bytes.Buffer
	m := multipart.NewWriter(&b)
	var part io.Writer
	if name != "" {
		part, _ = m.CreateFormFile(field, name)
	} else {
		part, _ = m.CreateFormField(field)
	}
	io.WriteString(part, content)
	for i := 0; i < len(further); i += 2 {
		m.WriteField(further[i], further[i+1])
	}
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
		<outline text="Go" xmlUrl="https://compiler.example/blog/feed.atom"/>
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
	for _, pages := range []string{"", "on"} {
		w := v.upload("text", "", `<opml><outline text="P" htmlUrl="https://only.example/"/></opml>`, "pages", pages)
		if c := f.at("https://only.example/"); (c != nil) != (pages != "") {
			t.Errorf("pages %q: %d, %+v, %.300s", pages, w.Code, c, w.Body)
		}
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

// A folder whose name holds a slash is one folder from its import on: beside the page, as a river, and in the form.
func TestFolderWithASlash(t *testing.T) {
	f := sample()
	v := visit(t, f, false)
	v.upload("file", "feeds.opml", `<opml version="2.0"><body><outline text="Music"><outline text="AC/DC">
		<outline text="Tour" xmlUrl="https://tour.example/feed"/></outline></outline></body></opml>`)
	const address, path = "https://tour.example/feed", "Music/AC%2FDC"
	if c := f.at(address); c == nil || c.Folder != path {
		t.Fatalf("imported: %+v", c)
	}
	river := "/?folder=" + url.QueryEscape(path)
	for page, wants := range map[string][]string{
		"/channels": {">Music / AC/DC</a></h2>", "Music / AC/DC</a>"},
		river:       {`<h1 dir="auto">Music / AC/DC</h1>`, `href="/?folder=Music%2fAC%252FDC"`},
		"/channel?url=" + url.QueryEscape(address): {">Music / AC/DC</a>", `value="` + path + `"`, "stands for a slash",
			`<option value="` + path + `" label="Music / AC/DC">`},
	} {
		body := v.get(page).Body.String()
		for _, want := range wants {
			if !strings.Contains(body, want) {
				t.Errorf("%s lacks %q", page, want)
			}
		}
	}
	v.post("/channel", "url", address, "do", "rename", "name", "Tour", "folder", path)
	if c := f.at(address); c.Folder != path || c.Name != "Tour" {
		t.Errorf("saved: %+v", c)
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

	w = v.post("/settings/tokens", "label", "old reader", "for", "fever", "fever_user", "ann")
	text := w.Body.String()
	secret = regexp.MustCompile(`tdg_[\w-]{43}`).FindString(text)
	sum := md5.Sum([]byte("ann:" + secret)) //nolint:gosec // what keys of the Fever API are made of
	made, ok := f.tokens[sha256.Sum256([]byte(hex.EncodeToString(sum[:])))]
	if !ok || made.FeverUser != "ann" || !strings.Contains(text, "/fever</code>") || !strings.Contains(text, "Fever, as ann") {
		t.Errorf("a token for Fever: %+v, %.300s", made, text)
	}
	for _, user := range []string{"", "an n"} {
		if w := v.post("/settings/tokens", "label", "x", "for", "fever", "fever_user", user); w.Code != 400 || len(f.tokens) != 1 {
			t.Errorf("for the user %q: %d", user, w.Code)
		}
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
	if strings.Contains(w.Body.String(), "Kernel Weekly") {
		t.Error("the login page shows what is followed")
	}
	if w := v.post("/login", "password", "wrong", "next", "/channels"); w.Code != 401 || !strings.Contains(w.Body.String(), "That is not the password.") || !strings.Contains(w.Body.String(), `value="/channels"`) {
		t.Errorf("a wrong password: %d", w.Code)
	}
	v.goesTo(v.post("/login", "password", testPassword, "next", "//attacker.example/"), "/")
	if w := v.get("/"); w.Code != 200 || !strings.Contains(w.Body.String(), "Kernel Weekly") {
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
	for _, path := range []string{"/add", "/add/preview", "/add/query/check", "/add/query/follow", "/channel", "/read", "/entry/29", "/opml", "/settings/password", "/settings/tokens", "/settings/appearance", "/logout", "/login"} {
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
