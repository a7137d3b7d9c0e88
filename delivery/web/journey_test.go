package web

import (
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"tidings"
	"tidings/delivery/web/wording"
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
	do(t, ctx, open(base+"/channels"), typed(`[name=password]`, "not the password"), click(`button`),
		visible(`.problem`),
		typed(`[name=password]`, testPassword), click(`button`), visible(`#channel-list`))

	// Subscribe. A second key counts for a second and a half.
	do(t, ctx, stopClock(), chromedp.KeyEvent("ga"), visible(`main input[name=url]`),
		typed(`main input[name=url]`, "orchard.example"+kb.Enter), visible(`.preview`))
	if got := text(".newest"); !strings.Contains(got, "Grafting in a wet spring") {
		t.Errorf("the preview does not show the newest items: %q", got)
	}
	do(t, ctx, click(`.preview > .buttons button`), visible(`#versions`))
	becomes("what the page says after subscribing", func() string { return text("#said") }, "You follow this now.")

	// An update arrives while somebody is reading: nothing moves until they want it.
	do(t, ctx, open(base+"/"), visible(`.folded`), stopClock())
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
	if got := eval[float64](t, ctx, `document.querySelector("#e25").getBoundingClientRect().top`); got < top-1 ||
		got > top+1 {
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

	// A revision replaces what it revises, and is not counted twice.
	third := f.arrive("https://kernel.example/headlines/rss", 41,
		tidings.Entry{Item: second, Change: tidings.Changed, Content: tidings.Item{Title: "And another, corrected"}})
	do(t, ctx, visible(`#pill`), click(`#pill`), visible(id(third)), gone(id(second)))
	becomes("after a revision, unread in all and of one channel", unread, "30, 3")

	// Read in place, then the difference on its own page.
	do(t, ctx, chromedp.KeyEvent("jo"), visible(id(first)+` .reading`), chromedp.KeyEvent("o"),
		gone(id(first)+` .reading`))
	do(t, ctx, open(base+"/entry/30"), visible(`.row.new mark`))
	if got := text(".row.new mark"); !strings.Contains(got, "18:00, Thursdays until") {
		t.Errorf("marked as new: %q", got)
	}

	// Search.
	do(t, ctx, open(base+"/"), chromedp.KeyEvent("/"), visible(`#q`),
		chromedp.SendKeys(chromedp.CSS(`#q`), "scheduler"+kb.Enter), gone(`.empty`), visible(`.line`))
	if got := text(".line .title"); got != "A tour of the new scheduler" {
		t.Errorf("found %q", got)
	}

	// Sign out; the session is gone.
	do(t, ctx, open(base+"/settings"), click(`form[action="/logout"] button`), visible(`.sign-in`), open(base+"/"),
		visible(`.sign-in`))
}

// A folder beside the page stays as it was folded, unless the page is about something in it.
func TestFoldersStayFolded(t *testing.T) {
	ctx := browser.Start(t)
	base := serve(t, sample(), false, nil)
	const folder = `.folder[data-folder="Programming"]`
	shut, opened := folder+` > ul[hidden]`, folder+` > ul:not([hidden])`
	ready := func(css string) browser.Step { return chromedp.WaitReady(chromedp.CSS(css)) }
	do(t, ctx, size(1280, "light"), open(base+"/"), visible(opened), click(folder+` .fold`), ready(shut))
	do(t, ctx, open(base+"/channels"), ready(shut), open(base+"/?folder=Programming"), visible(opened))
	if n := eval[int](t, ctx, `document.querySelectorAll(".folders [aria-current]").length`); n != 1 {
		t.Errorf("%d places are marked", n)
	}
	do(t, ctx, open(base+"/"), ready(shut), click(folder+` .fold`), visible(opened), open(base+"/help"),
		visible(opened))
}

// From article to article: by keys on the list, by keys, buttons and a swipe on their own pages; and all is marked as
// read, undone, and marked again by leaving.
func TestFromArticleToArticle(t *testing.T) {
	ctx := browser.Start(t)
	f := newFake()
	const channel = "https://a.example/feed"
	f.follow(tidings.Subscription{Channel: tidings.Channel{URL: channel, Title: "A", Kind: tidings.KindFeed}})
	now := time.Now()
	// so that four hours are of one day
	noon := time.Date(now.Year(), now.Month(), now.Day()-12, 12, 0, 0, 0, now.Location())
	for i := range 4 {
		f.arrive(channel, tidings.Version(i+2),
			tidings.Entry{Content: tidings.Item{Title: "Story " + wording.Thousands(int64(i+1)),
				Content: "<p>A text of some length.</p>", Published: noon.Add(time.Duration(i) * time.Hour)}})
	}
	base := serve(t, f, false, nil)
	unread := func() int {
		s, err := f.Channel(t.Context(), tidings.Owner, channel)
		if err != nil {
			t.Fatal(err)
		}
		return s.Unread
	}
	title := func() string { return eval[string](t, ctx, "document.title") }
	do(t, ctx, size(1280, "light"), open(base+"/?show=unread"), visible("#e4"))
	if got := title(); got != "(4) Unread · Tidings" {
		t.Errorf("the title is %q", got)
	}
	savePicture(t, ctx, "articles-1280-light")

	// An open article gives its place to the next.
	do(t, ctx, chromedp.KeyEvent("jo"), visible("#e4 .reading"), chromedp.KeyEvent("j"), visible("#e3 .reading"),
		gone("#e4 .reading"))
	within(t, func() bool { return unread() == 2 })
	if got := title(); got != "(2) Unread · Tidings" {
		t.Errorf("after two were read the title is %q", got)
	}

	// On their own pages.
	do(t, ctx, open(base+"/entry/4?in=%2F"), visible(".way"), chromedp.KeyEvent("j"), visible("article#e3"),
		chromedp.KeyEvent(kb.ArrowRight), visible("article#e2"),
		chromedp.KeyEvent("p"), visible("article#e3"), click(`.way a[rel=next]`), visible("article#e2"))
	savePicture(t, ctx, "article-1280-light")
	do(t, ctx, size(390, "dark"), open(base+"/entry/2?in=%2F"), visible("article#e2"))
	savePicture(t, ctx, "article-390-dark")
	eval[bool](t, ctx, `(() => {
		const article = document.querySelector("article");
		const touch = (x) => new Touch({ identifier: 1, target: article, clientX: x, clientY: 200 });
		article.dispatchEvent(new TouchEvent("touchstart", { touches: [touch(300)], bubbles: true }));
		article.dispatchEvent(new TouchEvent("touchend", { changedTouches: [touch(120)], bubbles: true }));
		return true;
	})()`)
	do(t, ctx, visible("article#e1"), chromedp.KeyEvent("u"), visible("#river"))

	// All read, and undone. The ten seconds do not pass here, nor the three that what comes next waits for the node.
	allUnread := func() {
		t.Helper()
		for _, e := range f.entries {
			if err := f.MarkRead(t.Context(), tidings.Owner, []int64{e.Item}, false); err != nil {
				t.Fatal(err)
			}
		}
		do(t, ctx, open(base+"/"), visible("#e4"), stopClock())
		eval[bool](t, ctx, `(() => { const set = window.setTimeout; window.unhurried = set; window.setTimeout = (f, ms) => (ms === 10000 || ms === 3000 ? 0 : set(f, ms)); return true; })()`)
	}
	do(t, ctx, size(1280, "light"))
	allUnread()
	do(t, ctx, chromedp.KeyEvent("A"), visible(".undo"))
	savePicture(t, ctx, "undo-1280-light")
	if got := title(); got != "River · Tidings" {
		t.Errorf("with all read the title is %q", got)
	}
	if got := eval[string](t, ctx, `document.activeElement.textContent`); got != "Undo" {
		t.Errorf("the focus is on %q", got)
	}
	do(t, ctx, chromedp.KeyEvent(kb.Enter), gone(".undo"))
	if got := title(); got != "(4) River · Tidings" || unread() != 4 {
		t.Errorf("undone, the title is %q, and %d are unread", got, unread())
	}
	if n := eval[int](t, ctx, `document.querySelectorAll(".new-dot").length`); n != 4 {
		t.Errorf("undone, %d lines have a dot", n)
	}

	// What is done next sends it first: the page that a link leads to knows of it, and a line that is marked unread
	// stays so.
	do(t, ctx, chromedp.KeyEvent("A"), visible(".undo"), click(`.main-nav a[href="/?show=unread"]`), visible(".empty"))
	if n := unread(); n != 0 {
		t.Errorf("%d are unread", n)
	}
	allUnread()
	do(t, ctx, chromedp.KeyEvent("A"), visible(".undo"), chromedp.KeyEvent("jm"), gone(".undo"))
	within(t, func() bool {
		e, err := f.Entry(t.Context(), tidings.Owner, 4)
		return err == nil && !e.Read && unread() == 1
	})

	// What comes by itself stands under its day, and is marked with the others.
	allUnread()
	late := f.arrive(channel, 9, tidings.Entry{Content: tidings.Item{Title: "Late", Published: noon.AddDate(0, 0, -9)}})
	fresh := f.arrive(channel, 10, tidings.Entry{Content: tidings.Item{Title: "Fresh"}})
	eval[bool](t, ctx, `scrollTo(0, 0), true`)
	do(t, ctx, visible("#pill"))
	within(t, func() bool {
		return eval[string](t, ctx, `document.querySelector("#pill span").textContent`) == "2 new"
	})
	do(t, ctx, click("#pill"), visible(id(late)), visible(id(fresh)))
	if got := eval[string](t, ctx, `[...document.querySelectorAll(".day")].map((day) => day.dataset.day + ":" + [...day.querySelectorAll(".line")].map((line) => line.id).join(" ")).join(", ")`); got !=
		"Today:"+id(fresh)[1:]+", "+wording.DayName(noon, time.Now())+":e4 e3 e2 e1, "+
			wording.DayName(noon.AddDate(0, 0, -9), time.Now())+":"+id(late)[1:] {
		t.Errorf("the days are %s", got)
	}
	do(t, ctx, chromedp.KeyEvent("A"), visible(".undo"), click(`.main-nav a[href="/?show=unread"]`), visible(".empty"))
	if n := unread(); n != 0 {
		t.Errorf("with what came by itself %d are unread", n)
	}

	// Arrows are the browser's where there is something to choose.
	do(t, ctx, open(base+"/settings"), chromedp.Focus(chromedp.CSS(`[name=theme][value=auto]`)),
		chromedp.KeyEvent(kb.ArrowRight), visible(`[name=theme][value=light]:checked`))

	// A node that does not answer keeps nobody on a page.
	allUnread()
	eval[bool](t, ctx,
		`(() => { window.fetch = () => new Promise(() => {}); window.setTimeout = window.unhurried; return true; })()`)
	do(t, ctx, chromedp.KeyEvent("A"), visible(".undo"), click(`.main-nav a[href="/search"]`), visible("#q"))

	// The other order, and back.
	do(t, ctx, open(base+"/"), click(".sort"), visible("#river:not([data-by-date])"), click(".sort"),
		visible("#river[data-by-date]"))
}

func id(entry int64) string { return "#e" + wording.Thousands(entry) }
