package web

import (
	"bytes"
	"context"
	"encoding/binary"
	"net/http"
	"strings"
	"testing"
	"time"

	"tidings"
	"tidings/lab/browser"
)

// playing plays files. Documents with an entry have its chapters.
type playing map[string][]tidings.Chapter

func (playing) Path(address string) string {
	return "/stream/" + strings.TrimPrefix(address, "https://")
}

func (p playing) Chapters(_ context.Context, address string) ([]tidings.Chapter, error) {
	if list := p[address]; list != nil {
		return list, nil
	}
	return nil, &tidings.Failure{Op: "fetching chapters", Address: address, Err: tidings.ErrNotFound}
}

// podcast has the entry 25 carry a recording with chapters.
func podcast(chapters *tidings.Chapters, content string) *fake {
	f := sample()
	for i := range f.entries {
		if e := &f.entries[i]; e.ID == 25 {
			e.Content.Enclosures = []tidings.Enclosure{{URL: "https://cast.example/cover.jpg", Type: "image/jpeg"},
				{URL: "https://cast.example/1.wav", Type: "audio/wav"},
				{URL: "https://cast.example/2.wav", Type: "audio/wav"}}
			e.Content.Chapters = chapters
			if content != "" {
				e.Content.Content = content
			}
		}
	}
	f.players = playing{"https://cast.example/c.json": {{Title: "Elsewhere"},
		{At: 2 * time.Second, Title: "<b>There", URL: "https://cast.example/there"}}}
	return f
}

var someChapters = []tidings.Chapter{{Title: "Welcome"},
	{At: 4 * time.Second, Title: "Why ferries are late, and what the harbour does about it in winter"},
	{At: 3725 * time.Second, Title: "Letters", URL: "https://cast.example/letters"}}

func TestChaptersOnThePage(t *testing.T) {
	v := visit(t, podcast(&tidings.Chapters{List: someChapters}, ""), false)
	body := v.get("/entry/25").Body.String()
	sound(t, "/entry/25", body)
	for _, want := range []string{`data-at="0"`, `data-at="4"`, `data-at="3725"`, `>1:02:05<`, `>0:04<`,
		`href="https://cast.example/letters"`} {
		if strings.Count(body, want) != 1 {
			t.Errorf("%q is there %d times", want, strings.Count(body, want))
		}
	}
	if w := v.get("/chapters/25"); w.Code != 404 {
		t.Errorf("chapters elsewhere: %d", w.Code)
	}
	for address, code := range map[string]int{"https://cast.example/c.json": 200,
		"https://cast.example/gone.json": 404} {
		v = visit(t, podcast(&tidings.Chapters{Address: address}, ""), false)
		if body := v.get("/entry/25").Body.String(); strings.Count(body, `data-chapters="/chapters/25"`) != 1 ||
			strings.Contains(body, "c.json") {
			t.Errorf("the page does not say where its chapters are")
		}
		w := v.get("/chapters/25")
		if w.Code != code || code == 200 && (strings.Count(w.Body.String(), "<li>") != 2 ||
			!strings.Contains(w.Body.String(), "&lt;b&gt;There")) {
			t.Errorf("%s: %d %s", address, w.Code, w.Body)
		}
	}
	for _, path := range []string{"/chapters/24", "/chapters/999", "/chapters/x"} {
		if w := v.get(path); w.Code != 404 {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
}

// Sound and video in a text are played by way of the node; what the item carries as a file has its player there.
func TestPlayersInATextAreThoseOfFiles(t *testing.T) {
	const text = `<p>Listen:</p><audio src="https://else.example/a.mp3" autoplay></audio><video poster="https://else.example/p.png"><source src="https://else.example/v.mp4"></video>` +
		`<audio src="https://cast.example/1.wav"></audio><a href="https://x.example/"><audio src="https://else.example/linked.mp3"></audio></a>`
	f := podcast(nil, text)
	v := visit(t, f, false)
	body := v.get("/entry/25").Body.String()
	sound(t, "/entry/25", body)
	for _, want := range []string{`<audio controls preload="none" src="/stream/else.example/a.mp3"`,
		`<video controls preload="none" src="/stream/else.example/v.mp4"`, `src="/stream/cast.example/1.wav"`} {
		if strings.Count(body, want) != 1 {
			t.Errorf("%q is there %d times", want, strings.Count(body, want))
		}
	}
	for _, never := range []string{"autoplay", `src="https:`, "p.png", "stream/else.example/linked.mp3"} {
		if strings.Contains(body, never) {
			t.Errorf("%q is there", never)
		}
	}
	if n := strings.Count(string(content(strings.Repeat(text, 50), 1, nil, entryPage{Players: f.players}.InText)),
		"data-player"); n != maxPlayers {
		t.Errorf("%d players in a text with many", n)
	}
	f.players = nil
	if body := visit(t, f, false).get("/entry/25").Body.String(); strings.Contains(body, "/stream/") ||
		!strings.Contains(body, `href="https://else.example/a.mp3"`) {
		t.Error("without players there are no links")
	}
}

// silence is a WAV file of that many seconds.
func silence(seconds int) []byte {
	const rate = 8000
	var b bytes.Buffer
	b.WriteString("RIFF")
	binary.Write(&b, binary.LittleEndian, uint32(36+seconds*rate))
	b.WriteString("WAVEfmt ")
	for _, v := range []any{uint32(16), uint16(1), uint16(1), uint32(rate), uint32(rate), uint16(1), uint16(8)} {
		binary.Write(&b, binary.LittleEndian, v)
	}
	b.WriteString("data")
	binary.Write(&b, binary.LittleEndian, uint32(seconds*rate))
	b.Write(bytes.Repeat([]byte{128}, seconds*rate))
	return b.Bytes()
}

// A chapter's button leads to its place, and the chapter that plays is marked. Chapters that are elsewhere come once
// they are opened.
func TestChaptersInTheBrowser(t *testing.T) {
	ctx := browser.Start(t)
	file := silence(60)
	around := func(page http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasPrefix(r.URL.Path, "/stream/") {
				w.Header().Set("Content-Type", "audio/wav")
				http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(file))
				return
			}
			page.ServeHTTP(w, r)
		})
	}
	const at = `document.querySelector("audio[src*='1.wav']").currentTime`
	const marked = `[...document.querySelectorAll(".chapters [aria-current]")].map((b) => b.dataset.at).join()`
	base := serve(t,
		podcast(&tidings.Chapters{List: someChapters},
			`<p>Listen to what was cut:</p><audio src="https://else.example/cut.wav"></audio>`), false, around)
	for _, width := range []int64{390, 1280} {
		for _, theme := range []string{"light", "dark"} {
			do(t, ctx, size(width, theme), open(base+"/entry/25"), visible(`.chapters [data-at="4"]`),
				click(`.chapters [data-at="4"]`))
			within(t, func() bool { return eval[float64](t, ctx, at) >= 4 && eval[string](t, ctx, marked) == "4" })
			// the first chapter does not end
			eval[bool](t, ctx, `document.querySelector("audio[src*='1.wav']").playbackRate = 0, true`)
			do(t, ctx, click(`.chapters [data-at="0"]`))
			within(t, func() bool { return eval[float64](t, ctx, at) < 4 && eval[string](t, ctx, marked) == "0" })
			if n := eval[int](t, ctx, `document.querySelectorAll(".prose .player[data-ready] audio").length`); n != 1 {
				t.Errorf("%d players in the text", n)
			}
			checkWidth(t, ctx)
			savePicture(t, ctx, "chapters-"+theme+"-"+map[int64]string{390: "390", 1280: "1280"}[width])
		}
	}
	base = serve(t, podcast(&tidings.Chapters{Address: "https://cast.example/c.json"}, ""), false, around)
	do(t, ctx, open(base+"/entry/25"), click(`.chapters summary`), visible(`.chapters [data-at="2"]`),
		click(`.chapters [data-at="2"]`))
	within(t, func() bool { return eval[float64](t, ctx, at) >= 2 && eval[string](t, ctx, marked) == "2" })
	base = serve(t, podcast(&tidings.Chapters{Address: "https://cast.example/gone.json"}, ""), false, around)
	do(t, ctx, open(base+"/entry/25"), click(`.chapters summary`), visible(`.chapters [data-lacking]`))
}
