package demo

import (
	"bufio"
	"cmp"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"tidings/lab/browser"
)

// pictures is where pictures are kept, out of version control. One of them is docs/demo.png.
var pictures = filepath.Join("..", "..", "..", "artefacts", "demo")

// A newcomer's browser shows the news of the town, and how many nodes poll each channel.
func TestTheFirstNodesPage(t *testing.T) {
	ctx := browser.Start(t)
	life, end := context.WithCancel(t.Context())
	defer end()
	out, print := io.Pipe()
	c := Default()
	c.Interval, c.Every, c.Out = 4*time.Second, time.Second, print
	ended := make(chan error, 1)
	go func() {
		ended <- Run(life, c)
		print.Close()
	}()
	page, reported := "", make(chan bool)
	lines := bufio.NewScanner(out)
	for lines.Scan() && page == "" {
		_, page, _ = strings.Cut(lines.Text(), "One is yours: ")
	}
	go func() {
		defer close(reported)
		for lines.Scan() {
			if strings.Contains(lines.Text(), "So far:") {
				reported <- true
			}
		}
	}()
	for range 3 { // summaries
		if !<-reported {
			t.Fatalf("it ended early: %v", <-ended)
		}
	}
	go func() {
		for range reported {
		}
	}()
	for path, wanted := range map[string]string{"/": "The Harbour Gazette", "/channels": "nodes for",
		"/network": "In a ring of 8 nodes"} {
		browser.Do(t, ctx, window(1280, 800), browser.Open(page+path))
		text := func() string { return browser.Eval[string](t, ctx, `document.querySelector("main").innerText`) }
		// What nodes know of each other, and of their polls, comes to them by and by.
		for deadline := time.Now().Add(10 * time.Minute); !strings.Contains(text(), wanted); {
			if time.Now().After(deadline) {
				t.Fatalf("%s does not say %q but:\n%s", path, wanted, text())
			}
			browser.Do(t, ctx, browser.Open(page+path))
		}
		save(t, ctx, cmp.Or(strings.TrimPrefix(path, "/"), "river"))
	}
	end()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// window sets how much of a page is seen.
func window(width, height int64) browser.Step {
	return chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error {
		_, err := cdp.Call(ctx, tab, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
			Width: width, Height: height, DeviceScaleFactor: 1})
		return err
	})
}

// save saves what is seen.
func save(t *testing.T, ctx context.Context, name string) {
	t.Helper()
	png, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(pictures, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(pictures, name+".png"), png, 0o644); err != nil {
		t.Fatal(err)
	}
}
