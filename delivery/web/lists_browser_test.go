package web

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"

	"tidings"
	"tidings/lab/browser"
)

// Scrolling past items marks them as read where their reader has chosen that, together, and one button undoes it. What
// was not seen is not marked.
func TestScrollingPastMarksAsRead(t *testing.T) {
	ctx := browser.Start(t)
	f := sample()
	f.chosen = tidings.Preferences{tidings.RiverView: {tidings.PreferScroll: "read"}}
	base := serve(t, f, false, nil)
	shown := func(read bool) int {
		return eval[int](t, ctx,
			`[...document.querySelectorAll(".line:not(.folded)")].filter((l) => l.classList.contains("read") === `+
				map[bool]string{true: "true", false: "false"}[read]+`).length`)
	}
	stored := func() (n int) {
		defer f.lock()()
		for _, e := range f.entries {
			if e.Read {
				n++
			}
		}
		return n
	}
	frames := func() { // what is on the screen is seen after a frame
		eval[bool](t, ctx,
			`new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))`)
	}
	for _, width := range []int64{390, 1280} {
		do(t, ctx, size(width, "light"), open(base+"/"), visible(".line"))
		// The five seconds in which it can be undone do not pass here.
		eval[bool](t, ctx, `(() => { const set = window.setTimeout; window.setTimeout = (f, ms) => (ms === 5000 ? 0 : set(f, ms)); return true; })()`)
		frames()
		before, kept, unread := shown(true), stored(), shown(false)
		eval[bool](t, ctx, `scrollTo(0, document.querySelectorAll(".line:not(.read, .folded)")[1].getBoundingClientRect().bottom + scrollY + 1), true`)
		do(t, ctx, visible(".undo"))
		if got := shown(true); got <= before || shown(false) == 0 {
			t.Errorf("at %d px, of %d unread lines none or all are marked: %d read, %d before", width, unread, got,
				before)
		}
		if stored() != kept {
			t.Error("it is sent before it could be undone")
		}
		do(t, ctx, click(".undo button"))
		if got := shown(true); got != before {
			t.Errorf("after it is undone, %d are read, not %d", got, before)
		}
		eval[bool](t, ctx, `scrollTo(0, 0), true`)
		frames()
		eval[bool](t, ctx, `scrollTo(0, document.querySelectorAll(".line:not(.read, .folded)")[1].getBoundingClientRect().bottom + scrollY + 1), true`)
		do(t, ctx, visible(".undo"))
		marked := shown(true) - before
		eval[bool](t, ctx, `scrollTo(0, 0), true`)
		// a second key counts for a second and a half
		do(t, ctx, stopClock(), chromedp.KeyEvent("gc"), visible("#channel-list"))
		within(t, func() bool { return stored() == kept+marked })
	}
	f.chosen = nil
	do(t, ctx, open(base+"/"), visible(".line"))
	before := shown(true)
	frames()
	eval[bool](t, ctx, `scrollTo(0, document.body.scrollHeight), true`)
	frames()
	if got := shown(true); got != before {
		t.Error("scrolling marks what nobody has chosen to have marked")
	}
}

// Boxes are checked from one to another with Shift, and what is chosen is done; the list beside the page is searched as
// one types.
func TestChannelsAreFoundAndChosen(t *testing.T) {
	ctx := browser.Start(t)
	f := sample()
	base := serve(t, f, false, nil)
	do(t, ctx, size(1280, "light"), open(base+"/channels"), visible("#channel-list"))
	eval[bool](t, ctx, `(() => {
		const boxes = document.querySelectorAll("input[form=bulk]");
		boxes[0].click();
		boxes[2].dispatchEvent(new MouseEvent("click", { shiftKey: true, bubbles: true, cancelable: true }));
		return true;
	})()`)
	if got := eval[string](t, ctx, `document.querySelector("[data-chosen]").textContent`); got != "3 channels checked" {
		t.Errorf("it says %q", got)
	}
	for _, width := range []int64{390, 768, 1280} {
		do(t, ctx, size(width, "light"))
		savePicture(t, ctx, fmt.Sprintf("bulk-%d-light", width))
	}
	do(t, ctx, typed("#bulk [name=tags]", "picked"), click("#bulk [value=tag]"), visible(`.tag-list [data-tag=picked]`))
	n := 0
	all, err := f.Channels(t.Context(), tidings.Owner)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range all {
		if len(c.Tags) == 1 && c.Tags[0] == "picked" {
			n++
		}
	}
	if n != 3 {
		t.Errorf("%d channels have the tag", n)
	}
	do(t, ctx, open(base+"/"), visible(".folders"), chromedp.KeyEvent("f"), visible("#find:focus"))
	find := func(words string) int {
		eval[bool](t, ctx, `(() => { const find = document.querySelector("#find"); find.value = "`+words+
			`"; return find.dispatchEvent(new Event("input")); })()`)
		return eval[int](t, ctx,
			`[...document.querySelectorAll(".folders a[href^='/channel?']")].filter((a) => a.checkVisibility()).length`)
	}
	for words, want := range map[string]int{"Kernel": 1, "programming": 2, "nobody": 0, "": 8} {
		if got := find(words); got != want {
			t.Errorf("%q finds %d channels, not %d", words, got, want)
		}
	}
	// The menu of the list, with a button for all lists.
	for _, width := range []int64{390, 768, 1280} {
		do(t, ctx, size(width, "dark"), open(base+"/"), click(".look summary"), visible(".look form"))
		savePicture(t, ctx, fmt.Sprintf("look-%d-dark", width))
	}
	do(t, ctx, chromedp.SetValue(chromedp.CSS(".look [name=density]"), "compact"), click(".look button[value=all]"),
		visible("#river[data-dense]"))
	for _, width := range []int64{390, 768, 1280} {
		do(t, ctx, size(width, "light"), open(base+"/?folder=Programming"), visible("#river[data-dense]"))
		savePicture(t, ctx, fmt.Sprintf("dense-%d-light", width))
	}
}
