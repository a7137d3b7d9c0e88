package node

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"

	"tidings"
	"tidings/lab/browser"
	"tidings/lab/dataset"
	"tidings/lab/origin"
)

// TestAPersonsFirstVisit goes through a real node's page in a real browser: a recorded
// blog and a recorded page are followed, change, and are read.
func TestAPersonsFirstVisit(t *testing.T) {
	ctx := browser.Start(t)
	data := dataset.NeedDir(t)
	o, base := startOrigin(t)
	for name, file := range map[string]string{
		"blog": filepath.Join(data, "feed-histories", "rust-blog.tar.bz2"),
		"spec": filepath.Join(data, "page-histories", "websub-spec.tar.bz2"),
	} {
		h, err := dataset.ReadHistory(file)
		if err != nil {
			t.Fatal(err)
		}
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

	// A new node says what to do; following begins with a look.
	browser.Do(t, ctx, browser.Open(n.URL()+"/"))
	picture("first-run")
	for _, name := range []string{"blog", "spec"} {
		browser.Do(t, ctx, browser.Open(n.URL()+"/add"), browser.Type(`main input[name=url]`, base+name+kb.Enter), browser.Visible(`.preview`))
		picture("preview-" + name)
		browser.Do(t, ctx, browser.Click(`.preview > .buttons button`), browser.Visible(`#versions`))
	}

	// A change arrives while somebody looks at the river.
	browser.Do(t, ctx, browser.Open(n.URL()+"/"), browser.Visible(`.line`))
	browser.Eval[bool](t, ctx, `window.sameDocument = true`)
	if err := o.Set("blog", 12); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if _, err := client.Look(t.Context(), base+"blog"); err != nil {
		t.Fatal(err)
	}
	looked := time.Now()
	browser.Do(t, ctx, browser.Visible(`#pill`))
	t.Logf("the look took %s; the browser showed the change at most %s after it", looked.Sub(began), time.Since(looked))
	browser.Do(t, ctx, browser.Click(`#pill`), browser.Visible(`#fresh .line`))
	if !browser.Eval[bool](t, ctx, `window.sameDocument === true`) {
		t.Error("the page was loaded again")
	}
	picture("river")

	// A change of the page is read as a difference.
	if err := o.Set("spec", 3); err != nil {
		t.Fatal(err)
	}
	if _, err := client.Look(t.Context(), base+"spec"); err != nil {
		t.Fatal(err)
	}
	entries, err := client.Entries(t.Context(), tidings.EntryQuery{Channel: base + "spec", Limit: 1})
	if err != nil || len(entries) != 1 {
		t.Fatalf("entries %v, error %v", entries, err)
	}
	browser.Do(t, ctx, browser.Open(n.URL()+"/"), browser.Click(`.line .title`), browser.Visible(`.row.new`))
	picture("difference")

	// Search finds words of the blog's items.
	browser.Do(t, ctx, browser.Open(n.URL()+"/search?q=compiler"), browser.Visible(`.line`))
	picture("search")
}
