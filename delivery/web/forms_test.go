package web

import (
	"bytes"
	"crypto/md5" //nolint:gosec // what keys of the Fever API are made of
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"html"
	"io"
	"mime/multipart"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tidings/delivery/web/filters"
	"tidings/delivery/web/networkroom"
	"tidings/delivery/web/shell"

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
	v.goesTo(v.post("/read", "channel", "https://museum.example/tickets", "upto", "30"),
		"/channel?url=https%3A%2F%2Fmuseum.example%2Ftickets")
}

// accessForm sets and removes what a channel's origin is sent: the page names what there is, and has no value.
func accessForm(t *testing.T, f *fake, v *visitor, address string) {
	t.Helper()
	path := shell.ChannelPath(address)
	f.at(address).Access = tidings.AccessNames{Headers: []string{"X-Key"}, Cookies: []string{"sid"}, Proxy: true}
	text := v.get(path).Body.String()
	for _, want := range []string{`name="no-header" value="X-Key"`, `name="no-cookie" value="sid"`, `name="no-proxy"`,
		`placeholder="X-Api-Key: 1234"></textarea>`} {
		if !strings.Contains(text, want) {
			t.Errorf("the channel's page lacks %s", want)
		}
	}
	v.goesTo(v.post("/channel", "url", address, "do", "access", "no-header", "X-Key", "headers",
		"X-Key: s3cret\r\n\r\nB: c", "no-cookie", "sid", "no-proxy", "on"), path+"&said=saved")
	want := tidings.AccessChange{Headers: []string{"X-Key:", "X-Key: s3cret", "B: c"}, Cookies: []string{"sid="},
		Proxy: new("")}
	if got := f.access; !slices.Equal(got.Headers, want.Headers) || !slices.Equal(got.Cookies, want.Cookies) ||
		got.Proxy == nil || *got.Proxy != "" {
		t.Errorf("the form asks for %+v", got)
	}
	v.post("/channel", "url", address, "do", "access", "proxy", "http://u:s3cret@p.example")
	if got := f.access; got.Proxy == nil || *got.Proxy != "http://u:s3cret@p.example" || len(got.Headers) != 0 {
		t.Errorf("the form asks for %+v", got)
	}
	f.at(address).Access = tidings.AccessNames{}
	if text := v.get(path).Body.String(); strings.Contains(text, "s3cret") || strings.Contains(text, `name="no-`) {
		t.Error("the page shows a value, or offers to remove what is not there")
	}
}

func TestChannelForms(t *testing.T) {
	f := sample()
	v := visit(t, f, false)
	const address = "https://kernel.example/headlines/rss"
	path := shell.ChannelPath(address)
	v.goesTo(v.post("/channel", "url", address, "do", "rename", "name", "Kernel news", "folder", "Work/Linux"),
		path+"&said=saved")
	v.goesTo(v.post("/channel", "url", address, "do", "edits", "edits", "on"), path+"&said=saved")
	v.goesTo(v.post("/channel", "url", address, "do", "privacy", "privacy", "unlisted"), path+"&said=saved")
	if c := f.at(address); c.Name != "Kernel news" || c.Folder != "Work/Linux" || c.Privacy != tidings.Unlisted ||
		!c.EditsAsItems {
		t.Errorf("channel is %+v", c)
	}
	if w := v.post("/channel", "url", address, "do", "privacy", "privacy", "credentialed"); w.Code != 400 {
		t.Errorf("a class that nobody can choose: %d", w.Code)
	}
	v.goesTo(v.post("/channel", "url", address, "do", "poll"), path+"&said=polled")
	if text := v.get(path + "&said=polled").Body.String(); !strings.Contains(text, "Checked again just now.") ||
		!strings.Contains(text, "you asked for it") {
		t.Error("the page does not say that it checked, and why")
	}
	accessForm(t, f, v, address)
	const page = "https://museum.example/tickets"
	v.goesTo(v.post("/channel", "url", page, "do", "options", "select", "#prices\n .hours ", "keep", "Sold out",
		"prices", "on", "notify_if", "below 20\nappears in stock"), shell.ChannelPath(page)+"&said=options")
	if got, want := fmt.Sprintf("%+v", f.at(page).Options),
		fmt.Sprintf("%+v", tidings.PageOptions{Select: []string{"#prices", ".hours"},
			Keep: []string{"Sold out"}, Prices: true,
			NotifyIf: []string{"below 20", "appears in stock"}}); got != want {
		t.Errorf("the page is read by %s, want %s", got, want)
	}
	if text := v.get(shell.ChannelPath(page)).Body.String(); !strings.Contains(text, "#prices\n.hours</textarea>") {
		t.Error("the form does not show the rules that hold")
	}
	f.states[page] = []string{"Price: 12 EUR, in stock", "Opening hours"}
	text := v.get(shell.ChannelPath(page)).Body.String()
	for _, want := range []string{`name="prices" value="on" checked`, "below 20\nappears in stock</textarea>",
		"<dt>Price</dt><dd><small>Price: 12 EUR, in stock</small></dd>"} {
		if !strings.Contains(text, want) {
			t.Errorf("the channel's page lacks %s", want)
		}
	}
	v.goesTo(v.post("/channel", "url", page, "do", "options"), shell.ChannelPath(page)+"&said=options")
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
	for _, want := range []string{"The Orchard Review", "Grafting in a wet spring", "Comments", "The page itself",
		"2 dates without a time zone", "Unlisted", "and 1 more"} {
		if !strings.Contains(w.Body.String(), want) {
			t.Errorf("the preview lacks %q", want)
		}
	}
	if f.at("https://orchard.example/feed.xml") != nil {
		t.Error("it is followed before it was confirmed")
	}
	v.goesTo(v.post("/add", "url", "https://orchard.example", "choice", "https://orchard.example/feed.xml", "name",
		"Orchard", "folder", "Garden", "privacy", "unlisted"),
		"/channel?url=https%3A%2F%2Forchard.example%2Ffeed.xml&said=followed")
	v.post("/add", "url", "orchard.example", "choice", "page", "select", "#hours\n\n .times ", "ignore",
		"Last updated.*")
	want := []tidings.SubscribeRequest{
		{URL: "orchard.example"},
		{URL: "https://orchard.example/feed.xml", Name: "Orchard", Folder: "Garden", Privacy: tidings.Unlisted},
		{URL: "orchard.example", AsPage: true, Options: tidings.PageOptions{Select: []string{"#hours", ".times"},
			Ignore: []string{"Last updated.*"}}},
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
	if w := v.post("/add/preview", "url", "https://user:secret@gone.example/"); w.Code != 422 ||
		!strings.Contains(w.Body.String(), "no such host") {
		t.Errorf("a check that fails: %d", w.Code)
	}
	f.previewFails = &tidings.Failure{Op: "checking", Address: "https://a.example/", Hint: "let the node read more",
		Err: &tidings.Failure{Op: "reading feed", Err: errors.New("it is too large")}}
	if w := v.post("/add/preview", "url", "a.example"); !strings.Contains(w.Body.String(),
		"<b>checking https://a.example/: it is too large</b></p><p>Let the node read more.</p>") {
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
	for _, want := range []string{"1 channel added", "1 was followed already", "1 address could not be used",
		"A &lt;b&gt;paper", "a private address", "What was passed over", "Line 5"} {
		if !strings.Contains(w.Body.String(), want) {
			t.Errorf("the report lacks %q", want)
		}
	}
	if c := f.at("https://paper.example/feed"); c == nil || c.Folder != "Papers" {
		t.Errorf("imported: %+v", c)
	}
	if w := v.upload("text", "", "https://one.example/feed\nhttps://two.example/\nnonsense"); !strings.Contains(
		w.Body.String(), "2 channels added") || !strings.Contains(w.Body.String(), "Line 3") {
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
	if !strings.Contains(w.Body.String(), `xmlUrl="https://paper.example/feed"`) ||
		!strings.Contains(w.Header().Get("Content-Disposition"), "tidings.opml") {
		t.Errorf("export: %v %.300s", w.Header(), w.Body)
	}
}

// A folder with a slash in its name is one folder after its import: beside the page, as a river, and in the form.
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
		"/channels": {`<span class="name" dir="auto">AC/DC</span>`, "Music / AC/DC</a></h2>"},
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
	if !ok || made.FeverUser != "ann" || !strings.Contains(text, "/fever</code>") ||
		!strings.Contains(text, "Fever, as ann") {
		t.Errorf("a token for Fever: %+v, %.300s", made, text)
	}
	for _, user := range []string{"", "an n"} {
		if w := v.post("/settings/tokens", "label", "x", "for", "fever", "fever_user", user); w.Code != 400 ||
			len(f.tokens) != 1 {
			t.Errorf("for the user %q: %d", user, w.Code)
		}
	}

	text = v.post("/settings/tokens", "label", "script", "for", "posts", "posts", " Backups ").Body.String()
	secret = regexp.MustCompile(`tdg_[\w-]{43}`).FindString(text)
	if made := f.tokens[sha256.Sum256([]byte(secret))]; made.Posts != "Backups" ||
		!strings.Contains(text, "/api/v1/items") || !strings.Contains(text, "posts to Backups") {
		t.Errorf("a token for posting: %+v, %.300s", made, text)
	}
	if w := v.post("/settings/tokens", "label", "x", "for", "posts", "posts", ""); w.Code != 400 {
		t.Errorf("for a channel without a name: %d", w.Code)
	}

	feedAddress := regexp.MustCompile(`http://[^<]*/feeds/[\w-]{43}\.(atom|json)`)
	for i, c := range []struct {
		what, of string
		want     tidings.FeedAddress
	}{
		{"river", "ignored", tidings.FeedAddress{Selection: tidings.SelectRiver}},
		{"starred", "", tidings.FeedAddress{Selection: tidings.SelectStarred}},
		{"folder/a/b", "", tidings.FeedAddress{Selection: tidings.SelectFolder, Of: "a/b"}},
		{"search", "tea <time>", tidings.FeedAddress{Selection: tidings.SelectSearch, Of: "tea <time>"}},
		{"channel", strings.ToUpper(f.followed[0].Label()),
			tidings.FeedAddress{Selection: tidings.SelectChannel, Of: f.followed[0].URL}},
		{"channel", f.followed[1].URL, tidings.FeedAddress{Selection: tidings.SelectChannel, Of: f.followed[1].URL}},
	} {
		text := v.post("/settings/feeds", "what", c.what, "of", c.of, "name", "").Body.String()
		c.want.ID = int64(i + 1)
		if found := feedAddress.FindAllString(text, -1); len(found) != 2 || len(f.feeds) != i+1 ||
			f.feeds[i] != c.want {
			t.Fatalf("a feed of %s: addresses %q, stored %+v", c.what, found, f.feeds)
		}
	}
	text = v.get("/settings").Body.String()
	if feedAddress.MatchString(text) || !strings.Contains(text, "Search tea &lt;time&gt;") {
		t.Error("secrets are shown twice, or feeds are not listed")
	}
	for _, what := range []string{"", "king", "folder", "folder/", "search", "channel"} {
		if w := v.post("/settings/feeds", "what", what, "of", ""); w.Code < 400 || w.Code >= 500 || len(f.feeds) != 6 {
			t.Errorf("a feed of %q: %d", what, w.Code)
		}
	}
	v.goesTo(v.post("/settings/feeds/remove", "id", "2"), "/settings?said=nofeed")
	v.goesTo(v.post("/settings/feeds/remove", "id", "2"), "/settings?said=nofeed")
	if len(f.feeds) != 5 {
		t.Errorf("after one is removed there are %d", len(f.feeds))
	}

	if w := v.post("/settings/password", "new", "one password", "again", "another password"); w.Code != 422 ||
		f.password != "" {
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
	if w := v.post("/login", "password", "wrong", "next", "/channels"); w.Code != 401 ||
		!strings.Contains(w.Body.String(), "That is not the password.") ||
		!strings.Contains(w.Body.String(), `value="/channels"`) {
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
	f := withNotifications()
	notifications := sampleNotifications()
	f.notifications = notifications
	v := visit(t, f, false)
	paths := []string{"/login"}
	for _, room := range []map[string]shell.Handler{handlersOf(&site{}), filters.Handlers(shell.Shell{}, nil, nil),
		networkroom.Handlers(networkroom.Config{})} {
		for route := range room {
			if path, posts := strings.CutPrefix(route, "POST "); posts {
				paths = append(paths, strings.ReplaceAll(path, "{id}", "1"))
			}
		}
	}
	if len(paths) < 30 {
		t.Fatalf("there are only %d forms", len(paths))
	}
	for _, path := range paths {
		for name, value := range map[string]string{"Sec-Fetch-Site": "cross-site", "Origin": "https://attacker.example",
			"X-None": ""} {
			r := httptest.NewRequest("POST", path,
				strings.NewReader(
					"target=2&name=a&kind=ntfy&gets=all&url=https://attacker.example/&do=star&new=12345678&again=12345678"))
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			r.Header.Set(name, value)
			if w := v.send(r); w.Code != 403 {
				t.Errorf("%s with %s %q: %d", path, name, value, w.Code)
			}
		}
	}
	if len(f.orders) != 0 || f.password != "" || len(f.tokens) != 0 ||
		notifications.touched() {
		t.Error("something was done all the same")
	}
}

// A long list of channels comes in pages, and the filter goes through all of it.
func TestChannelsComeInPages(t *testing.T) {
	f := newFake()
	for i := range 250 {
		url := fmt.Sprintf("https://example.org/%03d", i)
		f.follow(tidings.Subscription{Channel: tidings.Channel{URL: url, Title: fmt.Sprintf("Number %03d", i),
			Kind: tidings.KindFeed}})
	}
	v := visit(t, f, false)
	for path, want := range map[string]struct {
		rows            int
		first           string
		earlier, later  string
		whole, filtered bool
	}{
		"/channels":                 {100, "Number 000", "", "/channels?from=101", false, false},
		"/channels?from=101":        {100, "Number 100", "/channels?from=1", "/channels?from=201", false, false},
		"/channels?from=201":        {50, "Number 200", "/channels?from=101", "", false, false},
		"/channels?q=number+1":      {100, "Number 100", "", "", true, true},
		"/channels?q=+249":          {1, "Number 249", "", "", true, true},
		"/channels?from=-5":         {100, "Number 000", "", "/channels?from=101", false, false},
		"/channels?from=99999":      {50, "Number 200", "/channels?from=101", "", false, false},
		"/channels?q=+249&from=101": {1, "Number 249", "", "", true, true},
		"/channels?q=nothing":       {0, "", "", "", true, true},
	} {
		text := html.UnescapeString(v.get(path).Body.String())
		if n := strings.Count(text, `class="channel-row"`); n != want.rows {
			t.Errorf("%s has %d rows, want %d", path, n, want.rows)
		}
		if i := strings.Index(text, `class="channel-row"`); want.first != "" &&
			!strings.Contains(text[i:i+800], want.first) {
			t.Errorf("%s does not begin with %s", path, want.first)
		}
		for rel, href := range map[string]string{"prev": want.earlier, "next": want.later} {
			if href == "" == strings.Contains(text, `rel="`+rel+`"`) ||
				href != "" && !strings.Contains(text, `rel="`+rel+`" href="`+href+`"`) {
				t.Errorf("%s: its %s is not %q", path, rel, href)
			}
		}
		if whole := strings.Contains(text, `data-filter="#channel-list"`); whole != want.whole {
			t.Errorf("%s filters in place: %v", path, whole)
		}
		if filtered := strings.Contains(text, " found"); filtered != want.filtered {
			t.Errorf("%s says how many were found: %v", path, filtered)
		}
	}
}
