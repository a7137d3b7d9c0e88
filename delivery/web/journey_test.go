package web

import (
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"tidings"
	"tidings/lab/browser"
)

// One person's visit, in a real browser: sign in, subscribe, see an update arrive
// without loading anything again, star, read a difference, search, sign out.
func TestVisit(t *testing.T) {
	ctx := browser.Start(t)
	f := newFakeWithPassword(t)
	base := serve(t, f, true, nil)
	do(t, ctx, size(1280, "light"))
	text := func(css string) string {
		t.Helper()
		return eval[string](t, ctx, "document.querySelector('"+css+"').innerText")
	}

	// becomes waits until the page shows what it is to show: counts follow lines in an event of their own.
	becomes := func(what string, shown func() string, want string) {
		t.Helper()
		for deadline := time.Now().Add(patience); shown() != want; time.Sleep(5 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("%s: %q, want %q", what, shown(), want)
			}
		}
	}

	// Sign in; the page that was asked for comes after it.
	do(t, ctx, open(base+"/channels"), typed(`[name=password]`, "not the password"), click(`button`), visible(`.problem`),
		typed(`[name=password]`, testPassword), click(`button`), visible(`#channel-list`))

	// Subscribe.
	do(t, ctx, chromedp.KeyEvent("ga"), visible(`main input[name=url]`), typed(`main input[name=url]`, "orchard.example"+kb.Enter), visible(`.preview`))
	if got := text(".newest"); !strings.Contains(got, "Grafting in a wet spring") {
		t.Errorf("the preview does not show the newest items: %q", got)
	}
	do(t, ctx, click(`.preview > .buttons button`), visible(`#versions`))
	becomes("what the page says after subscribing", func() string { return text("#said") }, "You follow this now.")

	// An update arrives while somebody is reading: nothing moves until they want it.
	do(t, ctx, open(base+"/"), visible(`.folded`))
	eval[bool](t, ctx, `window.sameDocument = true`)
	top := eval[float64](t, ctx, `document.querySelector(".line").getBoundingClientRect().top`)
	arrive := func(title string) int64 {
		return f.arrive("https://kernel.example/headlines/rss", 40, tidings.Entry{Content: tidings.Item{Title: title}})
	}
	unread := func() string {
		return text(`.main-nav a[href="/?show=unread"] .n`) + ", " + text(`.folders a[href*="kernel.example"] .n`)
	}
	becomes("unread in all and of one channel", unread, "29, 2")
	first := arrive("Fresh from the press")
	do(t, ctx, visible(`#pill`))
	becomes("with one more, unread in all and of one channel", unread, "30, 3")
	if got := eval[float64](t, ctx, `document.querySelector(".line").getBoundingClientRect().top`); got != top {
		t.Errorf("the first line moved from %v to %v", top, got)
	}
	becomes("what a screen reader reads", func() string { return text("#live") }, "1 new entry")
	do(t, ctx, click(`#pill`), visible(id(first)))

	// Another one, while somebody reads further down.
	eval[bool](t, ctx, `scrollTo(0, 700), true`)
	top = eval[float64](t, ctx, `document.querySelector("#e25").getBoundingClientRect().top`)
	second := arrive("And another")
	do(t, ctx, chromedp.WaitReady(chromedp.CSS(id(second))))
	if got := eval[float64](t, ctx, `document.querySelector("#e25").getBoundingClientRect().top`); got < top-1 || got > top+1 {
		t.Errorf("what was being read moved from %v to %v", top, got)
	}
	if !eval[bool](t, ctx, `window.sameDocument === true`) {
		t.Error("the page was loaded again")
	}

	// Star and mark by keys; the second line is the first update.
	eval[bool](t, ctx, `scrollTo(0, 0), document.activeElement.blur(), true`)
	do(t, ctx, chromedp.KeyEvent("jj"), chromedp.KeyEvent("s"), visible(id(first)+` .star[aria-pressed="true"]`),
		chromedp.KeyEvent("m"), visible(id(first)+` .seen[aria-pressed="true"]`))
	within(t, func() bool {
		e, err := f.Entry(t.Context(), tidings.Owner, first)
		return err == nil && e.Starred && e.Read
	})

	becomes("after two came and one was read, unread in all and of one channel", unread, "30, 3")

	// A revision takes the place of what it revises, and is not counted twice.
	third := f.arrive("https://kernel.example/headlines/rss", 41, tidings.Entry{Item: second, Change: tidings.Changed, Content: tidings.Item{Title: "And another, corrected"}})
	do(t, ctx, visible(`#pill`), click(`#pill`), visible(id(third)), gone(id(second)))
	becomes("after a revision, unread in all and of one channel", unread, "30, 3")

	// Read in place, then the difference on its own page.
	do(t, ctx, chromedp.KeyEvent("jo"), visible(id(first)+` .reading`), chromedp.KeyEvent("o"), gone(id(first)+` .reading`))
	do(t, ctx, open(base+"/entry/30"), visible(`.row.new mark`))
	if got := text(".row.new mark"); !strings.Contains(got, "18:00, Thursdays until") {
		t.Errorf("marked as new: %q", got)
	}

	// Search.
	do(t, ctx, open(base+"/"), chromedp.KeyEvent("/"), visible(`#q`), chromedp.SendKeys(chromedp.CSS(`#q`), "scheduler"+kb.Enter), gone(`.empty`), visible(`.line`))
	if got := text(".line .title"); got != "A tour of the new scheduler" {
		t.Errorf("found %q", got)
	}

	// Sign out; the session is gone.
	do(t, ctx, open(base+"/settings"), click(`form[action="/logout"] button`), visible(`.sign-in`), open(base+"/"), visible(`.sign-in`))
}

func id(entry int64) string { return "#e" + thousands(entry) }
