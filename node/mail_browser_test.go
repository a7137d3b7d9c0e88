package node

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"tidings"
	"tidings/delivery/mail"
	"tidings/delivery/mail/mailtest"
	"tidings/lab/browser"
	"tidings/lab/origin"
)

// picturesOf returns a function that makes pictures of a page at three widths, and checks that nothing is wider than
// the page.
func picturesOf(t *testing.T, tab context.Context, prefix string) func(name string) {
	return func(name string) {
		t.Helper()
		for _, width := range []int64{1280, 768, 390} {
			browser.Do(t, tab, browser.Size(width, map[bool]string{true: "dark", false: "light"}[width == 390]))
			if over := browser.Eval[int](t, tab, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
				t.Errorf("%s: at %d px the page is %d px too wide", name, width, over)
			}
			browser.SavePicture(t, tab,
				filepath.Join("..", "artefacts", "node", fmt.Sprintf("%s-%s-%d.png", prefix, name, width)))
		}
		browser.Do(t, tab, browser.Size(1280, "light"))
	}
}

// eventually waits until something holds that another process or a goroutine does. It fails after minutes alone.
func eventually(t testing.TB, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Minute); !done(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("it never came to this: %s", what)
		}
	}
}

// A person adds a mail address on the page, in a real browser. A server that others wrote gets a mail with a code; with
// the code, and not before, updates are mailed. The link in a mail stops them without signing in.
func TestMailInABrowser(t *testing.T) {
	t.Parallel()
	server := mailtest.Start(t, mailtest.Options{User: "node", Password: "secret99"})
	ctx := browser.Start(t)
	o, base := startOrigin(t)
	if err := o.AddFeed("news", origin.MakeFeed(1, 5, 4000), origin.Options{}); err != nil {
		t.Fatal(err)
	}
	const public = "http://tidings.example"
	n, client := startNode(t, func(c *Config) {
		c.Mail = mail.Config{Server: server.Address, User: "node", Password: "secret99",
			From: "Tidings <news@tidings.example>"}
		c.PublicURL = public
	})
	if _, err := client.Subscribe(t.Context(), tidings.SubscribeRequest{URL: base + "news"}); err != nil {
		t.Fatal(err)
	}
	picture := picturesOf(t, ctx, "mail")
	text := func() string { return browser.Eval[string](t, ctx, `document.querySelector("main")?.innerText ?? ""`) }
	change := func() {
		t.Helper()
		if _, err := o.Step("news"); err != nil {
			t.Fatal(err)
		}
		if _, err := client.Poll(t.Context(), base+"news"); err != nil {
			t.Fatal(err)
		}
	}
	read := func() mailtest.Letter {
		t.Helper()
		m, ok := <-server.Messages
		if !ok {
			t.Fatal("the server has ended")
		}
		if m.User != "node" || len(m.Recipients) != 1 || m.Recipients[0] != "ada@example.org" {
			t.Errorf("%s signed in, to %q", m.User, m.Recipients)
		}
		l, err := mailtest.Read(m.Content)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	here := func(pattern, text string) string {
		t.Helper()
		link := regexp.MustCompile(pattern).FindString(text)
		if link == "" {
			t.Fatalf("no %s in\n%s", pattern, text)
		}
		return strings.Replace(link, public, n.URL(), 1)
	}

	browser.Do(t, ctx, browser.Size(1280, "light"), browser.Open(n.URL()+"/notifications"),
		browser.Visible(`.target-form [name=name]`))
	browser.Eval[bool](t, ctx, `document.querySelector(".target-form [name=kind]").value = "mail", true`)
	if seen := browser.Eval[string](t, ctx, `document.querySelector(".kinds-of-targets").innerText`); !strings.Contains(
		seen, "A code is sent there") {
		t.Errorf("of the kind is shown: %q", seen)
	}
	if zone := browser.Eval[string](t, ctx, `document.querySelector("[data-zone]").value`); zone == "" {
		t.Error("the browser's time zone is not filled in")
	}
	browser.Do(t, ctx, browser.Type(`.target-form [name=name]`, "my mail"),
		browser.Type(`.target-form [name=url]`, "ada@example.org"),
		browser.Click(`[data-preview]`), browser.Visible(`.target-form .card`))
	picture("preview")
	browser.Do(t, ctx, browser.Click(`.target-form > .buttons button`), browser.Visible(`.confirm-form [name=code]`))
	if seen := text(); !strings.Contains(seen, "A mail with a code was sent there") ||
		!strings.Contains(seen, "Not confirmed") {
		t.Errorf("after adding:\n%s", seen)
	}
	picture("unconfirmed")
	asked := read()
	change() // it waits
	browser.Do(t, ctx, browser.Type(`.confirm-form [name=code]`, "ABCD-EFGH-IJKL"),
		browser.Click(`.confirm-form button`),
		browser.Visible(`.problem[role=alert]`))
	if seen := text(); !strings.Contains(seen, "That is not the code of this address") {
		t.Errorf("with another code:\n%s", seen)
	}
	code := regexp.MustCompile(`[A-Z2-7]{4}-[A-Z2-7]{4}-[A-Z2-7]{4}`).FindString(asked.Text)
	browser.Do(t, ctx, browser.Type(`.confirm-form [name=code]`, code), browser.Click(`.confirm-form button`),
		browser.Visible(`.said`))
	first := read()
	if first.Subject == "" || strings.Contains(first.Subject, "Confirm") || first.HTML == "" {
		t.Errorf("the first mail: %+v", first)
	}
	browser.Do(t, ctx, browser.Click(`.targets [action$="/test"] button`))
	eventually(t, "the test is accepted", func() bool {
		return strings.Contains(text(), "Sent. my mail has accepted the message.")
	})
	if test := read(); test.Subject != "Test of my mail" {
		t.Errorf("the test: %+v", test)
	}

	// A digest and quiet hours are chosen in the form, and shown.
	browser.Do(t, ctx, browser.Click(`.targets a[href^="/notifications/"]`), browser.Gone(`.targets`),
		browser.Click(`.target-form summary`))
	browser.Eval[bool](t, ctx, `(() => {
		const f = document.querySelector(".target-form").elements;
		f.quiet_from.value = "22:00"; f.quiet_to.value = "07:00"; f.digest.value = "08:30"; f.zone.value = "Europe/Berlin"; f.pause.value = "8h";
		return true;
	})()`)
	picture("schedule")
	browser.Do(t, ctx, browser.Click(`.target-form > .buttons button`), browser.Visible(`.said`))
	if seen := text(); !strings.Contains(seen, "daily at 08:30, not between 22:00 and 07:00 (Europe/Berlin)") ||
		!strings.Contains(seen, "Paused") {
		t.Errorf("with a schedule:\n%s", seen)
	}
	picture("scheduled")

	// The link stops the mails after its button is pressed.
	browser.Do(t, ctx, browser.Open(here(public+`/mail/stop\?t=[A-Za-z0-9_-]+`, first.Text)),
		browser.Visible(`form button`))
	picture("stop")
	browser.Do(t, ctx, browser.Click(`form button`), browser.Gone(`form`))
	if seen := text(); !strings.Contains(seen, "The mails are stopped") {
		t.Errorf("after the button:\n%s", seen)
	}
	browser.Do(t, ctx, browser.Open(n.URL()+"/notifications"), browser.Visible(`.confirm-form`))
	if seen := text(); !strings.Contains(seen, "has stopped these mails") {
		t.Errorf("the owner sees:\n%s", seen)
	}
	picture("stopped")
}
