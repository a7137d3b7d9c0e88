package networkroom

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"tidings"
	"tidings/delivery/web/shell"
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
	return []aPage{
		{"network", "/network", inTrees, nil},
		{"network-one", "/network", inNetwork(1), nil},
		{"network-trouble", "/network", inTrouble, nil},
		{"network-pushes", "/network", withPushes(1), nil},
		{"network-refused", "/network", inNetwork(1),
			[]browser.Step{typed(`main input[name=address]`, "friend.example"), click(`main .row-form button`),
				visible(`.problem[role=alert]`)}},
		{"network-ring", "/network?show=ring", inNetwork(60), []browser.Step{click(`#known-list summary`)}},
		{"network-ring-node", "/network?show=ring", inNetwork(60),
			[]browser.Step{chromedp.KeyEvent(kb.Tab), focus(`.ring a[tabindex="-1"]`), visible(`.told text`)}},
		{"network-ring-few", "/network?show=ring", inNetwork(6), nil},
		{"network-ring-many", "/network?show=ring", inNetwork(100_000), nil},
		{"network-ring-one", "/network?show=ring", inNetwork(1), nil},
		{"network-sharing", "/network?show=sharing", withPushes(1), []browser.Step{click(`#histogram-table summary`)}},
		{"network-tree", "/network?channel=" + treedFeed, inTrees, nil},
		{"network-tree-part", "/network?channel=" + secondFeed, inTrees, nil},
		{"network-tree-owner", "/network?channel=" + quietFeed, inTrees, nil},
		{"network-tree-root", "/network?channel=" + treedFeed, rootOfMany, nil},
		{"network-tree-hostile", "/network?channel=" + treedFeed, hostileTree, nil},
		{"network-zones", "/network?zone=%2Feu", inZones, nil},
		{"network-trust", "/network?show=trust", withPenalties, nil},
		{"network-here", "/network?show=node", inNetwork(60), nil},
		{"network-here-trouble", "/network?show=node", inTrouble, nil},
		{"network-traffic", "/network?show=traffic", inNetwork(60), nil},
		{"node", "/node?id=" + otherNode, inNetwork(6), nil},
		{"nodes-all", "/node?id=all", inNetwork(6), nil},
		{"network-off", "/network", withoutNetwork, nil},
		{"network-mining", "/network", whileMining, nil},
	}
}

// Every page is tested wide in the light theme, narrow in the dark one, and very narrow; if all cases are requested,
// with both themes at both widths. axe-core finds no violation, and nothing is wider than the window. The pictures are
// kept.
func TestEveryPageIsAccessible(t *testing.T) {
	ctx := browser.Start(t)
	axe := browser.Axe(t, artefacts)
	do(t, ctx, chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error {
		_, err := cdp.Call(ctx, tab, cdppage.SetBypassCSP, cdppage.SetBypassCSPParams{Enabled: true}) // for axe alone
		return err
	}))
	for _, p := range somePages() {
		for _, theme := range []string{"light", "dark"} {
			for _, width := range []int64{1280, 390} {
				if !effort.All() && (theme == "dark") != (width == 390) {
					continue // colours do not depend on the width, nor places on the theme
				}
				name := fmt.Sprintf("%s-%s-%d", p.name, theme, width)
				t.Run(name, func(t *testing.T) {
					do(t, ctx, append([]browser.Step{size(width, theme), open(serve(t, p.fake(), nil) + p.path)},
						p.steps...)...)
					if eval[bool](t, ctx, `document.querySelector(".failure") !== null`) {
						t.Fatal("this is not the page that was asked for")
					}
					savePicture(t, ctx, name)
					if axe != "" {
						browser.Judge(t, ctx, axe)
					}
					do(t, ctx, size(320, theme))
					if over := eval[int](t, ctx, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
						t.Errorf("at 320 px the page is %d px too wide", over)
					}
				})
			}
		}
	}
}

// However large the network and whatever is wrong, the first part fits into a window and a half of a common size.
func TestOverviewIsShort(t *testing.T) {
	ctx := browser.Start(t)
	for name, fake := range map[string]func() *fake{"alone": inNetwork(1), "few": inNetwork(6), "trees": inTrees,
		"many": inNetwork(100_000), "mining": whileMining} {
		do(t, ctx, size(1280, "light"), open(serve(t, fake(), nil)+"/network"))
		if height :=
			eval[int](t, ctx, `document.querySelector("main").getBoundingClientRect().height | 0`); height < 100 ||
			height > 1200 {
			t.Errorf("%s: %d px", name, height)
		}
	}
}

// With 1,000 more channels in folders, a browser needs at most 60 kB, compressed, before it shows a page: the document
// and its style.
func TestPagesAreSmall(t *testing.T) {
	const most = 60_000
	for _, p := range somePages() {
		f := p.fake()
		for i := range 1000 {
			f.followed =
				append(f.followed, tidings.Subscription{Folder: fmt.Sprintf("The folder of many channel %d", i),
					Unread: i,
					Channel: tidings.Channel{URL: fmt.Sprintf("https://many%d.example/feed", i),
						Title: fmt.Sprintf("Channel with a usual title %d", i), Kind: tidings.KindFeed}})
		}
		v := visit(t, f)
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
		n := zipped(p.path) + zipped(shell.AssetPath("style.css"))
		t.Logf("%s: %d bytes", p.name, n)
		if n > most {
			t.Errorf("%s needs %d bytes, more than %d", p.name, n, most)
		}
	}
}
