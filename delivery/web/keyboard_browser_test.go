package web

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"tidings/lab/browser"
)

// focused describes what has the focus, and notes that it was reached: what is wrong with it stands behind a mark.
const focused = `(() => {
	const e = document.activeElement;
	if (!e || e === document.body) return "";
	e.reached = true;
	const name = e.tagName + "." + e.className + " " + (e.getAttribute("aria-label") ?? e.textContent.trim()).slice(0, 30);
	const shown = [e, e.closest("label"), e.closest(".line"), e.nextElementSibling].some((x) => {
		if (!x) return false;
		const style = getComputedStyle(x);
		return style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0 || style.boxShadow !== "none";
	});
	const box = e.getBoundingClientRect();
	const at = document.elementFromPoint(box.x + Math.min(box.width, innerWidth - box.x) / 2, box.y + Math.min(box.height, 40) / 2);
	const covered = !at || !(e.contains(at) || at.contains(e) || e.closest("label")?.contains(at));
	return name + (shown ? "" : " ✗ its focus is not shown") + (covered ? " ✗ it lies below " + (at ? at.tagName + "." + at.className : "the edge") : "");
})()`

// unreached lists what can be used on the page and was never focused. Of buttons of which one is chosen, one is reached
// by Tab.
const unreached = `[...document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex='0']")]
	.filter((e) => e.checkVisibility() && !e.disabled && e.tabIndex >= 0 && !e.reached && !e.closest("[inert]") && e.type !== "radio")
	.map((e) => e.tagName + "." + e.className + " " + (e.getAttribute("aria-label") ?? e.textContent.trim()).slice(0, 30))
	.join("\n")`

// By keyboard alone everything on a page is reached, one sees where the focus is, and nothing lies over it.
func TestTheKeyboardReachesEverything(t *testing.T) {
	ctx := browser.Start(t)
	base := serve(t, sample(), false, nil)
	for _, width := range []int64{390, 1280} {
		for _, path := range []string{"/", "/entry/25?in=%2F", "/channels",
			"/channel?url=https://kernel.example/headlines/rss", "/search?q=the", "/settings", "/notifications", "/add",
			"/help"} {
			do(t, ctx, size(width, "light"), open(base+path))
			rounds, steps := 0, 0
			for ; rounds < 2 && steps < 400; steps++ { // the first may begin in the middle, where a field has the focus
				do(t, ctx, chromedp.KeyEvent(kb.Tab))
				switch at := eval[string](t, ctx, focused); {
				case at == "":
					rounds++
				case strings.Contains(at, "✗"):
					t.Errorf("%s at %d: %s", path, width, at)
				}
			}
			if left := eval[string](t, ctx, unreached); left != "" || rounds < 2 {
				t.Errorf("%s at %d: in %d steps the keyboard comes round %d times, and has not reached\n%s", path,
					width, steps, rounds, left)
			}
		}
	}
}
