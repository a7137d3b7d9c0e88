package networkroom

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"tidings/lab/browser"
)

// The view of the network follows the network, and disturbs nobody: what is typed, what
// has the focus, what is unfolded and where the page stands stay as they are.
func TestNetworkLives(t *testing.T) {
	ctx := browser.Start(t)
	f := inNetwork(1)()
	base := serve(t, f, nil)
	do(t, ctx, size(1280, "light"), open(base+"/network"), visible(`#alone`))
	eval[bool](t, ctx, `window.sameDocument = true`)

	// Others come while somebody types.
	do(t, ctx, typed(`main input[name=address]`, "/ip4/192.0.2.7/udp"))
	n, peers := sampleNetwork(60)
	f.meet(n, peers)
	do(t, ctx, gone(`#alone`), visible(`.meanings`))
	if got := eval[string](t, ctx,
		`document.activeElement.name + " " + document.activeElement.value`); got != "address /ip4/192.0.2.7/udp" {
		t.Errorf("what is typed became %q", got)
	}
	if text := eval[string](t, ctx, `document.querySelector(".meanings").innerText`); !strings.Contains(text,
		"In a ring of about 60 nodes") || !eval[bool](t, ctx, `window.sameDocument === true`) {
		t.Errorf("the facts say %q", text)
	}

	// A warning comes, and goes.
	n.DuplicateKey, n.DuplicateKeyMet = true, time.Now()
	f.network.Joins = nil
	f.meet(n, peers)
	do(t, ctx, visible(`.problem[role=alert]`))
	n.DuplicateKey = false
	f.meet(n, peers)
	do(t, ctx, gone(`.problem[role=alert]`))

	do(t, ctx, open(base+"/network?show=ring"), visible(`.ring .label`))
	eval[bool](t, ctx, `window.sameDocument = true, scrollTo(0, 100), true`)
	n.Nodes = 77
	f.network.Joins = nil
	f.meet(n, peers)
	do(t, ctx, visible(`.ring[data-nodes="77"]`))
	if got := eval[float64](t, ctx, `scrollY`); got != 100 {
		t.Errorf("the page stands at %v", got)
	}

	// One of them goes, and another's round trip changes, while somebody looks at a third.
	first, last := n.Neighbours[0], n.Neighbours[len(n.Neighbours)-1]
	do(t, ctx, click(`#known-list summary`), chromedp.WaitVisible(chromedp.CSS(`#known-list table`)),
		focus(`#dot-`+last.ID),
		chromedp.KeyEvent(kb.ArrowLeft), chromedp.KeyEvent(kb.ArrowRight))
	eval[bool](t, ctx, `window.dot = document.activeElement, window.row = document.getElementById("node-`+last.ID+
		`"), true`)
	n.Neighbours = slices.Clone(n.Neighbours[1:])
	n.Neighbours[0].RTT = 1234
	f.network.Joins = nil
	f.meet(n, append(slices.Clone(n.Neighbours), peers[16:]...))
	do(t, ctx, gone(`#dot-`+first.ID), gone(`#node-`+first.ID))
	for what, js := range map[string]string{
		"focus":             `document.activeElement === window.dot && window.dot.isConnected`,
		"the focus's words": `getComputedStyle(window.dot.nextElementSibling).display !== "none"`,
		"the row":           `window.row.isConnected && window.row.cells[0].textContent === "+8"`,
		"the unfolded list": `document.getElementById("known-list").open`,
		"the new figure":    `document.querySelector("#node-` + n.Neighbours[0].ID + ` .rtt").textContent === "1.2 s"`,
		"the document":      `window.sameDocument === true`,
	} {
		if !eval[bool](t, ctx, js) {
			t.Errorf("%s is not as it should be", what)
		}
	}

	// Keys go from node to node, around the ring.
	do(t, ctx, chromedp.KeyEvent(kb.ArrowLeft))
	if got, want := eval[string](t, ctx, `document.activeElement.id`),
		"dot-"+n.Neighbours[len(n.Neighbours)-2].ID; got != want {
		t.Errorf("the key led to %s, want %s", got, want)
	}

	// The form works, and its join shows.
	do(t, ctx, open(base+"/network?show=node"), typed(`main input[name=address]`, sampleJoin+kb.Enter),
		visible(`.joins .health`), click(`.joins button`), gone(`.joins li`))
	if len(f.network.Joins) != 0 {
		t.Errorf("joins %+v", f.network.Joins)
	}
}

// A page that is not live any more says so.
func TestNetworkStale(t *testing.T) {
	ctx := browser.Start(t)
	base := serve(t, inNetwork(6)(), func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/network/events" {
				http.Error(w, "gone", http.StatusServiceUnavailable)
				return
			}
			next.ServeHTTP(w, r)
		})
	})
	do(t, ctx, open(base+"/network"), visible(`#stale`))
}

// hostile 21: what other nodes say about themselves is text, in the page and in what is
// put into it later.
func TestHostileNetworkInBrowser(t *testing.T) {
	ctx := browser.Start(t)
	f := inNetwork(1)()
	base := serve(t, f, nil)
	do(t, ctx, open(base+"/network?show=node"), visible(`#node`))
	worse := inTrouble()
	f.meet(worse.network, worse.peers)
	do(t, ctx, visible(`.joins .reason`))
	for _, again := range []bool{false, true} {
		if again {
			do(t, ctx, open(base+"/network?show=ring"))
		}
		if got := eval[string](t, ctx,
			`new Promise((r) => setTimeout(() => r(String(window.pwned || "")), 250))`); got != "" {
			t.Errorf("something ran: %s", got)
		}
		if n := eval[int](t, ctx, `document.querySelectorAll("main img, main script").length`); n != 0 {
			t.Errorf("%d elements came from outside", n)
		}
	}
}

// Copying copies what is shown, if the browser lets pages copy.
func TestCopyAddress(t *testing.T) {
	ctx := browser.Start(t)
	f := inNetwork(6)()
	do(t, ctx, open(serve(t, f, nil)+"/network?show=node"))
	eval[bool](t, ctx,
		`navigator.clipboard.writeText = (text) => { window.copied = text; return Promise.resolve(); }, true`)
	do(t, ctx, click(`dl > div:first-child .copies .copy`), visible(`.copy.done`))
	if got := eval[string](t, ctx, `window.copied`); got != f.network.ID {
		t.Errorf("copied %q", got)
	}
}

// The labels beside the ring stay within the window, however wide it is.
func TestRingFits(t *testing.T) {
	ctx := browser.Start(t)
	base := serve(t, inNetwork(100_000)(), nil)
	do(t, ctx, open(base+"/network?show=ring"))
	for _, width := range []int64{320, 600, 673, 700, 896, 897, 960, 1100, 1600} {
		do(t, ctx, size(width, "light"))
		if over := eval[int](t, ctx, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
			t.Errorf("at %d px the page is %d px too wide", width, over)
		}
		left := `Math.min(...[...document.querySelectorAll(".ring .label")].map((l) => l.getBoundingClientRect().left).filter((x) => x !== 0))`
		edge := `(document.querySelector(".side").getBoundingClientRect().height > innerHeight / 2 ? document.querySelector(".side").getBoundingClientRect().right : 0)`
		if !eval[bool](t, ctx, left+` >= `+edge) {
			t.Errorf("at %d px labels stick out on the left", width)
		}
	}
}
