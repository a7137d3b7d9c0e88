package web

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"tidings"
	"tidings/delivery/web/shell"
	"tidings/lab/browser"
)

const otherID = "91aa0a4b9c2d7e8f5a3b1c0d9e8f7a6b5c4d3e2f"

// vouchedFor is a network in which entry 25 and update 5 were vouched for by others, and are withdrawn.
func vouchedFor() *fake {
	f := pushedAs(tidings.PushGood)()
	w := &tidings.Withdrawal{Time: time.Now().Add(-3 * time.Minute), Reason: "its origin does not show it",
		VouchedBy: []string{otherID, sampleID}}
	for i := range f.entries {
		if e := &f.entries[i]; e.ID == 25 {
			e.ConfirmedBy, e.Withdrawn = []string{otherID, hostileText}, w
		}
	}
	for i := range f.updates {
		if u := &f.updates[i]; u.ID == 5 {
			u.ConfirmedBy, u.Withdrawn = []string{otherID}, w
		}
	}
	return f
}

func nodeLink(id string) string {
	return `<a href="/node?id=` + id + `"><code title="` + id + `">` + id[:8] + `…</code></a>`
}

// The page names the nodes that found and confirmed an update, and says if one node alone found it.
func TestConfirmationsShow(t *testing.T) {
	f := vouchedFor()
	v := visit(t, f, false)
	alone := f.entries[slices.IndexFunc(f.entries, func(e tidings.Entry) bool {
		return e.ID != 25 && e.FoundBy != ""
	})].ID
	for path, want := range map[string]string{
		"/entry/25": "Found by the node " + nodeLink(sampleID) + ", confirmed by " +
			nodeLink(otherID) + ", ",
		"/update/5": "Found by the node " + nodeLink(sampleID) + ", confirmed by " +
			nodeLink(otherID) + "</span>",
		"/entry/26":                  "Published, signed with the key",
		fmt.Sprint("/entry/", alone): "Found by the node " + nodeLink(sampleID) + " alone</span>",
	} {
		if text := v.get(path).Body.String(); !strings.Contains(text, want) ||
			strings.Contains(text, "<b>"+hostileText) {
			t.Errorf("%s lacks %q", path, want)
		}
	}
}

// A withdrawn item stays, struck through, with the reason and the responsible node. No other item is struck through.
func TestWithdrawnShows(t *testing.T) {
	f := vouchedFor()
	v := visit(t, f, false)
	blamed := nodeLink(otherID) + ", " + nodeLink(sampleID) + "."
	channel := shell.ChannelPath(f.entries[24].Channel)
	for path, want := range map[string][]string{
		"/": {`withdrawn" id="e25"`, "Withdrawn: its origin does not show it. Shown by the word of " + blamed},
		"/entry/25": {`<article class="entry withdrawn"`, `<div class="reading withdrawn">`,
			"<b>Withdrawn:</b> its origin does not show it.", blamed},
		"/update/5": {`<article class="entry withdrawn">`, "<b>Withdrawn:</b> its origin does not show it.", blamed},
		channel:     {"Withdrawn: its origin does not show it."},
	} {
		text := v.get(path).Body.String()
		for _, part := range want {
			if !strings.Contains(strings.ReplaceAll(text, "Its origin", "its origin"), part) {
				t.Errorf("%s lacks %q", path, part)
			}
		}
	}
	for _, path := range []string{"/", "/entry/24", "/entry/26", "/update/4", "/update/6"} {
		if n := strings.Count(v.get(path).Body.String(), "ithdrawn:"); n > 0 && path != "/" || n > 1 {
			t.Errorf("%s says of %d that they are withdrawn", path, n)
		}
	}
}

// In a browser, withdrawn entries are struck through in the river and on their own page, with links to the nodes to
// blame.
func TestWithdrawnIsStruckThrough(t *testing.T) {
	ctx := browser.Start(t)
	f := vouchedFor()
	base := serve(t, f, false, nil)
	struck := func(css string) string {
		t.Helper()
		return eval[string](t, ctx, "getComputedStyle(document.querySelector('"+css+"')).textDecorationLine")
	}
	do(t, ctx, size(1280, "light"), open(base+"/"), visible("#e25"))
	if a, b := struck("#e25 .title a"), struck("#e24 .title a"); a != "line-through" || b == a {
		t.Errorf("what is withdrawn has the line %q, and what is not %q", a, b)
	}
	savePicture(t, ctx, "withdrawn-river")
	do(t, ctx, click("#e25 .reason a"), visible("main dl.facts"))
	if got := eval[string](t, ctx, "location.search"); got != "?id="+otherID {
		t.Errorf("the node to blame leads to %s", got)
	}
	do(t, ctx, open(base+"/entry/25"), visible(".withdrawn-why"))
	if got := struck("article h1"); got != "line-through" {
		t.Errorf("the heading has the line %q", got)
	}
	if got := struck(".withdrawn-why"); got != "none" {
		t.Errorf("why it is withdrawn has the line %q", got)
	}
	savePicture(t, ctx, "withdrawn-entry")
}
