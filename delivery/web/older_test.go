package web

import (
	"context"
	"errors"
	"fmt"
	"html"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"tidings"
	"tidings/delivery/web/shell"
	"tidings/lab/browser"
	"tidings/view"
)

// withArchive is sample with a pushed channel of which the network's archive has more than two pages.
func withArchive() *fake {
	f := pushedAs(tidings.PushGood)()
	for n := uint64(45); n > 0; n-- {
		item := tidings.Item{ID: fmt.Sprint(n), Title: fmt.Sprintf("Kernel notes, part %d", n),
			URL: fmt.Sprintf("https://kernel.example/%d", n), Summary: "<p>What was merged.</p>"}
		if n%3 == 0 {
			item.Content = article
		}
		if n == 44 {
			item.URL = ""
		}
		f.archived =
			append(f.archived, view.Archived{Number: n, Time: time.Now().Add(-time.Duration(60-n) * 240 * time.Hour),
				SignedBy: oneKey, Items: []tidings.Item{item}})
	}
	return f
}

var (
	olderTitle = regexp.MustCompile(`(?:part|Story) \d+</(?:a|span)></h3>`)
	olderNext  = regexp.MustCompile(`<a class="button" rel="next" href="([^"]*)" data-older`)
)

// turnPages reads all pages of older items from a path on. It returns the titles in order, and the last page.
func turnPages(v *visitor, path string) (titles []string, pages int, last string) {
	v.t.Helper()
	for path != "" {
		if pages++; pages > 10 {
			v.t.Fatal("it does not end")
		}
		w := v.get(path)
		if w.Code != 200 {
			v.t.Fatalf("%s: %d", path, w.Code)
		}
		last, path = w.Body.String(), ""
		titles = append(titles, olderTitle.FindAllString(last, -1)...)
		if next := olderNext.FindStringSubmatch(last); next != nil {
			path = html.UnescapeString(next[1])
		}
	}
	return titles, pages, last
}

// Earlier publications are read page by page, each item once, from the archive of the network or the origin's.
func TestOlderItemsComePageByPage(t *testing.T) {
	f := withArchive()
	v := visit(t, f, false)
	next := olderNext.FindStringSubmatch(v.get(shell.ChannelPath(pushedFeed)).Body.String())
	if next == nil {
		t.Fatal("the channel's page leads to nothing older")
	}
	first := html.UnescapeString(next[1])
	check := func(what string) {
		t.Helper()
		titles, pages, last := turnPages(v, first)
		if pages != 3 || len(titles) != 45 || !strings.Contains(last, "That is all. Nothing older was found.") {
			t.Errorf("%s: %d pages with %d items\n%s", what, pages, len(titles), last)
		}
		for i, title := range titles {
			if !strings.HasPrefix(title, fmt.Sprintf("part %d<", 45-i)) {
				t.Fatalf("%s: item %d is %s", what, i, title)
			}
		}
	}
	check("published items")
	for _, n := range []uint64{1, 3, 40} { // of which all can be read here, or nobody has them
		f.archived = slices.Insert(f.archived, 46-int(n), view.Archived{Number: n})
	}
	check("published items, some of them here")
	f.archived = slices.DeleteFunc(f.archived, func(a view.Archived) bool { return len(a.Items) == 0 })
	for i := range f.archived {
		a := &f.archived[i]
		a.Number, a.SignedBy, a.Document, a.Place = 0, "",
			fmt.Sprintf("https://kernel.example/archive/%d?a=b&c", 4-i/15), i%15+1
	}
	check("documents of the origin")
}

// How a search ended is said in a sentence, and there is a way on where it may go on.
func TestTheEndOfOlderItemsIsSaid(t *testing.T) {
	for _, c := range []struct {
		items, missing int
		err            error
		want           string
		again          bool
	}{
		{0, 0, nil, "Nothing older was found: all is here already, or nobody keeps it any more.", false},
		{2, 0, nil, "That is all. Nothing older was found.", false},
		{2, 1, nil, "That is all. Nothing older was found. 1 item in between could not be found: nobody has it now.",
			false},
		{25, 3, nil, "3 items in between could not be found: nobody has them now.", false},
		{2, 0, fmt.Errorf("asking: %w", context.DeadlineExceeded), "Nobody has answered in time.", true},
		{0, 0, tidings.Invalidf("its feed names no archive."), "Its feed names no archive.", false},
		{1, 0, errors.New("reading https://x.example/: 500\u202e"),
			"The archive could not be read: reading https://x.example/: 500.", true},
	} {
		f := withArchive()
		f.archived, f.missing, f.silent = f.archived[:c.items], c.missing, c.err
		text := visit(t, f, false).get(olderPath(pushedFeed, view.ArchiveQuery{})).Body.String()
		if !strings.Contains(text, strings.TrimPrefix(c.want, "Its ")) ||
			strings.Contains(text, "Look again") != c.again {
			t.Errorf("%d items, %d missing, %v: the page lacks %q, or the way on is wrong\n%s", c.items, c.missing,
				c.err, c.want, text)
		}
		if got := len(olderTitle.FindAllString(text, -1)); got != min(c.items, olderLines) {
			t.Errorf("%d items, %v: %d are shown", c.items, c.err, got)
		}
	}
	v := visit(t, withArchive(), false)
	if w := v.get("/older?url=https://nobody.example/"); w.Code != 404 {
		t.Errorf("a channel that is not followed: %d", w.Code)
	}
	if text := v.get("/channel?url=https://museum.example/tickets").Body.String(); strings.Contains(text,
		"data-older") {
		t.Error("a page has older items")
	}
}

// hostile 21: what an archive has is shown as text, and as markup that was cleaned.
func TestHostile21Older(t *testing.T) {
	f := withArchive()
	i := &f.archived[0].Items[0]
	i.Title, i.Content, i.URL = hostileText, `<p onclick="x()">a<script>window.bad=1</script><img src=x onerror=y></p>`+
		strings.Repeat("long ", 100), "javascript:alert(1)"
	f.archived[1].Document, f.archived[1].SignedBy = "javascript:alert(1)", ""
	text := visit(t, f, false).get(olderPath(pushedFeed, view.ArchiveQuery{})).Body.String()
	sound(t, "older items", text)
	if strings.Contains(text, "<script>window") || strings.Contains(text, "<img") ||
		strings.Contains(text, "onclick") || strings.Contains(text, "javascript:") ||
		strings.ContainsAny(text, "\u202e\x1b") {
		t.Errorf("what is no text came through\n%s", text)
	}
}

// In a browser, older items appear below the present ones. Nothing moves. The cursor is at the first of the older
// items, and the keys of the river continue through them.
func TestOlderItemsComeInPlace(t *testing.T) {
	ctx := browser.Start(t)
	f := withArchive()
	base := serve(t, f, false, nil)
	focused := func() string {
		return eval[string](t, ctx, `document.activeElement.innerText`)
	}
	do(t, ctx, size(1280, "light"), open(base+shell.ChannelPath(pushedFeed)), focus(`[data-older]`))
	eval[bool](t, ctx,
		`window.sameDocument = true; document.querySelector("[data-older]").scrollIntoView({block: "center"}); true`)
	top := func() float64 {
		return eval[float64](t, ctx, `document.querySelector(".lines .line").getBoundingClientRect().top`)
	}
	before := top()
	do(t, ctx, chromedp.KeyEvent(kb.Enter), visible(`.line:nth-child(20) .open`))
	if got := focused(); got != "Kernel notes, part 45" {
		t.Errorf("the focus is at %q", got)
	}
	if got := top(); got != before {
		t.Errorf("what was seen moved from %v to %v", before, got)
	}
	if got := eval[string](t, ctx, `document.querySelector("#live").textContent`); got != "20 older items" {
		t.Errorf("a screen reader is told %q", got)
	}
	do(t, ctx, chromedp.KeyEvent("jj"))
	if got := focused(); got != "Kernel notes, part 43" {
		t.Errorf("after two steps the focus is at %q", got)
	}
	f.mu.Lock()
	f.silent = context.DeadlineExceeded
	f.mu.Unlock()
	for i, want := range []string{"Kernel notes, part 25", "Kernel notes, part 5", "Nobody has answered in time."} {
		do(t, ctx, click(`[data-older]`))
		within(t, func() bool { return focused() == want })
		if i == 1 && !strings.Contains(eval[string](t, ctx, `document.querySelector("[data-older]").textContent`),
			"Look again") {
			t.Error("there is no way to look again")
		}
	}
	if !eval[bool](t, ctx, `window.sameDocument === true`) {
		t.Error("the page was loaded again")
	}
}
