package web

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"strings"
	"sync"
	"testing"

	"tidings"
	"tidings/lab/browser"
)

// iconed shows icons of channels of a host: paths on the node.
type iconed map[string]string

func (iconed) Path(address string) string      { return "/media/x" }
func (iconed) Size(string) (width, height int) { return 0, 0 }

func (i iconed) Icon(c tidings.Channel) string {
	for host, path := range i {
		if strings.Contains(c.URL, "//"+host+"/") {
			return path
		}
	}
	return ""
}

const iconTag = `<img src="/media/kernel" width="16" height="16" alt="" decoding="async">`

// Icons stand where letters stand otherwise: beside every page, in lists, and at the head of a channel. Nothing is
// loaded from elsewhere.
func TestIconsOfChannels(t *testing.T) {
	const kernel = "https://kernel.example/headlines/rss"
	f := sample()
	f.pictures = iconed{"kernel.example": "/media/kernel"}
	v := visit(t, f, false)
	counts := func() (counts []int) {
		for _, path := range []string{"/", "/channels", "/channel?url=" + kernel, "/entry/1", "/search?q=kernel"} {
			body := v.get(path).Body.String()
			sound(t, path, body)
			counts = append(counts, strings.Count(body, iconTag))
		}
		return counts
	}
	for i, n := range counts() {
		if n == 0 || i > 0 && i < 3 && n < 2 {
			t.Errorf("page %d shows %d icons", i, n)
		}
	}
	at := 0
	for f.followed[at].URL != kernel {
		at++
	}
	// By channel, or by person: never.
	f.followed[at].Pictures = tidings.PicturesNever
	for i, n := range counts() {
		if n != 0 {
			t.Errorf("page %d shows %d icons of a channel whose pictures are never shown", i, n)
		}
	}
	f.followed[at].Pictures = tidings.PicturesAsSet
	f.chosen = tidings.Preferences{tidings.EveryView: {tidings.PreferPictures: "off"}}
	for i, n := range counts() {
		if n != 0 {
			t.Errorf("page %d shows %d icons to a person who sees no pictures", i, n)
		}
	}
	f.followed[at].Pictures = tidings.PicturesAlways
	for i, n := range counts() {
		if n == 0 {
			t.Errorf("page %d shows no icon of a channel whose pictures are always shown", i)
		}
	}
}

// An icon has the place of the letter, which comes back where it cannot be loaded.
func TestIconsInTheBrowser(t *testing.T) {
	f := sample()
	f.pictures = iconed{"kernel.example": "/media/kernel", "museum.example": "/media/gone"}
	m := image.NewNRGBA(image.Rect(0, 0, 32, 32))
	for i := range 32 * 32 {
		if x, y := i%32-16, i/32-16; x*x+y*y < 240 {
			m.SetNRGBA(i%32, i/32, color.NRGBA{230, uint8(90 + 4*(y+16)), 20, 255})
		}
	}
	var icon bytes.Buffer
	if err := png.Encode(&icon, m); err != nil {
		t.Fatal(err)
	}
	ctx := browser.Start(t)
	failed := make(chan struct{})
	var once sync.Once
	base := serve(t, f, false, func(page http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.URL.Path == "/media/kernel":
				w.Header().Set("Content-Type", "image/png")
				w.Write(icon.Bytes())
			case r.URL.Path == "/media/gone":
				http.NotFound(w, r)
				once.Do(func() { close(failed) })
			case strings.HasSuffix(r.URL.Path, "/script.js"):
				// The first page has its script only after an icon has failed: both orders occur.
				<-failed
				page.ServeHTTP(w, r)
			default:
				page.ServeHTTP(w, r)
			}
		})
	})
	const loaded = `[...document.querySelectorAll(".badge img")].filter((i) => i.complete && i.naturalWidth === 32 && i.closest(".badge").checkVisibility()).length`
	const sizes = `JSON.stringify([...new Set([...document.querySelectorAll(".badge")].filter((b) => b.checkVisibility()).map((b) => {
		const box = b.getBoundingClientRect();
		return b.className.replace(/ c[0-9]+| framed/g, "").trim() + " " + box.width + "x" + box.height;
	}))].sort())`
	for _, path := range []string{"/", "/channels", "/channel?url=https://kernel.example/headlines/rss"} {
		for _, width := range []int64{390, 1280} {
			for _, theme := range []string{"light", "dark"} {
				do(t, ctx, size(width, theme), open(base+path))
				within(t, func() bool {
					return eval[int](t, ctx, loaded) > 0 &&
						eval[int](t, ctx, `document.querySelectorAll(".badge img[src*=gone]").length`) == 0
				})
				with := eval[string](t, ctx, sizes)
				if wide := eval[bool](t, ctx, `document.documentElement.scrollWidth > innerWidth`); wide {
					t.Errorf("%s is wider than %d pixels", path, width)
				}
				savePicture(t, ctx,
					"icons-"+strings.Trim(strings.NewReplacer("/", "", "?", "", ":", "", "=", "", ".",
						"").Replace(path), "-")+"-"+theme+"-"+map[int64]string{390: "390", 1280: "1280"}[width])
				if without :=
					eval[string](t, ctx,
						`document.querySelectorAll(".badge img").forEach((i) => i.dispatchEvent(new Event("error"))), `+
							sizes); with != without {
					t.Errorf("%s at %d: places with icons %s, with letters %s", path, width, with, without)
				}
				if left := eval[int](t, ctx,
					`[...document.querySelectorAll(".badge")].filter((b) => !b.textContent.trim()).length`); left > 0 {
					t.Errorf("%s: %d channels have neither an icon nor a letter", path, left)
				}
			}
		}
	}
}
