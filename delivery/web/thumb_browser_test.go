package web

import (
	"context"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"tidings/lab/browser"
)

// touched has the browser be one of a phone.
func touched() browser.Step {
	return chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error {
		_, err := cdp.Call(ctx, tab, emulation.SetTouchEmulationEnabled,
			emulation.SetTouchEmulationEnabledParams{Enabled: true})
		return err
	})
}

// small lists the controls that are smaller than a thumb: 44 pixels high, and as wide unless they hold words. Links
// within a text are as high as its lines, and boxes are pressed by their labels.
const small = `[...document.querySelectorAll("button, .button, summary, select, nav a, .sort, .settings-link a, .way a, input:not([type=radio], [type=checkbox], [type=hidden], .hidden)")]
	.filter((e) => e.checkVisibility() && !e.closest("dialog, .prose"))
	.map((e) => ({ e, box: e.getBoundingClientRect() }))
	.filter(({ box }) => box.height < 43.5 || box.width < 43.5)
	.map(({ e, box }) => e.tagName + "." + e.className + " " + (e.getAttribute("aria-label") ?? e.textContent.trim()).slice(0, 30) + ": " + Math.round(box.width) + " by " + Math.round(box.height))
	.join("\n")`

// On a phone everything is pressed by thumb: what can be pressed is large enough, and nothing is wider than the screen.
func TestThumbsHitWhatTheyPress(t *testing.T) {
	ctx := browser.Start(t)
	base := serve(t, sample(), false, nil)
	do(t, ctx, size(390, "light"), touched())
	for _, path := range []string{"/", "/?show=unread&folder=Programming", "/entry/25?in=%2F", "/channels",
		"/channel?url=https://kernel.example/headlines/rss", "/search?q=the", "/settings", "/notifications", "/add",
		"/help"} {
		do(t, ctx, open(base+path))
		// as with the fonts of other phones, whose letters are narrower
		for _, spacing := range []string{"0", "-.15em"} {
			if found := eval[string](t, ctx, `document.body.style.letterSpacing = "`+spacing+`", `+small); found != "" {
				t.Errorf("%s: with letters set %s apart, too small for a thumb:\n%s", path, spacing, found)
			}
		}
		checkWidth(t, ctx)
	}
}

// The way to the next article is on the screen while one reads, wherever that is.
func TestTheNextArticleIsAtHand(t *testing.T) {
	ctx := browser.Start(t)
	base := serve(t, sample(), false, nil)
	do(t, ctx, size(390, "dark"), touched(), open(base+"/entry/25?in=%2F"), visible(`article .way a[rel=next]`))
	const seen = `(() => {
		const box = document.querySelector("article .way a[rel=next]").getBoundingClientRect();
		const at = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
		return at?.closest("a")?.rel ?? String(at?.className);
	})()`
	for _, at := range []string{"0", "200", "document.documentElement.scrollHeight"} {
		if got := eval[string](t, ctx, `scrollTo({ top: `+at+`, behavior: "instant" }), `+seen); got != "next" {
			t.Errorf("scrolled to %s, there is %q where the next article was", at, got)
		}
	}
	savePicture(t, ctx, "way-390")
}

// Where the page is installed, pulling it down looks for what is new. A short pull, or one that goes sideways, does
// not.
func TestPullingDown(t *testing.T) {
	ctx := browser.Start(t)
	base := serve(t, sample(), false, nil)
	installed := chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error {
		_, err := cdp.Call(ctx, tab, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{
			Source: `const asked = window.matchMedia; window.matchMedia = (query) => query.includes("standalone") ? { matches: true } : asked.call(window, query);`})
		return err
	})
	do(t, ctx, size(390, "light"), touched(), installed, open(base+"/help"))
	drag := func(points ...[2]float64) {
		t.Helper()
		for i, p := range points {
			kind := input.DispatchTouchEventTypeTouchMove
			if i == 0 {
				kind = input.DispatchTouchEventTypeTouchStart
			}
			finger(t, ctx, kind, &input.TouchPoint{X: p[0], Y: p[1]})
		}
	}
	const pulled = `document.querySelector(".pulled")?.className ?? "nothing"`
	// Where moves are held back, a finger that is lifted has tapped: a link below it is not what this is about.
	eval[bool](t, ctx, `(() => { addEventListener("click", (event) => event.preventDefault(), true); return window.sameDocument = true; })()`)
	drag([2]float64{200, 100}, [2]float64{200, 130}, [2]float64{200, 160})
	becomes(t, ctx, pulled, "pulled")
	finger(t, ctx, input.DispatchTouchEventTypeTouchEnd)
	// Browsers hold further moves back for a while. To the right, a finger may lead back to the page before.
	drag([2]float64{200, 100}, [2]float64{40, 150})
	becomes(t, ctx, pulled, "nothing")
	finger(t, ctx, input.DispatchTouchEventTypeTouchEnd)
	if !eval[bool](t, ctx, `window.sameDocument === true`) {
		t.Fatal("the page was loaded again")
	}
	drag([2]float64{200, 100}, [2]float64{200, 150}, [2]float64{200, 220})
	becomes(t, ctx, pulled, "far")
	finger(t, ctx, input.DispatchTouchEventTypeTouchEnd)
	becomes(t, ctx, `String(window.sameDocument)`, "undefined")
}

func finger(t *testing.T, ctx context.Context, kind input.DispatchTouchEventType, points ...*input.TouchPoint) {
	t.Helper()
	do(t, ctx, chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error {
		_, err := cdp.Call(ctx, tab, input.DispatchTouchEvent,
			input.DispatchTouchEventParams{Type: kind, TouchPoints: points})
		return err
	}))
}
