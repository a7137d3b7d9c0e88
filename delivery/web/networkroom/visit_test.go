package networkroom

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"tidings"
	"tidings/delivery/auth"
	"tidings/delivery/web/shell"
	"tidings/delivery/web/shell/shelltest"
	"tidings/lab/browser"
)

// artefacts is where pictures and tools are kept, out of version control.
const artefacts = "../../../artefacts"

// Short names for a test's steps with pages and in the browser.
var (
	sound = shelltest.Sound
	words = shelltest.Words
	part  = shelltest.Part

	do      = browser.Do
	open    = browser.Open
	click   = browser.Click
	visible = browser.Visible
	gone    = browser.Gone
	typed   = browser.Type
	size    = browser.Size
)

func eval[T any](t *testing.T, ctx context.Context, expression string) T {
	t.Helper()
	return browser.Eval[T](t, ctx, expression)
}

func focus(css string) browser.Step { return chromedp.Focus(chromedp.CSS(css)) }

func savePicture(t *testing.T, ctx context.Context, name string) {
	t.Helper()
	browser.SavePicture(t, ctx, filepath.Join(artefacts, "web", name+".png"))
}

// handlerOf returns the room's pages, and the files that they need, as the owner of the node gets them.
func handlerOf(t *testing.T, f *fake) http.Handler {
	t.Helper()
	// what fails on purpose is logged
	log := slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelError + 1}))
	c := Config{Shell: shell.Shell{Store: f, Version: "0.1", Log: log}, Store: f, Node: f, Streams: shell.NewStreams()}
	if !f.alone {
		c.Network = f
	}
	around := shell.Room{Shell: c.Shell, Templates: pages}
	mux := http.NewServeMux()
	for route, h := range Handlers(c) {
		mux.Handle(route, around.Known(route, h))
	}
	mux.Handle("GET /assets/{file}", around.Anybody(shell.ServeAsset))
	return shell.WithHeaders(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mux.ServeHTTP(w, r.WithContext(auth.WithAccount(r.Context(), tidings.Owner)))
	}))
}

// visitor is a browser without script.
type visitor struct {
	t       *testing.T
	handler http.Handler
}

func visit(t *testing.T, f *fake) visitor {
	t.Helper()
	return visitor{t, handlerOf(t, f)}
}

func (v visitor) send(r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	v.handler.ServeHTTP(w, r)
	return w
}

func (v visitor) get(path string) *httptest.ResponseRecorder {
	return v.send(httptest.NewRequest("GET", path, nil))
}

// shows returns a page about the network.
func (v visitor) shows(show string) string {
	v.t.Helper()
	text := v.get(viewPath(show)).Body.String()
	sound(v.t, viewPath(show), text)
	return text
}

func (v visitor) post(path string, fields ...string) *httptest.ResponseRecorder {
	form := url.Values{}
	for i := 0; i < len(fields); i += 2 {
		form.Add(fields[i], fields[i+1])
	}
	r := httptest.NewRequest("POST", path, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return v.send(r)
}

// goesTo fails the test unless a form led on to target.
func (v visitor) goesTo(w *httptest.ResponseRecorder, target string) {
	v.t.Helper()
	if w.Code != http.StatusSeeOther || w.Header().Get("Location") != target {
		v.t.Errorf("got %d %q, want 303 %q\n%.300s", w.Code, w.Header().Get("Location"), target, w.Body)
	}
}

// serve puts the pages on a free port of this machine.
func serve(t *testing.T, f *fake, around func(http.Handler) http.Handler) string {
	t.Helper()
	pages := handlerOf(t, f)
	if around != nil {
		pages = around(pages)
	}
	ctx, cancel := context.WithCancel(context.Background())
	server := httptest.NewUnstartedServer(pages)
	server.Config.BaseContext = func(net.Listener) context.Context { return ctx } // ends the streams
	server.Start()
	t.Cleanup(func() { cancel(); server.Close() })
	return server.URL
}
