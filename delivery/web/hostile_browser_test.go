package web

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"tidings"
	"tidings/lab/browser"
)

// hostileMarkup is what an item may contain to run something here, or to notify another host (%s) that it is read.
const hostileMarkup = `
<script>window.pwned = "script"; alert(1)</script><script src="%[1]s/script.js"></script>
<img src="%[1]s/pixel.gif" onerror="window.pwned='onerror'; alert(2)"><img srcset="%[1]s/set.png 2x" src=x onerror=alert(3)>
<picture><source srcset="%[1]s/source.png"><img alt=""></picture>
<a href="javascript:alert(4)" id=jslink>press</a><a href="data:text/html,<script>alert(5)</script>">data</a>
<svg onload="window.pwned='svg'"><script>alert(6)</script><image href="%[1]s/svg.png"/><use href="%[1]s/use.svg#x"/></svg>
<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=window.pwned='mxss'&gt;"></table></mtext></math>
<svg></p><style><a id="</style><img src=1 onerror=window.pwned='mxss2'>">
<noscript><p title="</noscript><img src=x onerror=window.pwned='noscript'>"></noscript>
<style>@import "%[1]s/import.css"; body { background: url(%[1]s/body.png) }</style><link rel=stylesheet href="%[1]s/style.css">
<div style="background: url(%[1]s/div.png); width: expression(alert(7))">styled</div>
<link rel=preload as=image href="%[1]s/preload.png"><link rel=prefetch href="%[1]s/prefetch"><link rel=icon href="%[1]s/icon.png">
<iframe src="%[1]s/frame"></iframe><iframe srcdoc="<script>parent.pwned='srcdoc'</script>"></iframe>
<object data="%[1]s/object"></object><embed src="%[1]s/embed"><video src="%[1]s/video" poster="%[1]s/poster" autoplay></video><audio src="%[1]s/audio" autoplay></audio>
<form action="%[1]s/form"><input name=password autofocus onfocus="window.pwned='focus'"><button>Sign in</button></form>
<details open ontoggle="window.pwned='toggle'"><summary>x</summary></details><marquee onstart="window.pwned='marquee'">x</marquee>
<base href="%[1]s/"><body onload="window.pwned='body'" background="%[1]s/background.png"><input type=image src="%[1]s/input.png">
<table background="%[1]s/table.png"><td background="%[1]s/td.png"></table>`

// A policy cannot forbid a refresh, so cleaning must remove it.
const hostileRefresh = `<meta http-equiv="refresh" content="0; url=%[1]s/refresh">`

// hostile 21: nothing of a hostile item runs, and no other host receives a request. This holds if the store has it raw
// and the page cleans it, and also if only the policy protects. The third case has neither, and shows that the test
// would notice.
func TestHostileContentInBrowser(t *testing.T) {
	other := &witness{}
	elsewhere := httptest.NewServer(other)
	defer elsewhere.Close()
	markup := fmt.Sprintf(hostileMarkup, elsewhere.URL)
	refresh := fmt.Sprintf(hostileRefresh, elsewhere.URL)

	for _, c := range []struct {
		name    string
		content string
		around  func(http.Handler) http.Handler
		harmful bool
	}{
		{"cleaned", markup + refresh, nil, false},
		{"policy alone", "<p>HOSTILE-PLACE</p>", rewrite(markup, false), false},
		{"neither", "<p>HOSTILE-PLACE</p>", rewrite(markup, true), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx := browser.Start(t)
			dialogs := &witness{}
			listen(t, ctx, dialogs)
			f := newFake()
			f.follow(tidings.Subscription{Channel: tidings.Channel{URL: "https://evil.example/feed", Title: "Evil " +
				markup, Kind: tidings.KindFeed, Privacy: tidings.Public}})
			f.arrive("https://evil.example/feed", 2,
				tidings.Entry{Content: tidings.Item{Title: "Title <script>window.pwned='title'</script>" + markup,
					URL: "javascript:window.pwned='url'", Content: c.content, Author: markup}})
			base := serve(t, f, false, c.around)
			other.reset()
			for _, path := range []string{"/entry/1", "/", "/channels", "/channel?url=https://evil.example/feed",
				"/update/1"} {
				if c.harmful && path != "/entry/1" {
					continue
				}
				limit := patience
				if c.harmful {
					limit = time.Minute // what runs there keeps the page from being loaded
				}
				limited, cancel := context.WithTimeout(ctx, limit)
				err := chromedp.Do(limited, chromedp.Navigate(base+path))
				cancel()
				if err != nil && !c.harmful {
					t.Fatal(err)
				}
				if path == "/" {
					do(t, ctx, click(`.line .open`), visible(`.line .reading`))
				}
				if path == "/entry/1" && c.name == "policy alone" {
					eval[bool](t, ctx, `document.getElementById("jslink").click(), true`)
				}
				// Time for what is asynchronous to do its worst.
				pwned := eval[string](t, ctx,
					`new Promise((r) => setTimeout(() => r(String(window.pwned || "")), 250))`)
				if !c.harmful && pwned != "" {
					t.Errorf("%s: something ran: %s", path, pwned)
				}
				if c.harmful { // else this test proves nothing
					within(t, func() bool {
						return eval[bool](t, ctx, `"pwned" in window`) && len(other.seen()) > 0 &&
							len(dialogs.seen()) > 0
					})
				}
			}
			if got := other.seen(); (len(got) > 0) != c.harmful {
				t.Errorf("the other host was asked for %q", got)
			}
			if got := dialogs.seen(); (len(got) > 0) != c.harmful {
				t.Errorf("dialogs: %q", got)
			}
		})
	}
}

// witness remembers what happened.
type witness struct {
	mu   sync.Mutex
	what []string
}

func (w *witness) add(s string) { w.mu.Lock(); defer w.mu.Unlock(); w.what = append(w.what, s) }
func (w *witness) reset()       { w.mu.Lock(); defer w.mu.Unlock(); w.what = nil }
func (w *witness) seen() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]string(nil), w.what...)
}

func (w *witness) ServeHTTP(_ http.ResponseWriter, r *http.Request) { w.add(r.URL.Path) }

// listen remembers dialogs and closes them.
func listen(t *testing.T, ctx context.Context, w *witness) {
	t.Helper()
	opened := make(chan struct{}, 100)
	if err := chromedp.Listen(ctx, func(event any) {
		if e, ok := event.(*page.EventJavascriptDialogOpening); ok {
			w.add(e.Message)
			opened <- struct{}{}
		}
	}); err != nil {
		t.Fatal(err)
	}
	go func() {
		for {
			select {
			case <-opened:
				_ = chromedp.Do(ctx, chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error {
					_, err := cdp.Call(ctx, tab, page.HandleJavaScriptDialog,
						page.HandleJavaScriptDialogParams{Accept: true})
					return err
				}))
			case <-ctx.Done():
				return
			}
		}
	}()
}

// rewrite puts raw markup into pages where they say HOSTILE-PLACE, past all cleaning.
func rewrite(markup string, withoutPolicy bool) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/events" {
				next.ServeHTTP(w, r)
				return
			}
			rec := httptest.NewRecorder()
			next.ServeHTTP(rec, r)
			for k, v := range rec.Header() {
				w.Header()[k] = v
			}
			if withoutPolicy {
				w.Header().Del("Content-Security-Policy")
			}
			w.WriteHeader(rec.Code)
			fmt.Fprint(w, strings.ReplaceAll(rec.Body.String(), "HOSTILE-PLACE", markup))
		})
	}
}
