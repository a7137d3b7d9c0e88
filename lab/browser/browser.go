// Package browser lets tests drive Debian's chromium, as a person would use a page.
//
// Nothing that a page asks for leaves this machine: only 127.0.0.1 resolves, and localhost, which is another site.
package browser

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// Step is something that is done in the browser.
type Step = chromedp.Action[chromedp.Void]

const (
	// Only what never comes exceeds this, on any machine.
	startTimeout = 10 * time.Minute
	stepTimeout  = 10 * time.Minute
	evalTimeout  = 10 * time.Minute
	stopTimeout  = 10 * time.Second
)

// Start starts a browser that lives as long as the test. It skips the test where there is no chromium, and with -short.
func Start(t *testing.T) context.Context {
	t.Helper()
	if testing.Short() {
		t.Skip("a browser is slow: not with -short")
	}
	program, err := program()
	if err != nil {
		t.Skip(err)
	}
	ctx, stop, err := launch(context.Background(), program, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := stop(); err != nil {
			t.Log("browser did not stop well:", err)
		}
	})
	return ctx
}

// Launch starts a browser outside of tests, with an empty profile in folder. It lives until stop is called.
func Launch(ctx context.Context, folder string) (browser context.Context, stop func() error, err error) {
	program, err := program()
	if err != nil {
		return nil, nil, err
	}
	return launch(ctx, program, folder)
}

func launch(ctx context.Context, program, folder string) (browser context.Context, stop func() error, err error) {
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.UserDataDir(folder),
		chromedp.NoSandbox, chromedp.DisableGPU, chromedp.WSURLReadTimeout(startTimeout),
		chromedp.WindowSize(1280, 900),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost"))
	allocator, end := chromedp.NewExecAllocator(ctx, options...)
	browser, _ = chromedp.NewContext(allocator)
	stop = func() error {
		defer end()
		limited, cancel := context.WithTimeout(browser, stopTimeout)
		defer cancel()
		return chromedp.Cancel(limited)
	}
	if err := chromedp.Do(browser); err != nil { // it lives as long as the context of this call
		return nil, nil, errors.Join(fmt.Errorf("starting chromium: %w", err), stop())
	}
	return browser, stop, nil
}

// ErrNone says that no browser is installed.
var ErrNone = errors.New("no chromium is installed: nothing is tried in a browser")

// program returns the file of the browser.
func program() (string, error) {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", ErrNone
}

// Do runs steps, each within a bounded time.
func Do(t *testing.T, ctx context.Context, steps ...Step) {
	t.Helper()
	for i, s := range steps {
		limited, cancel := context.WithTimeout(ctx, stepTimeout)
		err := chromedp.Do(limited, s)
		cancel()
		if err != nil {
			t.Fatalf("step %d: %v", i+1, err)
		}
	}
}

// Value returns the value of a JavaScript expression in the page, or what it promises: in the next one, if the browser
// goes there meanwhile.
func Value[T any](ctx context.Context, expression string) (v T, err error) {
	return eval[T](ctx, expression)
}

// Eval returns the value of a JavaScript expression in the page: in the next one, if
// the browser goes there meanwhile.
func Eval[T any](t *testing.T, ctx context.Context, expression string) T {
	t.Helper()
	limited, cancel := context.WithTimeout(ctx, evalTimeout)
	defer cancel()
	v, err := eval[T](limited, expression)
	if err != nil {
		t.Fatalf("%.80s: %v", expression, err)
	}
	return v
}

func eval[T any](ctx context.Context, expression string) (v T, err error) {
	err = inSomePage(func() (err error) {
		v, err = chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
		return err
	})
	return v, err
}

// inSomePage asks something of a page, and of the next one if the browser has left the
// page before it answered.
func inSomePage(ask func() error) error {
	for {
		err := ask()
		var answer *cdproto.Error
		if !errors.As(err, &answer) || !slices.Contains(pageLeft, answer.Message) {
			return err
		}
	}
}

// pageLeft is what the browser answers if it leaves the page that is asked.
var pageLeft = []string{"Inspected target navigated or closed", "Execution context was destroyed.",
	"Cannot find context with specified id"}

// Open goes to an address and waits for its content.
func Open(url string) Step {
	return chromedp.Steps(chromedp.Navigate(url), chromedp.WaitReady(chromedp.CSS("main")))
}

// Click clicks the first element that css selects, again if the page moved under the pointer. An element that is hit
// instead is not clicked.
func Click(css string) Step {
	element := chromedp.CSS(css)
	return chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error {
		for {
			if err := chromedp.Do(ctx, Visible(css)); err != nil {
				return err
			}
			if _, err := eval[bool](ctx, fmt.Sprintf(guardClicks, css)); err != nil {
				return err
			}
			if err := chromedp.Do(ctx, chromedp.Click(element)); err != nil {
				return err
			}
			hit, err := eval[bool](ctx, clickHit)
			if hit || err != nil {
				return err
			}
		}
	})
}

// guardClicks keeps from the page what a pointer does outside of the element %q.
const guardClicks = `(() => {
	const element = document.querySelector(%q);
	const guard = { hit: false, events: ["mousedown", "mouseup", "click"] };
	guard.look = (event) => {
		if (!element.contains(event.target)) { event.preventDefault(); event.stopImmediatePropagation(); }
		else if (event.type === "click") guard.hit = true;
	};
	for (const name of guard.events) addEventListener(name, guard.look, true);
	window.clickGuard = guard;
	return true;
})()`

// clickHit removes the guard and says whether the click met its element. It did if the page with the guard is gone.
const clickHit = `(() => {
	const guard = window.clickGuard;
	if (!guard) return true;
	for (const name of guard.events) removeEventListener(name, guard.look, true);
	delete window.clickGuard;
	return guard.hit;
})()`

// Visible waits until an element can be seen and the scripts of its page have run.
func Visible(css string) Step { return wait(chromedp.WaitVisible(chromedp.CSS(css))) }

// Gone waits until no element is there and the scripts of the page have run.
func Gone(css string) Step { return wait(chromedp.WaitNotPresent(chromedp.CSS(css))) }

// wait waits for s, and then for the page to be loaded. A page to which a click leads shows its elements before its
// deferred scripts run: a key that is pressed between them is lost.
func wait(s Step) Step {
	return chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		if err := inSomePage(func() error { return chromedp.Do(ctx, s) }); err != nil {
			return err
		}
		_, err := eval[bool](ctx, loaded)
		return err
	})
}

// loaded is a promise of the event before which all deferred scripts have run.
const loaded = `document.readyState === "complete" || new Promise((done) => addEventListener("load", () => done(true)))`

// StopClock stops the page's clock: what the page does once nobody has touched it for a while never comes, however slow
// the machine is.
func StopClock() Step {
	return chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := eval[bool](ctx, `(() => { const now = Date.now(); Date.now = () => now; return true; })()`)
		return err
	})
}

// Type types text into an element.
func Type(css, text string) Step { return chromedp.SendKeys(chromedp.CSS(css), text) }

// Size sets the window's width and the system's theme, "light" or "dark".
func Size(width int64, theme string) Step {
	return chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error {
		_, err := cdp.Call(ctx, tab, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
			Width: width, Height: 900, DeviceScaleFactor: 1, Mobile: width < 600})
		if err != nil {
			return err
		}
		_, err = cdp.Call(ctx, tab, emulation.SetEmulatedMedia,
			emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
				{Name: "prefers-color-scheme", Value: theme}, {Name: "prefers-reduced-motion", Value: "reduce"}}})
		return err
	})
}

// SavePicture writes what the whole page looks like to a PNG file.
func SavePicture(t *testing.T, ctx context.Context, file string) {
	t.Helper()
	limited, cancel := context.WithTimeout(ctx, stepTimeout)
	defer cancel()
	Eval[bool](t, ctx, `scrollTo(0, 0), true`)
	png, err := chromedp.Run(limited, chromedp.FullScreenshot(100))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, png, 0o644); err != nil {
		t.Fatal(err)
	}
}
