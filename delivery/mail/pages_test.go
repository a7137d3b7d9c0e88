package mail

import (
	"context"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"

	"tidings"
)

// nobody are recipients without valid tokens.
type nobody struct{}

func (nobody) ConfirmByLink(context.Context, string) error { return tidings.ErrNotFound }
func (nobody) StopByLink(context.Context, string) error    { return tidings.ErrNotFound }

// A page behind a link is in the language that the browser asks for.
func TestPagesHaveTheLanguageOfTheBrowser(t *testing.T) {
	pages := Pages(nobody{}, slog.New(slog.DiscardHandler))
	for _, c := range []struct{ accept, tag, says string }{
		{"", `<html lang="en">`, "This link is not valid"},
		{"de-AT, en;q=0.3", `<html lang="de">`, "Dieser Link ist nicht gültig"},
	} {
		r := httptest.NewRequest("GET", StopPath+"?t=none", nil)
		r.Header.Set("Accept-Language", c.accept)
		w := httptest.NewRecorder()
		pages.ServeHTTP(w, r)
		if text := w.Body.String(); w.Code != 404 || !strings.Contains(text, c.tag) || !strings.Contains(text, c.says) {
			t.Errorf("%q: status %d, %s", c.accept, w.Code, text)
		}
	}
}
