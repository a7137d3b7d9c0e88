package web

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/serviceworker"
	"github.com/chromedp/chromedp"

	"tidings"
	"tidings/lab/browser"
)

// cable is between a browser and the node. Where it is cut, the browser gets no answer.
type cable struct{ cut, broken atomic.Bool }

func (c *cable) around(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c.cut.Load() {
			panic(http.ErrAbortHandler)
		}
		if c.broken.Load() && r.URL.Path == "/" {
			http.Error(w, "the node is broken", http.StatusInternalServerError)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// becomes waits until an expression in the page is what it is to be.
func becomes(t *testing.T, ctx context.Context, expression, want string) {
	t.Helper()
	var got string
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		if got = eval[string](t, ctx, expression); strings.Contains(got, want) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s is %q, want %q", expression, got, want)
		}
	}
}

// keepArticles has the page's browser keep what it is to keep.
func keepArticles(t *testing.T, ctx context.Context, base string) {
	t.Helper()
	// For half a minute after the node was not reached, an answer that takes more than three seconds counts as none.
	for once := true; once || eval[bool](t, ctx, `document.querySelector("[data-offline]") === null`); once = false {
		do(t, ctx, open(base+"/settings"))
	}
	becomes(t, ctx, `document.querySelector("[data-offline] [role=status]").textContent`, "here")
}

const mainText = `document.querySelector("main")?.innerText ?? ""`

// A person reads, stars and marks without a network, in a real browser on a phone. Once the node answers again, it
// learns all of it, in order, even if the worker was stopped meanwhile. Answers of the node are shown, whatever they
// say.
func TestReadingWithoutANetwork(t *testing.T) {
	ctx := browser.Start(t)
	f := sample()
	var c cable
	base := serve(t, f, false, c.around)
	do(t, ctx, size(390, "light"))
	keepArticles(t, ctx, base)
	unread := 0
	for _, e := range f.entries {
		if !e.Read {
			unread++
		}
	}

	// An error of the node is shown.
	c.broken.Store(true)
	do(t, ctx, chromedp.Navigate(base+"/"))
	becomes(t, ctx, `document.body.innerText`, "the node is broken")
	c.broken.Store(false)

	// A page that is open already: its marks wait.
	do(t, ctx, open(base+"/?show=unread"), visible(".line .act.star"))
	starred := eval[int](t, ctx, `(() => { const line = document.querySelector('.line:not(.folded):has(.act.star[aria-pressed="false"])'); return Number(line.dataset.id); })()`)
	c.cut.Store(true)
	do(t, ctx, click(fmt.Sprintf("#e%d .act.star", starred)))
	becomes(t, ctx, `document.querySelector(".offline-bar")?.textContent ?? ""`, "1 mark waits")
	if len(f.applied) != 0 {
		t.Errorf("the node has applied %+v", f.applied)
	}

	// The river is the list of what is here.
	do(t, ctx, open(base+"/"))
	if text := eval[string](t, ctx, mainText); !strings.Contains(text,
		fmt.Sprintf("No network: %d articles are here", unread)) || !strings.Contains(text, "1 mark waits.") {
		t.Errorf("without a network:\n%s", text)
	}
	if n := eval[int](t, ctx, `document.querySelectorAll(".line").length`); n != unread {
		t.Errorf("%d articles are listed, want %d", n, unread)
	}
	if !eval[bool](t, ctx,
		fmt.Sprintf(`document.querySelector("#e%d .act.star").getAttribute("aria-pressed") === "true"`, starred)) {
		t.Error("the star that waits is not shown")
	}
	for _, theme := range []string{"light", "dark"} {
		do(t, ctx, size(390, theme))
		savePicture(t, ctx, "offline-390-"+theme)
	}
	checkWidth(t, ctx)

	// An article opens, from there goes the next one, and both are read.
	first := eval[int](t, ctx, `Number(document.querySelectorAll(".line")[0].dataset.id)`)
	second := eval[int](t, ctx, `Number(document.querySelectorAll(".line")[1].dataset.id)`)
	do(t, ctx, click(".line .open"), visible(`article.entry .way a[rel=next]`))
	if got := eval[string](t, ctx, "location.pathname"); got != fmt.Sprintf("/entry/%d", first) {
		t.Errorf("the first article is at %s", got)
	}
	savePicture(t, ctx, "offline-article-390")
	do(t, ctx, click(`.way a[rel=next]`), visible(fmt.Sprintf(`article#e%d`, second)))
	do(t, ctx, click(`.act.seen`)) // and unread again
	becomes(t, ctx, `document.querySelector(".offline-bar")?.textContent ?? ""`, "4 marks wait")

	// What is not here says so.
	do(t, ctx, open(base+"/network"))
	if text := eval[string](t, ctx, mainText); !strings.Contains(text, "is not kept on this device") ||
		!strings.Contains(text, "4 marks wait") {
		t.Errorf("a page that is not here:\n%s", text)
	}

	// The worker ends, as when the browser does. What waits is sent by the next page that the node answers.
	do(t, ctx, chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error {
		if _, err := cdp.Call(ctx, tab, serviceworker.Enable, cdp.Empty{}); err != nil {
			return err
		}
		_, err := cdp.Call(ctx, tab, serviceworker.StopAllWorkers, cdp.Empty{})
		return err
	}))
	if len(f.applied) != 0 {
		t.Errorf("the node has applied %+v", f.applied)
	}
	c.cut.Store(false)
	do(t, ctx, open(base+"/channels"))
	applied := func() []tidings.Mark { defer f.lock()(); return append([]tidings.Mark(nil), f.applied...) }
	within(t, func() bool { return len(applied()) >= 4 })
	keepArticles(t, ctx, base) // which sends first
	// A request that was under way when the worker was stopped can reach the node late, and its marks are sent again.
	var got []string
	want := []string{fmt.Sprint("star ", starred), fmt.Sprint("read ", first), fmt.Sprint("read ", second),
		fmt.Sprint("unread ", second)}
	at := 0
	for _, m := range applied() {
		mark := fmt.Sprint(m.Do, " ", m.Entry)
		if got = append(got, mark); mark == want[0] {
			at = 0
		}
		if at == len(want) || mark != want[at] {
			t.Fatalf("the node has applied %q, want %q", got, want)
		}
		at++
	}
	if at != len(want) {
		t.Errorf("the node has applied %q, want %q", got, want)
	}
}

// checkWidth checks that nothing is wider than the screen.
func checkWidth(t *testing.T, ctx context.Context) {
	t.Helper()
	if wide := eval[int](t, ctx, `document.documentElement.scrollWidth - innerWidth`); wide > 0 {
		t.Errorf("the page is %d pixels wider than the screen", wide)
	}
}

// stored says how much a browser keeps.
const stored = `(async () => {
	const request = indexedDB.open("tidings-offline");
	const db = await new Promise((done) => { request.onsuccess = () => done(request.result); });
	if (db.objectStoreNames.length === 0) return "nothing";
	const counts = [];
	for (const name of ["articles", "kept", "marks"]) {
		const count = db.transaction(name).objectStore(name).count();
		counts.push(name + " " + await new Promise((done) => { count.onsuccess = () => done(count.result); }));
	}
	db.close();
	return counts.join(", ");
})()`

// What is kept is removed at sign-out, and when another person is signed in; marks that wait are never another
// person's.
func TestWhatIsKeptIsOnePersons(t *testing.T) {
	ctx := browser.Start(t)
	f := newFakeWithPassword(t)
	var c cable
	base := serve(t, f, true, c.around)
	signIn := func() {
		do(t, ctx, open(base+"/login?next=/settings"), typed(`[name=password]`, testPassword), click(`main button`),
			visible(`[data-offline]`))
		becomes(t, ctx, `document.querySelector("[data-offline] [role=status]").textContent`, "here")
	}
	signIn()
	if got := eval[string](t, ctx, stored); strings.Contains(got, "articles 0") {
		t.Fatalf("kept: %s", got)
	}
	do(t, ctx, click(`form[action="/logout"] button`), visible(`[name=password]`))
	becomes(t, ctx, stored, "articles 0, kept 0, marks 0")

	// A mark waits, and the browser is another person's when the node answers again.
	signIn()
	do(t, ctx, open(base+"/"), visible(".line:not(.folded) .act.star"))
	c.cut.Store(true)
	do(t, ctx, click(`.line:not(.folded) .act.star`))
	becomes(t, ctx, stored, "marks 1")
	f.mu.Lock()
	for hash := range f.signedIn {
		f.signedIn[hash] = 2
	}
	f.people = append(f.people, tidings.Person{ID: 2, Name: "ann", Role: tidings.Administrator, Created: time.Now()})
	f.mu.Unlock()
	c.cut.Store(false)
	do(t, ctx, open(base+"/channels"))
	becomes(t, ctx, stored, "marks 0")
	defer f.lock()()
	if len(f.applied) != 0 {
		t.Errorf("another person's marks: %+v", f.applied)
	}
}

// Somebody signs out while articles for them are on their way. None is kept after that.
func TestWhatComesAfterSignOutIsNotKept(t *testing.T) {
	ctx := browser.Start(t)
	f := newFakeWithPassword(t)
	asked, release := make(chan struct{}, 10), make(chan struct{})
	let := sync.OnceFunc(func() { close(release) })
	defer let()
	base := serve(t, f, true, func(page http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/offline/shell" { // the last that is asked for
				asked <- struct{}{}
				<-release
			}
			page.ServeHTTP(w, r)
		})
	})
	do(t, ctx, open(base+"/login?next=/settings"), typed(`[name=password]`, testPassword), click(`main button`),
		visible(`[data-offline]`))
	<-asked
	do(t, ctx, click(`form[action="/logout"] button`), visible(`[name=password]`))
	// The first message waits for the end of what is under way. The worker has received it when it answers the second.
	const messages = `navigator.serviceWorker.getRegistration("/").then(({ active }) => {
		const send = (message) => new Promise((done) => {
			const channel = new MessageChannel();
			channel.port1.onmessage = () => done(true);
			active.postMessage(message, [channel.port2]);
		});
		window.ended = send({ do: "renew", now: true });
		return send({});
	})`
	eval[bool](t, ctx, messages)
	let()
	eval[bool](t, ctx, `window.ended`)
	if got := eval[string](t, ctx, stored); got != "articles 0, kept 0, marks 0" {
		t.Errorf("after sign-out is kept: %s", got)
	}
}

// Where a browser has no workers, as at an address without TLS, the page says why. Elsewhere a person can have nothing
// kept.
func TestKeepingNothing(t *testing.T) {
	plain := visit(t, sample(), false)
	if text := plain.get("/settings").Body.String(); strings.Contains(text, "at addresses that begin with") {
		t.Error("the node's own computer is said to need https")
	}
	ctx := browser.Start(t)
	var c cable
	base := serve(t, sample(), false, c.around)
	keepArticles(t, ctx, base)
	// What the worker says while it still keeps something does not say that it keeps nothing.
	eval[bool](t, ctx, `(() => {
		const workers = navigator.serviceWorker, real = workers.getRegistration.bind(workers);
		workers.getRegistration = (...all) => new Promise((found) => { window.goOn = () => { found(real(...all)); return true; }; });
		return true;
	})()`)
	do(t, ctx, click("[data-offline] button"))
	const says = `document.querySelector("[data-offline] [role=status]").textContent`
	if got := eval[string](t, ctx,
		`navigator.serviceWorker.dispatchEvent(new MessageEvent("message", { data: { articles: 3 } })), `+
			says); strings.Contains(got, "keeps nothing") {
		t.Errorf("before anything is removed it says %q", got)
	}
	eval[bool](t, ctx, `goOn()`)
	becomes(t, ctx, says, "keeps nothing")
	c.cut.Store(true)
	if err := chromedp.Do(ctx, chromedp.Navigate(base+"/")); err == nil || !strings.Contains(err.Error(), "ERR_") {
		t.Errorf("a page comes from nowhere: %v", err)
	}
}

// What the worker puts together is as accessible as the node's own pages.
func TestPagesWithoutANetworkAreAccessible(t *testing.T) {
	ctx := browser.Start(t)
	axe := browser.Axe(t, artefacts)
	if axe == "" {
		t.Skip("axe-core is missing")
	}
	var c cable
	base := serve(t, sample(), false, c.around)
	do(t, ctx, chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error {
		_, err := cdp.Call(ctx, tab, page.SetBypassCSP, page.SetBypassCSPParams{Enabled: true}) // for axe alone
		return err
	}))
	do(t, ctx, size(390, "dark"))
	keepArticles(t, ctx, base)
	c.cut.Store(true)
	for _, path := range []string{"/", "/search", "/entry/25"} {
		do(t, ctx, open(base+path), visible("#kept"))
		judge(t, ctx, axe)
	}
}
