package web

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	"tidings/delivery/auth"
	"tidings/delivery/passkeys"
	"tidings/lab/browser"
)

// artefacts is where pictures and tools are kept, out of version control.
const artefacts = "../../artefacts"

// serve puts the page and its guard on a free port of this machine.
func serve(t *testing.T, f *fake, requirePassword bool, around func(http.Handler) http.Handler) string {
	t.Helper()
	log := slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	guard, err := auth.New(auth.Config{Store: f, RequirePassword: requirePassword, Open: OpenPaths(), Log: log})
	if err != nil {
		t.Fatal(err)
	}
	page, err := New(Config{Store: f, Node: f, Network: emptyRing{}, Archive: f, People: f, Provider: f.provider,
		Guard: guard, Passkeys: passkeys.New(f, guard, log), Notifications: f.notifications, Pictures: f.pictures,
		Players: f.players, Marks: f, Version: "0.1", Log: log})
	if err != nil {
		t.Fatal(err)
	}
	if around != nil {
		page = around(page)
	}
	ctx, cancel := context.WithCancel(context.Background())
	server := httptest.NewUnstartedServer(guard.Handler(page))
	server.Config.BaseContext = func(net.Listener) context.Context { return ctx } // ends the streams
	server.Start()
	t.Cleanup(func() { cancel(); server.Close() })
	return server.URL
}

// Short names for a test's steps in the browser.
var (
	do      = browser.Do
	open    = browser.Open
	click   = browser.Click
	visible = browser.Visible
	gone    = browser.Gone
	typed   = browser.Type
	size    = browser.Size

	stopClock = browser.StopClock
	judge     = browser.Judge
)

func eval[T any](t *testing.T, ctx context.Context, expression string) T {
	t.Helper()
	return browser.Eval[T](t, ctx, expression)
}

func savePicture(t *testing.T, ctx context.Context, name string) {
	t.Helper()
	browser.SavePicture(t, ctx, filepath.Join(artefacts, "web", name+".png"))
}

// patience bounds how long a test waits for an expected event. It is so long that, on any machine, only an event that
// never comes exceeds it.
const patience = 10 * time.Minute

// within waits until the server side of something is done.
func within(t *testing.T, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !done(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("it never happened")
		}
	}
}
