package node

import (
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"tidings"
	"tidings/lab/browser"
	"tidings/lab/origin"
	"tidings/store/db"
)

// The owner of a node sets a password and adds a second person. Each signs in by name in a real browser and sees only
// that person's own. The person without administrator rights sees nothing of the node.
func TestASecondPersonsFirstVisit(t *testing.T) {
	t.Parallel()
	ctx := browser.Start(t)
	o, base := startOrigin(t)
	for i, name := range []string{"owners", "anns"} {
		if err := o.AddFeed(name, origin.MakeFeed(uint64(i+1), 5, 4000), origin.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	n, client := startNode(t)
	if _, err := client.Subscribe(t.Context(), tidings.SubscribeRequest{URL: base + "owners"}); err != nil {
		t.Fatal(err)
	}
	picture := func(name string) {
		t.Helper()
		browser.SavePicture(t, ctx, filepath.Join("..", "artefacts", "node", name+".png"))
	}
	text := func() string { t.Helper(); return browser.Eval[string](t, ctx, `document.body.innerText`) }

	// People cannot be added while every visitor of the page is the owner.
	browser.Do(t, ctx, browser.Size(1280, "light"), browser.Open(n.URL()+"/people"), browser.Visible(`main .note a`))
	browser.Do(t, ctx, browser.Click(`main .note a`), browser.Visible(`input[name=new]`),
		browser.Type(`input[name=new]`, personsPassword), browser.Type(`input[name=again]`, personsPassword+kb.Enter),
		browser.Visible(`input[name=current]`))
	browser.Do(t, ctx, browser.Open(n.URL()+"/people"), browser.Visible(`form[action="/people"]`),
		browser.Type(`form[action="/people"] input[name=name]`, "Ann"),
		browser.Type(`form[action="/people"] input[name=password]`, personsPassword+kb.Enter),
		browser.Visible(`a[href="/people/remove/Ann"]`))
	picture("people")
	browser.Do(t, ctx, browser.Click(`a[href="/people/remove/Ann"]`), browser.Visible(`main button.danger`))
	picture("people-remove")
	browser.Do(t, ctx, browser.Click(`main a[href="/people"]`), browser.Visible(`form[action="/people"]`))

	signOut := []browser.Step{browser.Open(n.URL() + "/settings"), browser.Click(`form[action="/logout"] button`),
		browser.Visible(`main input[name=name]`)}
	signIn := func(name string) []browser.Step {
		return []browser.Step{browser.Type(`main input[name=name]`, name),
			browser.Type(`main input[name=password]`, personsPassword+kb.Enter), browser.Visible(`header.side`)}
	}
	browser.Do(t, ctx, signOut...)
	picture("people-sign-in")
	browser.Do(t, ctx, signIn("ann")...)
	if seen := text(); strings.Contains(seen, "Feed 1") || strings.Contains(seen, "Network") {
		t.Errorf("ann sees what is the owner's:\n%s", seen)
	}
	browser.Do(t, ctx, browser.Open(n.URL()+"/add"), browser.Type(`main input[name=url]`, base+"anns"+kb.Enter),
		browser.Visible(`.preview`),
		browser.Click(`.preview > .buttons button`), browser.Visible(`#versions`))
	// its first poll is made after the answer
	for !browser.Eval[bool](t, ctx, `document.querySelector(".line") !== null`) {
		browser.Do(t, ctx, browser.Open(n.URL()+"/"), browser.Visible(`header.side`))
	}
	if seen := text(); !strings.Contains(seen, "Feed 2") || strings.Contains(seen, "Feed 1") {
		t.Errorf("ann's river:\n%s", seen)
	}
	picture("people-river-of-a-reader")
	browser.Do(t, ctx, browser.Open(n.URL()+"/settings"), browser.Visible(`#sessions`))
	picture("people-settings-of-a-reader")
	browser.Do(t, ctx, browser.Open(n.URL()+"/status"), browser.Visible(`.failure`))
	if seen := text(); !strings.Contains(seen, "For administrators") {
		t.Errorf("ann asks for the node's status:\n%s", seen)
	}
	picture("people-refused")

	browser.Do(t, ctx, signOut...)
	browser.Do(t, ctx, signIn("OWNER")...)
	browser.Do(t, ctx, browser.Open(n.URL()+"/channels"), browser.Visible(`header.side`))
	if seen := text(); !strings.Contains(seen, "Feed 1") || strings.Contains(seen, "Feed 2") ||
		!strings.Contains(seen, "Network") {
		t.Errorf("the owner's channels:\n%s", seen)
	}
	browser.Do(t, ctx, browser.Size(390, "dark"), browser.Open(n.URL()+"/people"),
		browser.Visible(`form[action="/people"]`))
	picture("people-narrow")
	browser.Do(t, ctx, browser.Click(`a[href="/people/remove/Ann"]`), browser.Visible(`main button.danger`),
		browser.Click(`main button.danger`), browser.Visible(`form[action="/people"]`))
	if all, err := client.Users().List(t.Context()); err != nil || len(all) != 1 {
		t.Errorf("people in the end: %+v, error %v", all, err)
	}
}

// The owner of a node from before there were people signs in with the old password, and finds everything there. The
// database is one that the program of schema 18 has written, see TestDataOfTheProgramBeforePeople in package store.
func TestTheOwnerOfBeforeFindsAllThere(t *testing.T) {
	t.Parallel()
	ctx := browser.Start(t)
	n, client := startNode(t, func(c *Config) {
		writeDatabaseOfBefore(t, c.Data)
		c.New = true // its key is another
	})
	text := func() string {
		t.Helper()
		return browser.Eval[string](t, ctx, `document.querySelector("main").innerText`)
	}
	browser.Do(t, ctx, browser.Size(1280, "light"), browser.Open(n.URL()+"/"), browser.Visible(`main input[name=name]`),
		browser.Type(`main input[name=name]`, "owner"),
		browser.Type(`main input[name=password]`, "ownerpassword1"+kb.Enter), browser.Visible(`header.side`))
	for _, page := range []struct {
		path      string
		has, lack []string
	}{
		{"/", []string{"news item 8", "news item 6", "news item 5", "blog item 6", "blog item 1"}, nil},
		// these were read
		{"/?show=unread", []string{"news item 8", "blog item 6", "news item 4"},
			[]string{"news item 6", "news item 5"}},
		{"/?show=starred", []string{"news item 4"}, []string{"news item 8", "news item 6"}},
		{"/channels", []string{"Feed news", "Feed blog", "World"}, nil},
		{"/people", []string{"owner, administrator"}, []string{"Make reader"}},
		{"/settings", []string{"laptop"}, nil},
	} {
		browser.Do(t, ctx, browser.Open(n.URL()+page.path), browser.Visible(`header.side`))
		seen := text()
		for _, part := range page.has {
			if !strings.Contains(seen, part) {
				t.Errorf("%s has no %q:\n%s", page.path, part, seen)
			}
		}
		for _, part := range page.lack {
			if strings.Contains(seen, part) {
				t.Errorf("%s has %q:\n%s", page.path, part, seen)
			}
		}
	}
	if all, err := client.Channels(t.Context()); err != nil || len(all) != 2 || all[0].Unread+all[1].Unread != 12 {
		t.Errorf("channels %+v, error %v", all, err)
	}
}

// writeDatabaseOfBefore writes the database of schema 18 into a data directory.
func writeDatabaseOfBefore(t *testing.T, dir string) {
	t.Helper()
	packed, err := os.Open("../store/testdata/schema18.db.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	unpacked, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := io.ReadAll(unpacked)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, db.FileName), whole, 0o600); err != nil {
		t.Fatal(err)
	}
}
