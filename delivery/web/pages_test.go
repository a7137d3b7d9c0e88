package web

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"tidings"
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
	look := []browser.Step{typed(`main input[name=url]`, "orchard.example"), click(`main form button`), visible(`.preview`)}
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
		{"channel-pushed", "/channel?url=" + pushedFeed, pushedAs(tidings.PushGood), []browser.Step{click(`.edit summary`)}},
		{"channel-alarm", "/channel?url=" + pushedFeed, pushedAs(tidings.PushAlarm), nil},
		{"channel-doubled", "/channel?url=" + pushedFeed, pushedAs(tidings.PushDoubled), nil},
		{"channel-unprotected", "/channel?url=" + pushedFeed, pushedAs(tidings.PushUnprotected), nil},
		{"channel-void", "/channel?url=" + pushedFeed, pushedAs(tidings.PushRevoked), nil},
		{"channel-distrusted", "/channel?url=" + pushedFeed, pushedAs(tidings.PushDistrusted), []browser.Step{click(`.edit summary`)}},
		{"channel-older", "/channel?url=" + pushedFeed, withArchive, []browser.Step{focus(`[data-older]`), chromedp.KeyEvent(kb.Enter), visible(`.line summary`), focus(`.line summary`), chromedp.KeyEvent(kb.Enter), visible(`.line .prose`)}},
		{"older", "/older?url=" + pushedFeed, withArchive, nil},
		{"older-nothing", "/older?url=" + pushedFeed, sample, nil},
		{"channels-alarm", "/channels", pushedAs(tidings.PushAlarm), nil},
		{"entry-published", "/entry/26", pushedAs(tidings.PushGood), nil},
		{"update-published", "/update/6", pushedAs(tidings.PushGood), nil},
		{"network-pushes", "/network", pushedAs(tidings.PushAlarm), nil},
		{"add", "/add", sample, nil},
		{"add-preview", "/add", sample, look},
		{"add-preview-page", "/add", samplePagePreview, append(look[:3:3], click(`.options summary`), click(`.how summary`))},
		{"add-failed", "/add", sampleFailing, []browser.Step{typed(`main input[name=url]`, "gone.example"), click(`main form button`), visible(`.problem`)}},
		{"search", "/search", sample, nil},
		{"search-nothing", "/search?q=zeppelin", sample, nil},
		{"search-found", "/search?q=the", sample, nil},
		{"opml", "/opml", sample, nil},
		{"opml-report", "/opml", sample, []browser.Step{typed(`[name=text]`, "https://new.example/feed\nhttp://10.0.0.7/private\nhttps://compiler.example/blog/feed.atom\nhttp\n"), click(`main form button`), visible(`.report`)}},
		{"settings", "/settings", sample, []browser.Step{typed(`[name=label]`, "newsboat on the laptop"), click(`.row-form button`), visible(`.secret`)}},
		{"people", "/people", withPeople, []browser.Step{click(`.person-forms summary`)}},
		{"people-remove", "/people/remove/ann", withPeople, nil},
		{"status", "/status", sample, nil},
		{"network", "/network", inNetwork(60), []browser.Step{click(`#known-list summary`)}},
		{"network-node", "/network", inNetwork(60), []browser.Step{chromedp.KeyEvent(kb.Tab), focus(`.ring a[tabindex="-1"]`), visible(`.told text`)}},
		{"network-few", "/network", inNetwork(6), nil},
		{"network-many", "/network", inNetwork(100_000), nil},
		{"network-one", "/network", inNetwork(1), nil},
		{"network-trouble", "/network", inTrouble, nil},
		{"network-refused", "/network", inNetwork(1), []browser.Step{typed(`main input[name=address]`, "friend.example"), click(`main .row-form button`), visible(`.problem[role=alert]`)}},
		{"network-tree", "/network?channel=" + treedFeed, inTrees, nil},
		{"network-tree-part", "/network?channel=" + secondFeed, inTrees, nil},
		{"network-tree-owner", "/network?channel=" + quietFeed, inTrees, nil},
		{"network-tree-root", "/network?channel=" + treedFeed, rootOfMany, nil},
		{"network-tree-hostile", "/network?channel=" + treedFeed, hostileTree, nil},
		{"node", "/node?id=" + otherNode, inNetwork(6), nil},
		{"nodes-all", "/node?id=all", inNetwork(6), nil},
		{"network-off", "/network", withoutNetwork, nil},
		{"help", "/help", sample, nil},
		{"keys", "/", sample, []browser.Step{chromedp.KeyEvent("?"), visible(`#keys-dialog`)}},
		{"busy-river", "/", busy, nil},
		{"busy-search", "/search?q=harbour", busy, nil},
		{"busy-entry", "/entry/35", busy, nil},
		{"busy-entry-page", "/entry/36", busy, nil},
		{"busy-channels", "/channels", busy, nil},
		{"busy-channel", "/channel?url=https://news.example/harbour.xml", busy, nil},
		{"busy-untitled", "/channel?url=http://127.0.0.1:9710/feeds/of-the-town/notices-2.xml", busy, nil},
		{"busy-channel-page", "/channel?url=https://council.example/sittings", busy, []browser.Step{click(`.edit summary`)}},
		{"welcome", "/", newFake, nil},
		{"missing", "/no/such/page", sample, nil},
	}
}

func focus(css string) browser.Step { return chromedp.Focus(chromedp.CSS(css)) }

// Every page, wide in the light theme and narrow in the dark one, or both in both if all cases are asked for, and very narrow: axe-core finds nothing to
// object to, and nothing is wider than the window. The pictures are kept.
func TestEveryPageIsAccessible(t *testing.T) {
	ctx := browser.Start(t)
	axe := axeSource(t)
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
	look(aPage{name: "login-wrong", path: "/login", steps: []browser.Step{typed(`[name=password]`, "guess"), click(`button`), visible(`.problem`)}},
		func() string { return serve(t, withPassword, true, nil) })
	look(aPage{name: "login-no-password", path: "/login"}, func() string { return serve(t, newFake(), true, nil) })
}

// axeSource returns axe-core, or "" after saying that it is missing.
func axeSource(t *testing.T) string {
	t.Helper()
	file := os.Getenv("TIDINGS_AXE")
	if file == "" {
		file = filepath.Join(artefacts, "tools/node_modules/axe-core/axe.min.js")
	}
	source, err := os.ReadFile(file)
	if err != nil {
		t.Logf("axe-core is missing, so accessibility is not judged (npm install --prefix artefacts/tools axe-core, or set TIDINGS_AXE): %v", err)
		return ""
	}
	return string(source)
}

// judge fails the test for everything that axe-core objects to, under all of its rules.
func judge(t *testing.T, ctx context.Context, axe string) {
	t.Helper()
	eval[bool](t, ctx, axe+"; true")
	text := eval[string](t, ctx, `axe.run().then((r) => JSON.stringify({
		passes: r.passes.length,
		found: r.violations.map((v) => v.id + ": " + v.help + "\n  " + v.nodes.map((n) => n.html.slice(0, 200) + " — " + n.failureSummary.replace(/\s+/g, " ")).join("\n  ")),
	}))`)
	var result struct {
		Passes int
		Found  []string
	}
	if err := json.Unmarshal([]byte(text), &result); err != nil {
		t.Fatal(err)
	}
	if result.Passes < 10 {
		t.Errorf("axe-core judged only %d rules: is there a page?", result.Passes)
	}
	if len(result.Found) > 0 {
		t.Errorf("axe-core objects:\n%s", strings.Join(result.Found, "\n"))
	}
}

func samplePagePreview() *fake {
	f := sample()
	f.preview.Kind, f.preview.Items, f.preview.Choices = "page", nil, nil
	f.preview.Channel, f.preview.Title = "https://orchard.example/", "The Orchard: opening times"
	f.preview.Lines = []string{"Opening times", "Shop: Friday and Saturday, 9:00 to 16:00", "Picking: from 20 August", "Dogs on a lead are welcome."}
	f.preview.Poll.Next = time.Now().Add(30 * time.Minute)
	return f
}

func sampleFailing() *fake {
	f := sample()
	f.previewFails = fmt.Errorf("check https://gone.example/: no such host")
	return f
}
