package api

import (
	"errors"
	"strings"
	"testing"

	"tidings"
)

// What comes of a full text is answered, whether there is one or not; of what is no entry of the account there is none.
func TestFullText(t *testing.T) {
	for body, want := range map[string]struct {
		status int
		text   string
	}{
		`{"entry":7}`:   {200, `"why":"the page answered 403"`},
		`{"entry":8}`:   {404, "error"},
		`{"entry":0}`:   {400, "entry"},
		`{}`:            {400, "entry"},
		`{"entry":"x"}`: {400, "error"},
	} {
		w := ask(as(tidings.Owner, New(configOf(filled()))), "POST", "fulltext", body)
		if w.Code != want.status || !strings.Contains(w.Body.String(), want.text) {
			t.Errorf("%s: %d %s", body, w.Code, w.Body)
		}
	}
	// Another site cannot have a reader's browser fetch pages.
	if w := ask(as(tidings.Owner, New(configOf(filled()))), "POST", "fulltext", `{"entry":7}`, "Sec-Fetch-Site",
		"cross-site"); w.Code != 403 {
		t.Errorf("another site: %d", w.Code)
	}
	c := dialed(t, filled())
	if e, err := c.FetchFullText(t.Context(), 7, true); err != nil || e.FullText == nil || !e.FullText.Older {
		t.Errorf("%+v, %v", e, err)
	}
	if _, err := c.FetchFullText(t.Context(), 8, false); !errors.Is(err, tidings.ErrNotFound) {
		t.Errorf("of nobody's entry: %v", err)
	}
}
