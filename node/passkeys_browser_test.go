package node

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/webauthn"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"tidings/lab/browser"
)

// virtualKey is an authenticator of a browser's own, which verifies its user.
type virtualKey struct{ id webauthn.AuthenticatorID }

// inTab does something with the tab of a browser.
func inTab(do func(ctx context.Context, tab *chromedp.Target) error) browser.Step {
	return chromedp.Func(do)
}

// plugIn gives the browser a new authenticator, and unplugs the one before; both may be nil.
func plugIn(t *testing.T, ctx context.Context, before *virtualKey) *virtualKey {
	t.Helper()
	k := &virtualKey{}
	browser.Do(t, ctx, inTab(func(ctx context.Context, tab *chromedp.Target) error {
		if before != nil {
			_, err := cdp.Call(ctx, tab, webauthn.RemoveVirtualAuthenticator,
				webauthn.RemoveVirtualAuthenticatorParams{AuthenticatorID: before.id})
			if err != nil {
				return err
			}
		} else if _, err := cdp.Call(ctx, tab, webauthn.Enable, webauthn.EnableParams{}); err != nil {
			return err
		}
		result, err := cdp.Call(ctx, tab, webauthn.AddVirtualAuthenticator, webauthn.AddVirtualAuthenticatorParams{
			Options: &webauthn.VirtualAuthenticatorOptions{Protocol: "ctap2", Ctap2version: "ctap2_1",
				Transport:      "internal",
				HasResidentKey: true, HasUserVerification: true, IsUserVerified: true,
				AutomaticPresenceSimulation: true}})
		k.id = result.AuthenticatorID
		return err
	}))
	return k
}

// verifies has an authenticator know its user from now on, or not.
func (k *virtualKey) verifies(t *testing.T, ctx context.Context, yes bool) {
	t.Helper()
	browser.Do(t, ctx, inTab(func(ctx context.Context, tab *chromedp.Target) error {
		_, err := cdp.Call(ctx, tab, webauthn.SetUserVerified,
			webauthn.SetUserVerifiedParams{AuthenticatorID: k.id, IsUserVerified: yes})
		return err
	}))
}

// Two people add a passkey each, in a real browser, and each signs in by it without a name. A removed one signs no
// person in any more.
func TestPasskeysInABrowser(t *testing.T) {
	t.Parallel()
	ctx := browser.Start(t)
	n, client, _ := startShared(t, "ann")
	base := strings.Replace(n.URL(), "127.0.0.1", "localhost", 1)
	picture := func(name string) {
		t.Helper()
		for _, width := range []int64{1280, 768, 390} {
			for _, theme := range []string{"light", "dark"} {
				browser.Do(t, ctx, browser.Size(width, theme))
				if over := browser.Eval[int](t, ctx, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
					t.Errorf("%s: at %d px the page is %d px too wide", name, width, over)
				}
				browser.SavePicture(t, ctx,
					filepath.Join("..", "artefacts", "node", fmt.Sprintf("passkeys-%s-%s-%d.png", name, theme, width)))
			}
		}
		browser.Do(t, ctx, browser.Size(1280, "light"))
	}
	const add, button, problem = `[data-passkey=add]`, `[data-passkey=sign-in] button`, `.passkey .problem`
	text := func(css string) string {
		t.Helper()
		return browser.Eval[string](t, ctx, fmt.Sprintf(`document.querySelector(%q).innerText`, css))
	}
	byPassword := func(name string) {
		t.Helper()
		browser.Do(t, ctx, browser.Open(base+"/login"), browser.Type(`main input[name=name]`, name),
			browser.Type(`main input[name=password]`, personsPassword+kb.Enter), browser.Visible(`header.side`))
	}
	clear := inTab(func(context.Context, *chromedp.Target) error {
		browser.Eval[bool](t, ctx, `document.querySelector("[data-passkey=add] [name=password]").value = "", true`)
		return nil
	})
	signOut := func() {
		t.Helper()
		browser.Do(t, ctx, browser.Open(base+"/settings"), browser.Click(`form[action="/logout"] button`),
			browser.Visible(`.sign-in`))
	}
	isSignedIn := func(name string) {
		t.Helper()
		browser.Do(t, ctx, browser.Open(base+"/settings"), browser.Visible(`header.side`))
		if seen := text("main"); !strings.Contains(seen, "signed in as "+name) {
			t.Errorf("%s is not signed in:\n%s", name, seen)
		}
	}

	browser.Do(t, ctx, browser.Size(1280, "light"), browser.Open(base+"/login"),
		browser.Visible(`main input[name=name]`))
	if browser.Eval[bool](t, ctx, `document.querySelector("[data-passkey]") !== null`) {
		t.Error("a passkey is offered where nobody has one")
	}
	keys := make(map[string]*virtualKey)
	var plugged *virtualKey
	for _, name := range []string{"owner", "ann"} {
		byPassword(name)
		plugged = plugIn(t, ctx, plugged)
		keys[name] = plugged
		browser.Do(t, ctx, browser.Open(base+"/settings"), browser.Visible(add),
			browser.Type(add+` [name=name]`, name+"'s phone"),
			browser.Type(add+` [name=password]`, "not the password"+kb.Enter), browser.Visible(add+` .problem`))
		if got := text(add + ` .problem`); got != "That is not the password." {
			t.Errorf("after a wrong password: %q", got)
		}
		picture("refused-of-" + name)
		browser.Do(t, ctx, clear, browser.Type(add+` [name=password]`, personsPassword+kb.Enter),
			browser.Visible(`form[action="/settings/passkeys/remove"]`))
		if seen := text("main"); !strings.Contains(seen, name+"'s phone") || !strings.Contains(seen, "for localhost") ||
			strings.Count(seen, "'s phone") != 1 {
			t.Errorf("%s's passkeys:\n%s", name, seen)
		}
		picture("settings-of-" + name)
		signOut()
		browser.Do(t, ctx, browser.Visible(button), browser.Click(button), browser.Visible(`header.side`))
		isSignedIn(name)
		signOut()
	}
	picture("sign-in")

	// If the authenticator does not know its user, the user is not signed in.
	keys["ann"].verifies(t, ctx, false)
	browser.Do(t, ctx, browser.Open(base+"/login"), browser.Visible(button), browser.Click(button),
		browser.Visible(problem))
	if got := text(problem); !strings.Contains(got, "No passkey was used") {
		t.Errorf("without verification: %q", got)
	}
	picture("sign-in-cancelled")
	keys["ann"].verifies(t, ctx, true)

	// A second passkey is confirmed by the first, and made by another authenticator.
	browser.Do(t, ctx, browser.Click(button), browser.Visible(`header.side`))
	browser.Do(t, ctx, browser.Open(base+"/settings"), browser.Visible(add+` [data-confirm]`),
		browser.Click(add+` [data-confirm]`), browser.Visible(add+` .problem`))
	if got := text(add + ` .problem`); got != "That device has a passkey for you already." {
		t.Errorf("the same authenticator again: %q", got)
	}

	// A removed passkey no longer works, and the owner's stays.
	all, err := client.Users().Passkeys(t.Context())
	if err != nil || len(all) != 1 || all[0].Name != "owner's phone" || all[0].Used.IsZero() {
		t.Fatalf("the owner's passkeys: %+v, error %v", all, err)
	}
	browser.Do(t, ctx, browser.Click(`form[action="/settings/passkeys/remove"] button`),
		browser.Gone(`form[action="/settings/passkeys/remove"]`))
	signOut()
	browser.Do(t, ctx, browser.Visible(button), browser.Click(button), browser.Visible(problem))
	if got := text(problem); got != "This node does not accept that passkey." {
		t.Errorf("by a removed passkey: %q", got)
	}
	if err := client.Users().RemovePasskey(t.Context(), all[0].ID); err != nil {
		t.Fatal(err)
	}
	browser.Do(t, ctx, browser.Open(base+"/login"), browser.Visible(`.sign-in`), browser.Gone(`[data-passkey]`))

	// By an address, none can be added, and Settings says why.
	browser.Do(t, ctx, browser.Open(n.URL()+"/login"), browser.Type(`main input[name=name]`, "ann"),
		browser.Type(`main input[name=password]`, personsPassword+kb.Enter), browser.Visible(`header.side`),
		browser.Open(n.URL()+"/settings"), browser.Visible(`#passkeys`))
	if seen := text(`section[aria-labelledby=passkeys]`); !strings.Contains(seen, "belong to a host name") ||
		strings.Contains(seen, "Add a passkey") {
		t.Errorf("by an address:\n%s", seen)
	}
	picture("by-an-address")
}
