package web

import (
	"bytes"
	"context"
	"encoding/json"
	"image/png"
	"net/http"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"tidings/lab/browser"
)

// Each page, also that of the sign-in, names a manifest by which phones install it, and an icon for iPhones. Both are
// there for anybody, of the type and size that is named.
func TestPhonesInstallThePage(t *testing.T) {
	f := sample()
	f.password = cheapHash
	v := visit(t, f, true)
	get := func(address, kind string) []byte {
		t.Helper()
		w := v.get(address)
		if got := w.Header().Get("Content-Type"); w.Code != http.StatusOK || got != kind {
			t.Fatalf("%s: status %d, type %s, want %s", address, w.Code, got, kind)
		}
		return w.Body.Bytes()
	}
	square := func(address string, size int) {
		t.Helper()
		c, err := png.DecodeConfig(bytes.NewReader(get(address, "image/png")))
		if err != nil || c.Width != size || c.Height != size {
			t.Errorf("%s has %d by %d pixels, %v", address, c.Width, c.Height, err)
		}
	}
	w := v.get("/login")
	if !strings.Contains(w.Header().Get("Content-Security-Policy"), "manifest-src 'self'") {
		t.Error("the policy keeps browsers from the manifest")
	}
	linked := func(rel string) string {
		t.Helper()
		found := regexp.MustCompile(`<link rel="` + rel + `" href="([^"]+)"`).FindStringSubmatch(w.Body.String())
		if found == nil {
			t.Fatalf("the page names no %s", rel)
		}
		return found[1]
	}
	square(linked("apple-touch-icon"), 180)
	address := linked("manifest")
	var m struct {
		Name, Display string
		Start         string `json:"start_url"`
		Icons         []struct{ Src, Sizes, Type, Purpose string }
	}
	if err := json.Unmarshal(get(address, "application/manifest+json"), &m); err != nil {
		t.Fatal(err)
	}
	if m.Name == "" || m.Display != "standalone" || m.Start != "/" {
		t.Errorf("the manifest: %+v", m)
	}
	sizes := map[string]int{"192x192": 192, "512x512": 512}
	seen := make(map[string]bool)
	for _, icon := range m.Icons {
		at := path.Join(path.Dir(address), icon.Src)
		seen[icon.Purpose+" "+icon.Sizes] = true
		if size, ok := sizes[icon.Sizes]; ok {
			square(at, size)
		} else {
			get(at, icon.Type)
		}
	}
	for _, needed := range []string{"any 192x192", "any 512x512", "maskable 512x512"} {
		if !seen[needed] {
			t.Errorf("no icon is %s", needed)
		}
	}
}

// A real browser accepts the manifest, and would install the page.
func TestABrowserInstallsThePage(t *testing.T) {
	ctx := browser.Start(t)
	base := serve(t, sample(), false, nil)
	browser.Do(t, ctx, browser.Open(base+"/"), chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error {
		read, err := cdp.Call(ctx, tab, page.GetAppManifest, page.GetAppManifestParams{})
		if err != nil {
			return err
		}
		if read.Data == "" || len(read.Errors) != 0 {
			t.Errorf("the manifest is read as %q", read.Data)
		}
		for _, e := range read.Errors {
			t.Errorf("line %d: %s", e.Line, e.Message)
		}
		problems, err := cdp.Call(ctx, tab, page.GetInstallabilityErrors, cdp.Empty{})
		if err != nil {
			return err
		}
		for _, e := range problems.InstallabilityErrors {
			if e.ErrorID != "in-incognito" {
				t.Errorf("it cannot be installed: %s", e.ErrorID)
			}
		}
		return nil
	}))
}
