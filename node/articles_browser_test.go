package node

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"tidings"
	"tidings/lab/browser"
)

// silence returns seconds of it as a WAV file.
func silence(seconds int) []byte {
	const rate = 8000
	size := uint32(rate * seconds)
	var b bytes.Buffer
	b.WriteString("RIFF")
	binary.Write(&b, binary.LittleEndian, 36+size)
	b.WriteString("WAVEfmt ")
	for _, v := range []any{uint32(16), uint16(1), uint16(1), uint32(rate), uint32(rate), uint16(1), uint16(8)} {
		binary.Write(&b, binary.LittleEndian, v)
	}
	b.WriteString("data")
	binary.Write(&b, binary.LittleEndian, size)
	return append(b.Bytes(), bytes.Repeat([]byte{128}, int(size))...)
}

// articlesOrigin has a feed of teasers, the pages that they lead to, and an episode of silence.
type articlesOrigin struct {
	*httptest.Server
	mu     sync.Mutex
	asked  map[string]int
	ranges []string
	closed bool // the pages answer 403
	items  string
}

func newArticlesOrigin(t *testing.T) *articlesOrigin {
	o := &articlesOrigin{asked: make(map[string]int)}
	episode := silence(60)
	o.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		o.mu.Lock()
		o.asked[r.URL.Path]++
		closed, items := o.closed, o.items
		if r.URL.Path == "/one.wav" {
			o.ranges = append(o.ranges, r.Header.Get("Range"))
		}
		o.mu.Unlock()
		switch {
		case r.URL.Path == "/feed":
			w.Header().Set("Content-Type", "application/rss+xml")
			io.WriteString(w, rss(items))
		case r.URL.Path == "/one.wav":
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(episode))
		case closed:
			w.WriteHeader(http.StatusForbidden)
		default:
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprintf(w, `<html><head><title>%[1]s</title></head><body><nav>Elsewhere</nav><article><h1>%[1]s</h1>%s</article></body></html>`, r.URL.Path,
				strings.Repeat("<p>"+strings.Repeat("The zeppelin rose, slowly, over the harbour and the town. ", 6)+
					"</p>", 5))
		}
	}))
	t.Cleanup(o.Close)
	o.items = o.item(1)
	return o
}

func (o *articlesOrigin) item(n int) string {
	return fmt.Sprintf(`<item><guid>%d</guid><title>Story %d</title><link>%s/page%d</link><description>A teaser %d.</description><enclosure url="%s/one.wav" type="audio/wav" length="480044"/></item>`,
		n, n, o.URL, n, n, o.URL)
}

func (o *articlesOrigin) set(f func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	f()
}

func (o *articlesOrigin) count(path string) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.asked[path]
}

// A person reads the full text of an article with a key, on its own page and in the river. If there is none, the reason
// is shown. The person turns it on for the whole channel. An episode plays from where it was left, at the speed that
// was chosen.
func TestArticlesInBrowser(t *testing.T) {
	t.Parallel()
	ctx := browser.Start(t)
	o := newArticlesOrigin(t)
	n, client := startNode(t)
	f, err := client.Subscribe(t.Context(), tidings.SubscribeRequest{URL: o.URL + "/feed"})
	if err != nil {
		t.Fatal(err)
	}
	picture := func(name string) {
		t.Helper()
		browser.SavePicture(t, ctx, filepath.Join("..", "artefacts", "node", name+".png"))
	}
	text := func() string {
		t.Helper()
		return browser.Eval[string](t, ctx, `document.querySelector("main").innerText`)
	}
	shows := func(what, wanted, lacks string) {
		t.Helper()
		if seen := text(); !strings.Contains(seen, wanted) || lacks != "" && strings.Contains(seen, lacks) {
			t.Errorf("%s:\n%s", what, seen)
		}
	}
	fits := func(what string) {
		t.Helper()
		if over := browser.Eval[int](t, ctx, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
			t.Errorf("%s is %d pixels too wide", what, over)
		}
	}
	press := func(key string) browser.Step { return chromedp.KeyEvent(key) }

	// In the river: nothing at first, as the page is closed; then the text, and the feed's again.
	o.set(func() { o.closed = true })
	browser.Do(t, ctx, browser.Size(1280, "light"), browser.Open(n.URL()+"/"), browser.Visible(`.line .open`),
		browser.Click(`.line .open`), browser.Visible(`.line .texts button`))
	shows("an open line", "A teaser 1.", "zeppelin")
	browser.Do(t, ctx, browser.Click(`.line .texts button`), browser.Visible(`.line .texts [role=status]`))
	shows("a closed page", "No full text: the page answered 403 (Forbidden).", "zeppelin")
	picture("articles-failed")
	o.set(func() { o.closed = false })
	browser.Do(t, ctx, browser.Click(`.line .texts button`), browser.Visible(`.line .texts [data-text]`))
	shows("the full text in the river", "zeppelin", "Elsewhere")
	browser.Do(t, ctx, browser.Click(`.line .texts [data-text]`), browser.Gone(`.line .texts form`))
	shows("the feed's text again", "A teaser 1.", "zeppelin")

	// On a page of its own, by the key; without the node asking again.
	asked := o.count("/page1")
	browser.Do(t, ctx, browser.Open(n.URL()+"/entry/1"), browser.Visible(`article .texts [data-text]`), press("d"),
		browser.Visible(`article .texts form`))
	shows("the full text by a key", "zeppelin", "")
	fits("an article")
	picture("articles-full-text")
	browser.Do(t, ctx, press("d"), browser.Gone(`article .texts form`))
	shows("the feed's text by a key", "A teaser 1.", "zeppelin")
	if got := o.count("/page1"); got != asked || asked != 2 {
		t.Errorf("the page was asked for %d times, then %d", asked, got)
	}
	if found, err := client.Entries(t.Context(), tidings.EntryQuery{Search: "zeppelin"}); err != nil ||
		len(found) != 1 {
		t.Errorf("search finds %d, %v", len(found), err)
	}

	// Always, for the channel: the next item has it, and programs too.
	browser.Do(t, ctx, browser.Open(n.URL()+"/channel?url="+f.URL), browser.Visible(`details.edit`),
		browser.Click(`details.edit summary`),
		browser.Click(`input[name=text][value=full]`), browser.Click(`button[value=shown]`),
		browser.Visible(`#said:not(:empty)`))
	o.set(func() { o.items = o.item(2) + o.item(1) })
	if _, err := client.Poll(t.Context(), f.URL); err != nil {
		t.Fatal(err)
	}
	var newest tidings.Entry
	deadline := time.Now().Add(patience)
	for newest.FullText == nil || newest.FullText.State != tidings.FullTextKept {
		all, err := client.Entries(t.Context(), tidings.EntryQuery{Limit: 1})
		if err != nil || time.Now().After(deadline) {
			t.Fatalf("%+v, %v", all, err)
		}
		if len(all) > 0 {
			newest = all[0]
		}
	}
	if newest.Content.Title != "Story 2" || !newest.FullText.Preferred ||
		!strings.Contains(newest.FullText.Content, "zeppelin") {
		t.Errorf("the newest: %+v", newest)
	}
	browser.Do(t, ctx, browser.Size(390, "dark"), browser.Open(fmt.Sprintf("%s/entry/%d", n.URL(), newest.ID)),
		browser.Visible(`article .texts form`))
	shows("what is preferred", "zeppelin", "A teaser")
	fits("an article on a phone")
	picture("articles-narrow")

	// The episode: nothing is loaded before it is played.
	if got := o.count("/one.wav"); got != 0 {
		t.Errorf("the episode was asked for %d times before anybody played it", got)
	}
	browser.Do(t, ctx, browser.Type(`.player select`, "2"+kb.Enter))
	browser.Eval[bool](t, ctx, `(() => { const a = document.querySelector(".player audio"); const s = document.querySelector(".player select"); s.value = "2"; s.dispatchEvent(new Event("change")); a.muted = true; a.play(); return true; })()`)
	awaits := func(what, condition string) {
		t.Helper()
		for deadline := time.Now().Add(patience); !browser.Eval[bool](t, ctx, condition); {
			if time.Now().After(deadline) {
				t.Fatalf("%s: %s", what,
					browser.Eval[string](t, ctx, `(() => { const a = document.querySelector(".player audio"); return JSON.stringify([a.readyState, a.networkState, a.duration, a.currentTime, a.error?.message, a.src]); })()`))
			}
		}
	}
	awaits("it does not play", `document.querySelector(".player audio").currentTime > 0.2`)
	if got := browser.Eval[float64](t, ctx, `document.querySelector(".player audio").playbackRate`); got != 2 {
		t.Errorf("it plays at the speed %v", got)
	}
	browser.Eval[bool](t, ctx,
		`(() => { const a = document.querySelector(".player audio"); a.pause(); a.currentTime = 42; return true; })()`)
	awaits("the place is not kept", `(localStorage.getItem("tidings-places") ?? "").includes(",42]")`)
	picture("articles-player")
	browser.Do(t, ctx, browser.Size(1280, "light"), browser.Open(fmt.Sprintf("%s/entry/%d", n.URL(), newest.ID)),
		browser.Visible(`.player select`))
	if got := browser.Eval[string](t, ctx, `document.querySelector(".player select").value`); got != "2" {
		t.Errorf("the speed is %s on the next visit", got)
	}
	browser.Do(t, ctx, browser.Type(`.player select`, "2")) // a page plays nothing before a person has acted
	browser.Eval[bool](t, ctx,
		`(() => { const a = document.querySelector(".player audio"); a.muted = true; a.play(); return true; })()`)
	awaits("it does not go on where it was left", `document.querySelector(".player audio").currentTime >= 42`)
	o.set(func() {
		if len(o.ranges) == 0 || o.ranges[0] != "bytes=0-" {
			t.Errorf("the origin is asked for %q", o.ranges)
		}
	})
}
