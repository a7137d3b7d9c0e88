package node

import (
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"

	"tidings"
	"tidings/lab/browser"
	"tidings/lab/dataset"
	"tidings/lab/origin"
	"tidings/source/feed/feedtest"
	"tidings/source/page/pagetest"
)

// firstVisit returns a blog and a page, recorded or, if there are none, generated. It also returns which state of the
// blog has news, which of the page, and a word in the blog.
func firstVisit(t *testing.T) (histories map[string]dataset.History, blog, page int, word string) {
	t.Helper()
	data, err := dataset.Dir()
	if err != nil {
		feeds, pages := feedtest.Histories(1), pagetest.Histories(1)
		blog = 1 + slices.IndexFunc(feeds[0].States[1:], func(s feedtest.State) bool {
			return s.Items[0].Change == feedtest.New
		})
		page = 1 + slices.IndexFunc(pages[0].States[1:], func(s pagetest.State) bool { return s.Changed })
		return map[string]dataset.History{
			"blog": dataset.HistoryOf("blog", feeds[0].Ext, feeds[0].Bodies()...),
			"spec": dataset.HistoryOf("spec", "html", pages[0].Bodies()...),
		}, blog, page, "plain"
	}
	histories = make(map[string]dataset.History)
	for name, file := range map[string]string{
		"blog": filepath.Join(data, "feed-histories", "rust-blog.tar.bz2"),
		"spec": filepath.Join(data, "page-histories", "websub-spec.tar.bz2"),
	} {
		if histories[name], err = dataset.ReadHistory(file); err != nil {
			t.Fatal(err)
		}
	}
	return histories, 12, 3, "compiler"
}

// TestAPersonsFirstVisit goes through a real node's page in a real browser. A blog and a page are followed, change, and
// are read.
func TestAPersonsFirstVisit(t *testing.T) {
	t.Parallel()
	ctx := browser.Start(t)
	histories, blogState, pageState, word := firstVisit(t)
	o, base := startOrigin(t)
	for name, h := range histories {
		if err := o.Add(name, h, origin.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	n, client := startNode(t)
	browser.Do(t, ctx, browser.Size(1280, "light"))
	picture := func(name string) {
		t.Helper()
		browser.SavePicture(t, ctx, filepath.Join("..", "artefacts", "node", name+".png"))
	}

	// A new node says what to do; following begins with a poll.
	browser.Do(t, ctx, browser.Open(n.URL()+"/"))
	picture("first-run")
	for _, name := range []string{"blog", "spec"} {
		browser.Do(t, ctx, browser.Open(n.URL()+"/add"), browser.Type(`main input[name=url]`, base+name+kb.Enter),
			browser.Visible(`.preview`))
		picture("preview-" + name)
		browser.Do(t, ctx, browser.Click(`.preview > .buttons button`), browser.Visible(`#versions`))
	}

	// A change arrives while a person reads the river.
	browser.Do(t, ctx, browser.Open(n.URL()+"/"), browser.Visible(`.line`), browser.StopClock())
	browser.Eval[bool](t, ctx, `window.sameDocument = true`)
	if err := o.Set("blog", blogState); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if _, err := client.Poll(t.Context(), base+"blog"); err != nil {
		t.Fatal(err)
	}
	polled := time.Now()
	browser.Do(t, ctx, browser.Visible(`#pill`))
	t.Logf("the check took %s; the browser showed the change at most %s after it", polled.Sub(began),
		time.Since(polled))
	browser.Do(t, ctx, browser.Click(`#pill`), browser.Visible(`#fresh .line`))
	if !browser.Eval[bool](t, ctx, `window.sameDocument === true`) {
		t.Error("the page was loaded again")
	}
	picture("river")

	// A change of the page is read as a difference.
	if err := o.Set("spec", pageState); err != nil {
		t.Fatal(err)
	}
	if _, err := client.Poll(t.Context(), base+"spec"); err != nil {
		t.Fatal(err)
	}
	entries, err := client.Entries(t.Context(), tidings.EntryQuery{Channel: base + "spec", Limit: 1})
	if err != nil || len(entries) != 1 {
		t.Fatalf("entries %v, error %v", entries, err)
	}
	browser.Do(t, ctx, browser.Open(n.URL()+"/"), browser.Click(`.line .title`), browser.Visible(`.row.new`))
	picture("difference")

	// Search finds words of the blog's items.
	browser.Do(t, ctx, browser.Open(n.URL()+"/search?q="+word), browser.Visible(`.line`))
	picture("search")
}

// A person makes app passwords on the settings page, one of them for Fever. The page shows what to type and how they
// were used. The person removes one.
func TestAPersonMakesAppPasswords(t *testing.T) {
	t.Parallel()
	ctx := browser.Start(t)
	n, _ := startNode(t)
	picture := func(name string) {
		t.Helper()
		browser.SavePicture(t, ctx, filepath.Join("..", "artefacts", "node", name+".png"))
	}
	text := func(css string) string {
		t.Helper()
		return browser.Eval[string](t, ctx, `document.querySelector("`+css+`").innerText`)
	}
	opens := func(secret string) bool {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), "GET", n.URL()+"/api/v1/channels", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+secret)
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		return response.StatusCode == http.StatusOK
	}

	browser.Do(t, ctx, browser.Size(1280, "light"), browser.Open(n.URL()+"/settings"),
		browser.Type(`section[aria-labelledby="tokens"] > form input[name="label"]`, "phone"+kb.Enter),
		browser.Visible(`.secret`))
	secret := text(".secret")
	if !opens(secret) {
		t.Errorf("the token %q opens nothing", secret)
	}
	if got := text(".kinds"); !strings.Contains(got, n.URL()+"/api/greader.php") {
		t.Errorf("what to type is %q", got)
	}
	picture("app-password")

	browser.Do(t, ctx, browser.Size(390, "dark"), browser.Open(n.URL()+"/settings"),
		browser.Click(`section[aria-labelledby="tokens"] summary`),
		browser.Type(`details input[name="label"]`, "old phone"),
		browser.Type(`details input[name="fever_user"]`, "ann"))
	picture("app-password-fever-form")
	browser.Do(t, ctx, browser.Click(`details form button`), browser.Visible(`.secret`))
	if fever := text(".secret"); fever == secret || opens(fever) {
		t.Errorf("the token for Fever, %q, opens the API", fever)
	}
	if got := text(".note"); !strings.Contains(got, "/fever") || !strings.Contains(got, "user name ann") {
		t.Errorf("what to type is %q", got)
	}
	if got := text(".tokens"); !strings.Contains(got, "Fever, as ann") || !strings.Contains(got, "last used") ||
		!strings.Contains(got, "never used") {
		t.Errorf("the list says %q", got)
	}
	picture("app-password-fever")

	browser.Do(t, ctx, browser.Click(`.tokens li:first-child button`), browser.Visible(`.said`))
	if opens(secret) {
		t.Error("a removed token opens the API")
	}
}
