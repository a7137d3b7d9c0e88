package pictures

import (
	"context"
	"errors"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"

	"tidings"
)

type source map[string]error

func (s source) Picture(_ context.Context, address string) (media, tag string, data []byte, err error) {
	if err, known := s[address]; known && err != nil {
		return "", "", nil, err
	} else if !known {
		return "", "", nil, tidings.Invalidf("this address has no picture")
	}
	return "image/png", "t1", []byte("bytes of " + address), nil
}

func (s source) Size(string) (int, int) { return 3, 2 }

func (s source) Icon(c tidings.Channel) string { return c.Icon }

func (s source) IconBytes(tag string) ([]byte, error) {
	if tag != "x" {
		return nil, tidings.Invalidf("this icon is not kept any more")
	}
	return []byte("icon " + tag), nil
}

func TestIconsAreSigned(t *testing.T) {
	p := New(source{}, []byte("0123456789abcdef"), slog.New(slog.DiscardHandler))
	if path := p.Icon(tidings.Channel{}); path != "" {
		t.Errorf("a channel without one: %q", path)
	}
	kept, gone := p.Icon(tidings.Channel{Icon: "x"}), p.Icon(tidings.Channel{Icon: "gone"})
	for path, code := range map[string]int{kept: 200, gone: 404, kept[:len(kept)-1]: 403,
		"/media/" + kept[len("/icons/"):]: 403, "/icons/" + p.Path("x")[len("/media/"):]: 403, "/icons/": 403} {
		w := httptest.NewRecorder()
		p.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		if w.Code != code || code == 200 && (w.Header().Get("Content-Type") != "image/png" ||
			w.Body.String() != "icon x") {
			t.Errorf("%s: %d %s, want %d", path, w.Code, w.Body, code)
		}
		data, err := p.IconBytes(path)
		if (err == nil) != (code == 200) || code == 200 && string(data) != "icon x" {
			t.Errorf("the bytes at %s: %q, %v", path, data, err)
		}
	}
}

// Only what the node has signed is fetched, and what is sent can do nothing.
func TestPicturesAreSigned(t *testing.T) {
	const good, gone = "https://img.example/a.png?x=1", "https://img.example/gone"
	p := New(source{good: nil, gone: errors.New("410")}, []byte("0123456789abcdef"), slog.New(slog.DiscardHandler))
	other := New(source{good: nil}, []byte("0123456789abcdeX"), slog.New(slog.DiscardHandler))
	signed, foreign := p.Path(good), other.Path(good)
	parts := strings.Split(signed, "/")
	mixed := strings.Join([]string{"", "media", parts[2], strings.Split(p.Path(gone), "/")[3]}, "/")
	for name, test := range map[string]struct {
		method, path string
		code         int
	}{
		"signed":                        {"GET", signed, 200},
		"its head":                      {"HEAD", signed, 200},
		"signed by another node":        {"GET", foreign, 403},
		"another address's signature":   {"GET", mixed, 403},
		"no signature":                  {"GET", "/media//" + parts[3], 403},
		"a cut signature":               {"GET", "/media/" + parts[2][:8] + "/" + parts[3], 403},
		"nothing":                       {"GET", "/media/", 403},
		"what is no base64":             {"GET", "/media/%00/%ff", 403},
		"more behind it":                {"GET", signed + "/more", 403},
		"what the origin does not have": {"GET", p.Path(gone), 502},
		"what is no picture's address":  {"GET", p.Path("ftp://x"), 404},
		"a form":                        {"POST", signed, 405},
	} {
		w := httptest.NewRecorder()
		p.ServeHTTP(w, httptest.NewRequest(test.method, test.path, nil))
		if w.Code != test.code {
			t.Errorf("%s: %d, want %d", name, w.Code, test.code)
		}
		h := w.Header()
		if h.Get("X-Content-Type-Options") != "nosniff" || !strings.HasPrefix(h.Get("Content-Security-Policy"),
			"sandbox") {
			t.Errorf("%s: headers %v", name, h)
		}
		if cached := strings.Contains(h.Get("Cache-Control"), "max-age"); cached != (test.code == 200) {
			t.Errorf("%s: Cache-Control %q", name, h.Get("Cache-Control"))
		}
		if test.code == 200 && h.Get("Content-Type") != "image/png" || strings.Contains(w.Body.String(), "410") {
			t.Errorf("%s: %s %s", name, h.Get("Content-Type"), w.Body)
		}
	}
	r := httptest.NewRequest("GET", signed, nil)
	r.Header.Set("If-None-Match", `"t1"`)
	w := httptest.NewRecorder()
	if p.ServeHTTP(w, r); w.Code != 304 || w.Body.Len() > 0 {
		t.Errorf("known: %d, %d bytes", w.Code, w.Body.Len())
	}
}
