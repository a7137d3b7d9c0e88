package node

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"tidings"
	"tidings/lab/browser"
)

// A person makes a filter for a channel on the page, in a real browser. It is tried before it is saved, and matching
// items that arrive then are not shown. A second one begins with an article.
func TestFiltersInABrowser(t *testing.T) {
	t.Parallel()
	ctx := browser.Start(t)
	var items atomic.Int32
	items.Store(2)
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/rss+xml")
		fmt.Fprint(w, `<rss version="2.0"><channel><title>The Example</title><link>/</link>`)
		for i := int(items.Load()); i > 0; i-- {
			title := fmt.Sprintf("Story %d", i)
			if i%2 == 0 {
				title = fmt.Sprintf("Advertisement %d", i)
			}
			fmt.Fprintf(w, `<item><title>%s</title><link>/%d</link><guid isPermaLink="false">g%d</guid><author>Jane Doe</author><description>Text.</description></item>`, title, i, i)
		}
		fmt.Fprint(w, `</channel></rss>`)
	}))
	t.Cleanup(origin.Close)
	n, client := startNode(t)
	channel := origin.URL + "/feed"
	if _, err := client.Subscribe(t.Context(), tidings.SubscribeRequest{URL: channel}); err != nil {
		t.Fatal(err)
	}
	arrive := func() {
		t.Helper()
		items.Add(2)
		if _, err := client.Poll(t.Context(), channel); err != nil {
			t.Fatal(err)
		}
	}
	picture := func(name string) {
		t.Helper()
		for _, width := range []int64{1280, 768, 390} {
			browser.Do(t, ctx, browser.Size(width, map[bool]string{true: "dark", false: "light"}[width == 390]))
			if over := browser.Eval[int](t, ctx, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
				t.Errorf("%s: at %d px the page is %d px too wide", name, width, over)
			}
			browser.SavePicture(t, ctx,
				filepath.Join("..", "artefacts", "node", fmt.Sprintf("filters-%s-%d.png", name, width)))
		}
		browser.Do(t, ctx, browser.Size(1280, "light"))
	}
	expect := func(shown bool, texts ...string) {
		t.Helper()
		seen := browser.Eval[string](t, ctx, `document.querySelector("main")?.innerText ?? ""`)
		for _, text := range texts {
			if strings.Contains(seen, text) != shown {
				t.Errorf("the page shows %q: %v, want %v\n%s", text, !shown, shown, seen)
			}
		}
	}
	const value = `.filter-test:nth-of-type(2) [name=value]`
	const save = `button[formaction]`

	browser.Do(t, ctx, browser.Size(1280, "light"), browser.Open(n.URL()+"/filters"),
		browser.Visible(`a[href="/filters/new"]`))
	expect(true, "You have no filters yet")
	picture("none")
	browser.Do(t, ctx, browser.Open(n.URL()+"/filters/new?channel="+channel), browser.Visible(value),
		browser.Type(value, "ADVERT"),
		browser.Click(`[name=do][value=build]`), browser.Visible(save))
	expect(true, "1 of your last 2 articles matches", "Advertisement 2")
	if text := browser.Eval[string](t, ctx, `document.querySelector("[name=condition]").value`); text != "channel = '"+
		channel+"' AND headline LIKE '%ADVERT%'" {
		t.Errorf("the condition is %s", text)
	}
	browser.Do(t, ctx, browser.Click(`[name=drop]`))
	picture("tried")
	browser.Do(t, ctx, browser.Click(save), browser.Visible(`.filters`))
	expect(true, "The filter is saved.", "Articles are not shown.", "No article so far")

	arrive()
	browser.Do(t, ctx, browser.Open(n.URL()+"/"), browser.Visible(`.lines`))
	expect(true, "Story 3", "Advertisement 2")
	expect(false, "Advertisement 4")

	// From an article.
	entries, err := client.Entries(t.Context(), tidings.EntryQuery{Limit: 1})
	if err != nil || len(entries) == 0 {
		t.Fatal(entries, err)
	}
	browser.Do(t, ctx, browser.Open(fmt.Sprintf("%s/entry/%d", n.URL(), entries[0].ID)),
		browser.Click(`main a[href^="/filters/new?entry="]`), browser.Visible(value))
	if title := browser.Eval[string](t, ctx,
		`document.querySelector("[name=value]").value`); title != entries[0].Content.Title {
		t.Errorf("the form begins with %q, and the article has the title %q", title, entries[0].Content.Title)
	}
	browser.Eval[bool](t, ctx, `document.querySelector("[name=value]").value = "Story", true`)
	browser.Do(t, ctx, browser.Type(`[name=labels]`, "stories"), browser.Click(`[name=do][value=build]`),
		browser.Visible(save), browser.Click(save), browser.Visible(`.filters li:nth-child(2)`))
	picture("two")
}
