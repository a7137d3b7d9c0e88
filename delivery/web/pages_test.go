package web

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"tidings"
	"tidings/delivery/openid"
	"tidings/lab/browser"
	"tidings/lab/effort"
)

// aPage is a page and how to get to it.
type aPage struct {
	name, path string
	fake       func() *fake
	steps      []browser.Step // after the page is loaded
}

func somePages() []aPage {
	look := []browser.Step{typed(`main input[name=url]`, "orchard.example"), click(`main form button`),
		visible(`.preview`)}
	return []aPage{
		{"river", "/", sample, nil},
		{"river-open", "/", sample, []browser.Step{click(`#e26 .open`), visible(`#e26 .reading`)}},
		{"river-folded", "/", sample, []browser.Step{click(`.folded summary`)}},
		{"unread-folder", "/?show=unread&folder=Programming", sample, nil},
		{"starred", "/?show=starred", sample, nil},
		{"entry", "/entry/25", sample, nil},
		{"entry-revised", "/entry/26", sample, nil},
		{"entry-page", "/entry/30", sample, nil},
		{"update", "/update/10", sample, nil},
		{"state", "/version?url=https://museum.example/tickets&v=2", sample, nil},
		{"channels", "/channels", sample, nil},
		{"channel-feed", "/channel?url=https://kernel.example/headlines/rss", sample, nil},
		{"channel-page", "/channel?url=https://museum.example/tickets", sample, []browser.Step{click(`.edit summary`)}},
		{"channel-failing", "/channel?url=https://lab.example/journal.json", sample, nil},
		{"channel-pushed", "/channel?url=" + pushedFeed, pushedAs(tidings.PushGood),
			[]browser.Step{click(`.edit summary`)}},
		{"channel-alarm", "/channel?url=" + pushedFeed, pushedAs(tidings.PushAlarm), nil},
		{"channel-doubled", "/channel?url=" + pushedFeed, pushedAs(tidings.PushDoubled), nil},
		{"channel-unprotected", "/channel?url=" + pushedFeed, pushedAs(tidings.PushUnprotected), nil},
		{"channel-void", "/channel?url=" + pushedFeed, pushedAs(tidings.PushRevoked), nil},
		{"channel-distrusted", "/channel?url=" + pushedFeed, pushedAs(tidings.PushDistrusted),
			[]browser.Step{click(`.edit summary`)}},
		{"channel-older", "/channel?url=" + pushedFeed, withArchive,
			[]browser.Step{focus(`[data-older]`), chromedp.KeyEvent(kb.Enter), visible(`.line summary`),
				focus(`.line summary`), chromedp.KeyEvent(kb.Enter), visible(`.line .prose`)}},
		{"older", "/older?url=" + pushedFeed, withArchive, nil},
		{"older-nothing", "/older?url=" + pushedFeed, sample, nil},
		{"channels-alarm", "/channels", pushedAs(tidings.PushAlarm), nil},
		{"entry-published", "/entry/26", pushedAs(tidings.PushGood), nil},
		{"update-published", "/update/6", pushedAs(tidings.PushGood), nil},
		{"add", "/add", sample, nil},
		{"add-preview", "/add", sample, look},
		{"add-preview-page", "/add", samplePagePreview,
			append(look[:3:3], click(`.options summary`), click(`.how summary`))},
		{"add-failed", "/add", sampleFailing, []browser.Step{typed(`main input[name=url]`, "gone.example"),
			click(`main form button`), visible(`.problem`)}},
		{"search", "/search", sample, nil},
		{"search-nothing", "/search?q=zeppelin", sample, nil},
		{"search-found", "/search?q=the", sample, nil},
		{"opml", "/opml", sample, nil},
		{"opml-report", "/opml", sample,
			[]browser.Step{typed(`[name=text]`,
				"https://new.example/feed\nhttp://10.0.0.7/private\nhttps://compiler.example/blog/feed.atom\nhttp\n"),
				click(`main form button`), visible(`.report`)}},
		{"settings", "/settings", sample, []browser.Step{typed(`[name=label]`, "newsboat on the laptop"),
			click(`.row-form button`), visible(`.secret`)}},
		{"settings-feed", "/settings", sample,
			[]browser.Step{typed(`form[action="/settings/feeds"] [name=name]`, "for the laptop"),
				click(`form[action="/settings/feeds"] button`), visible(`.secret`)}},
		{"notifications", "/notifications", withNotifications, nil},
		{"notifications-none", "/notifications", sample, nil},
		{"notifications-refused", "/notifications", sample, []browser.Step{typed(`.target-form [name=name]`, "phone"),
			typed(`.target-form [name=url]`, "https://ntfy.sh/"), click(`.target-form .buttons button`),
			visible(`.problem[role=alert]`)}},
		{"notifications-key", "/notifications", withNotifications,
			[]browser.Step{typed(`.target-form [name=name]`, "my program"),
				typed(`.target-form [name=url]`, "https://hooks.example/mine"),
				chosen(`.target-form [name=kind]`, "webhook"), click(`.target-form .buttons button`),
				visible(`.secret`)}},
		{"notifications-mail", "/notifications", withMail,
			[]browser.Step{click(`.target-form summary`), visible(`.target-form [name=quiet_from]`)}},
		{"notifications-test-failed", "/notifications", withFailingTest,
			[]browser.Step{click(`.targets form button`), visible(`.problem[role=alert]`)}},
		{"notifications-preview", "/notifications/2", withNotifications,
			[]browser.Step{click(`[data-preview]`), visible(`.target-form .card`)}},
		{"notifications-generic", "/notifications/4", withNotifications, nil},
		{"notifications-remove", "/notifications/3/remove", withNotifications, nil},
		{"people", "/people", withPeople, []browser.Step{click(`.person-forms summary`)}},
		{"people-remove", "/people/remove/ann", withPeople, nil},
		{"status", "/status", sample, nil},
		{"help", "/help", sample, nil},
		{"keys", "/", sample, []browser.Step{chromedp.KeyEvent("?"), visible(`#keys-dialog`)}},
		{"busy-river", "/", busy, nil},
		{"busy-search", "/search?q=harbour", busy, nil},
		{"busy-entry", "/entry/35", busy, nil},
		{"busy-entry-page", "/entry/36", busy, nil},
		{"busy-channels", "/channels", busy, nil},
		{"busy-channel", "/channel?url=https://news.example/harbour.xml", busy, nil},
		{"busy-untitled", "/channel?url=http://127.0.0.1:9710/feeds/of-the-town/notices-2.xml", busy, nil},
		{"busy-channel-page", "/channel?url=https://council.example/sittings", busy,
			[]browser.Step{click(`.edit summary`)}},
		{"welcome", "/", newFake, nil},
		{"missing", "/no/such/page", sample, nil},
	}
}

func focus(css string) browser.Step { return chromedp.Focus(chromedp.CSS(css)) }

// Every page is tested wide in the light theme, narrow in the dark one, and very narrow; if all cases are requested,
// with both themes at both widths. axe-core finds no violation, and nothing is wider than the window. The pictures are
// kept.
func TestEveryPageIsAccessible(t *testing.T) {
	ctx := browser.Start(t)
	axe := browser.Axe(t, artefacts)
	do(t, ctx, chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error {
		_, err := cdp.Call(ctx, tab, page.SetBypassCSP, page.SetBypassCSPParams{Enabled: true}) // for axe alone
		return err
	}))
	look := func(p aPage, base func() string) {
		for _, theme := range []string{"light", "dark"} {
			for _, width := range []int64{1280, 390} {
				if !effort.All() && (theme == "dark") != (width == 390) {
					continue // colours do not depend on the width, nor places on the theme
				}
				name := fmt.Sprintf("%s-%s-%d", p.name, theme, width)
				t.Run(name, func(t *testing.T) {
					do(t, ctx, append([]browser.Step{size(width, theme), open(base() + p.path)}, p.steps...)...)
					if failed := eval[bool](t, ctx, `document.querySelector(".failure") !== null`); failed != (p.name == "missing") {
						t.Fatal("this is not the page that was asked for")
					}
					savePicture(t, ctx, name)
					if axe != "" {
						judge(t, ctx, axe)
					}
					do(t, ctx, size(320, theme))
					if over := eval[int](t, ctx, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
						t.Errorf("at 320 px the page is %d px too wide", over)
					}
				})
			}
		}
	}
	for _, p := range somePages() {
		look(p, func() string { return serve(t, p.fake(), false, nil) })
	}
	withPassword := newFakeWithPassword(t)
	look(aPage{name: "login", path: "/login"}, func() string { return serve(t, withPassword, true, nil) })
	look(aPage{name: "login-wrong", path: "/login", steps: []browser.Step{typed(`[name=password]`, "guess"),
		click(`button`), visible(`.problem`)}},
		func() string { return serve(t, withPassword, true, nil) })
	script := func(expression string) browser.Step {
		return chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
			_, err := chromedp.Run(ctx, chromedp.Evaluate[bool](expression))
			return err
		})
	}
	signIn := script(
		`location.pathname !== "/login" || (document.querySelector("[name=password]").value = "secret word",
		document.querySelector("main form").submit(), true)`) // unless it is done already
	named := func(f *fake) func() string {
		return func() string { return strings.Replace(serve(t, f, true, nil), "127.0.0.1", "localhost", 1) }
	}
	for _, p := range []aPage{
		{name: "login-passkey", path: "/login", steps: []browser.Step{visible(`[data-passkey] button`)}},
		{name: "login-passkey-failed", path: "/login", steps: []browser.Step{
			script(`document.querySelector("[data-passkey] .problem").textContent = "This node does not accept that passkey.",
				document.querySelector("[data-passkey] .problem").hidden = false, true`), visible(`[data-passkey] .problem`)}},
		{name: "settings-passkeys", path: "/login?next=/settings",
			steps: []browser.Step{signIn, visible(`[data-passkey=add] [data-confirm]`)}},
	} {
		look(p, named(withPasskeys()))
	}
	withProvider := newFakeWithPassword(t)
	withProvider.provider = &standIn{fails: openid.ErrTaken}
	look(aPage{name: "login-provider", path: "/login"}, func() string { return serve(t, withProvider, true, nil) })
	look(aPage{name: "login-provider-refuses", path: "/login/openid/return"},
		func() string { return serve(t, withProvider, true, nil) })
	signsIn := newFakeWithPassword(t)
	signsIn.provider = &standIn{next: "/assets/stay"}
	look(aPage{name: "login-going-on", path: "/login/openid/return",
		steps: []browser.Step{visible(`a[href="/assets/stay"]`)}}, func() string {
		return serve(t, signsIn, true, staying)
	})
	look(aPage{name: "login-no-password", path: "/login"}, func() string { return serve(t, newFake(), true, nil) })
}

func samplePagePreview() *fake {
	f := sample()
	f.preview.Kind, f.preview.Items, f.preview.Choices = "page", nil, nil
	f.preview.Channel, f.preview.Title = "https://orchard.example/", "The Orchard: opening times"
	f.preview.Lines = []string{"Opening times", "Shop: Friday and Saturday, 9:00 to 16:00", "Picking: from 20 August",
		"Dogs on a lead are welcome."}
	f.preview.Poll.Next = time.Now().Add(30 * time.Minute)
	return f
}

func sampleFailing() *fake {
	f := sample()
	f.previewFails = fmt.Errorf("check https://gone.example/: no such host")
	return f
}

// 1,000 channels are in folders, in any arrangement, each with a tag of its own. Before a browser shows a page, it
// needs at most 60 kB, compressed: the document and its style.
func TestFirstPaintIsSmall(t *testing.T) {
	const most = 60_000
	for name, folder := range map[string]func(i int) string{
		"40 folders in three": func(i int) string { return fmt.Sprintf("Folder %d/Inner %d", i%40, i%3) },
		"a folder for each":   func(i int) string { return fmt.Sprintf("The folder of many channel %d", i) },
		"a folder in each":    func(i int) string { return fmt.Sprintf("Folder %d/Its inner folder %d", i, i) },
		"one folder":          func(int) string { return "Programming" },
		"no folder":           func(int) string { return "" },
	} {
		f := busy()
		for i := range 1000 {
			f.follow(tidings.Subscription{Folder: folder(i), Unread: i,
				Tags: []string{fmt.Sprintf("its own tag %d", i)},
				Channel: tidings.Channel{URL: fmt.Sprintf("https://many%d.example/feed", i),
					Title: fmt.Sprintf("Channel with a usual title %d", i), Kind: tidings.KindFeed}})
		}
		v := visit(t, f, false)
		zipped := func(path string) int {
			w := v.get(path)
			if w.Code != 200 {
				t.Fatalf("%s: %d", path, w.Code)
			}
			var b bytes.Buffer
			z := gzip.NewWriter(&b)
			z.Write(w.Body.Bytes())
			z.Close()
			return b.Len()
		}
		style := zipped("/assets/style.css")
		for _, path := range allPaths {
			n := zipped(path) + style
			t.Logf("%s: %s needs %d bytes", name, path, n)
			if n > most {
				t.Errorf("%s: %s needs %d bytes, more than %d", name, path, n, most)
			}
		}
	}
}
