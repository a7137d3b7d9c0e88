package web

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"tidings/delivery/auth"
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
	page, err := New(Config{Store: f, Node: f, Guard: guard, Version: "0.1", Log: log})
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

// browser starts chromium, or skips the test where there is none.
func browser(t *testing.T) context.Context {
	t.Helper()
	if testing.Short() {
		t.Skip("a browser takes its time: not with -short")
	}
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if p, err := exec.LookPath(name); err == nil {
			path = p
			break
		}
	}
	if path == "" {
		t.Skip("no chromium is installed: the page is not tested in a browser")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.UserDataDir(t.TempDir()),
		chromedp.NoSandbox, chromedp.DisableGPU, chromedp.WindowSize(1280, 900),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1")) // nothing leaves this machine
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, _ := chromedp.NewContext(allocator)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
		defer cancel()
		if err := chromedp.Cancel(ctx); err != nil {
			t.Log("browser did not stop well:", err)
		}
		stop()
	})
	do(t, ctx)
	return ctx
}

type step = chromedp.Action[chromedp.Void]

// do runs steps in the browser, each within a bounded time.
func do(t *testing.T, ctx context.Context, steps ...step) {
	t.Helper()
	if len(steps) == 0 { // starts the browser, which lives as long as the context of this call
		if err := chromedp.Do(ctx); err != nil {
			t.Fatal(err)
		}
	}
	for i, s := range steps {
		limited, cancel := context.WithTimeout(ctx, 20*time.Second)
		err := chromedp.Do(limited, s)
		cancel()
		if err != nil {
			t.Fatalf("step %d: %v", i+1, err)
		}
	}
}

// eval returns the value of a JavaScript expression in the page.
func eval[T any](t *testing.T, ctx context.Context, expression string) T {
	t.Helper()
	limited, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	v, err := chromedp.Run(limited, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatalf("%.80s: %v", expression, err)
	}
	return v
}

func open(url string) step {
	return chromedp.Steps(chromedp.Navigate(url), chromedp.WaitReady(chromedp.CSS("main")))
}

func click(css string) step   { return chromedp.Click(chromedp.CSS(css)) }
func visible(css string) step { return chromedp.WaitVisible(chromedp.CSS(css)) }
func gone(css string) step    { return chromedp.WaitNotPresent(chromedp.CSS(css)) }

func typed(css, text string) step {
	return chromedp.SendKeys(chromedp.CSS(css), text)
}

// size sets the window's size and the system's theme.
func size(width int64, theme string) step {
	return chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error {
		_, err := cdp.Call(ctx, tab, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
			Width: width, Height: 900, DeviceScaleFactor: 1, Mobile: width < 600})
		if err != nil {
			return err
		}
		_, err = cdp.Call(ctx, tab, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
			{Name: "prefers-color-scheme", Value: theme}, {Name: "prefers-reduced-motion", Value: "reduce"}}})
		return err
	})
}

func savePicture(t *testing.T, ctx context.Context, name string) {
	t.Helper()
	limited, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	eval[bool](t, ctx, `scrollTo(0, 0), true`)
	png, err := chromedp.Run(limited, chromedp.FullScreenshot(100))
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(artefacts, "web")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), png, 0o644); err != nil {
		t.Fatal(err)
	}
}

// within waits, for a bounded time, until the server side of something is done.
func within(t *testing.T, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !done(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("it did not happen in 10 s")
		}
	}
}
