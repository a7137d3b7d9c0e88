package web

import (
	"net/http/httptest"
	"strings"
	"testing"
)

// A page is in the language that its reader has chosen, else in one that the browser asks for. What is chosen goes with
// the person; the browser keeps it for pages that nobody is signed in to see.
func TestLanguage(t *testing.T) {
	v := visit(t, sample(), false)
	page := func(path, accept string) string {
		r := httptest.NewRequest("GET", path, nil)
		r.Header.Set("Accept-Language", accept)
		return v.send(r).Body.String()
	}
	const german, english = `<html lang="de"`, `<html lang="en"`
	for _, c := range []struct{ accept, want, says string }{
		{"", english, "Unread"}, {"de-CH, en;q=0.5", german, "Ungelesen"}, {"fr", english, "Unread"},
	} {
		if text := page("/", c.accept); !strings.Contains(text, c.want) || !strings.Contains(text, c.says) {
			t.Errorf("%q: no %s, or not %q", c.accept, c.want, c.says)
		}
	}
	if text := page("/nothing/here", "de"); !strings.Contains(text, "Hier ist nichts") {
		t.Error("an error is in another language")
	}

	w := v.post("/settings/appearance", "theme", "auto", "language", "de")
	if cookies := strings.Join(w.Header().Values("Set-Cookie"), "\n"); !strings.Contains(cookies,
		"tidings_language=de;") {
		t.Errorf("kept in the browser: %s", cookies)
	}
	if text := page("/settings", "en"); !strings.Contains(text, german) ||
		!strings.Contains(text, `<option value="de" lang="de" selected>Deutsch`) {
		t.Error("what was chosen does not count")
	}
	v.post("/settings/appearance", "theme", "auto", "language", "tlh")
	if text := page("/settings", "en"); !strings.Contains(text, english) {
		t.Error("a language that is not there counts")
	}

	locked := visit(t, newFake(), true)
	r := httptest.NewRequest("GET", "/login", nil)
	r.Header.Set("Cookie", "tidings_language=de")
	if text := locked.send(r).Body.String(); !strings.Contains(text, german) {
		t.Error("the page to sign in is in another language")
	}
}
