package node

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"tidings"
	"tidings/delivery/openid"
	"tidings/delivery/openid/openidtest"
	"tidings/lab/browser"
	"tidings/lab/origin"
)

// withProvider starts a node with a password for its owner, and a provider that signs people in there.
func withProvider(t *testing.T, change func(*openid.Settings), users ...openidtest.User) (*Node, *openidtest.Provider) {
	t.Helper()
	p := openidtest.Start(t)
	n, client := startNode(t, func(c *Config) {
		c.OpenID = openid.Settings{Issuer: p.Issuer, ClientID: openidtest.ClientID, Secret: openidtest.Secret,
			Name: "Example"}
		if change != nil {
			change(&c.OpenID)
		}
	})
	if err := client.SetPassword(t.Context(), personsPassword); err != nil {
		t.Fatal(err)
	}
	p.Serve(n.URL(), openid.ReturnPath, "/login", users...)
	return n, p
}

// Two people sign in at a provider of another site, in a real browser: an administrator and a reader. Each sees what
// is that person's own, and signs out in both places. The session cookie is SameSite=Strict, so this shows that the
// browser sends it after the way back.
func TestTwoPeopleSignInAtAProvider(t *testing.T) {
	t.Parallel()
	ctx := browser.Start(t)
	o, base := startOrigin(t)
	for i, name := range []string{"anns", "bobs"} {
		if err := o.AddFeed(name, origin.MakeFeed(uint64(i+1), 5, 4000), origin.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	n, p := withProvider(t, func(s *openid.Settings) { s.AdminGroup, s.Create = "chiefs", true },
		openidtest.User{Subject: "1", Name: "ann", Groups: []string{"chiefs"}},
		openidtest.User{Subject: "2", Name: "bob", Groups: []string{"staff"}})
	picture := func(name string) {
		t.Helper()
		browser.SavePicture(t, ctx, filepath.Join("..", "artefacts", "node", name+".png"))
	}
	text := func() string { t.Helper(); return browser.Eval[string](t, ctx, `document.body.innerText`) }

	visit := func(name, feed, own, others string, administrator bool) {
		t.Helper()
		browser.Do(t, ctx, browser.Open(n.URL()+"/channels"), browser.Visible(`.provider a`))
		picture("openid-login")
		browser.Do(t, ctx, browser.Click(`.provider a`), browser.Visible(`#username`),
			browser.Type(`#username`, name), browser.Type(`#password`, openidtest.Password+kb.Enter),
			browser.Visible(`header.side`))
		if at := browser.Eval[string](t, ctx, `location.href`); at != n.URL()+"/channels" {
			t.Errorf("%s is led on to %s", name, at)
		}
		browser.Do(t, ctx, browser.Open(n.URL()+"/add"), browser.Type(`main input[name=url]`, base+feed+kb.Enter),
			browser.Visible(`.preview`),
			browser.Click(`.preview > .buttons button`), browser.Visible(`#versions`))
		browser.Do(t, ctx, browser.Open(n.URL()+"/channels"), browser.Visible(`#channel-list`))
		if seen := text(); !strings.Contains(seen, own) || strings.Contains(seen, others) ||
			strings.Contains(seen, "Network") != administrator {
			t.Errorf("%s sees:\n%s", name, seen)
		}
		browser.Do(t, ctx, browser.Open(n.URL()+"/settings"), browser.Click(`form[action="/logout"] button`),
			browser.Visible(`.provider a`))
		browser.Do(t, ctx, browser.Open(n.URL()+"/"), browser.Visible(`.provider a`))
	}
	visit("ann", "anns", "Feed 1", "Feed 2", true)
	visit("bob", "bobs", "Feed 2", "Feed 1", false)
	if p.Ended() != 2 {
		t.Errorf("%d sessions were ended at the provider", p.Ended())
	}
	all, err := n.store.Reader.People(t.Context())
	if err != nil || len(all) != 3 || all[1].Name != "ann" || all[1].Role != tidings.Administrator ||
		all[2].Role != tidings.Reader {
		t.Errorf("people: %+v, error %v", all, err)
	}

	// A person signed in by a password is not signed out at the provider.
	browser.Do(t, ctx, browser.Type(`main input[name=name]`, "owner"),
		browser.Type(`main input[name=password]`, personsPassword+kb.Enter), browser.Visible(`header.side`),
		browser.Open(n.URL()+"/settings"), browser.Click(`form[action="/logout"] button`),
		browser.Visible(`.provider a`))
	if p.Ended() != 2 {
		t.Error("the owner, signed in by a password, was signed out at the provider")
	}
}
