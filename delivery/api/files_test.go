package api

import (
	"errors"
	"strings"
	"testing"

	"tidings"
)

func TestFileRoute(t *testing.T) {
	for body, want := range map[string]struct {
		status int
		text   string
	}{
		`{"file":" https://x.example/1.mp3 "}`: {200, `{"state":"waiting","percent":0,"length":5,"ref":"ab"}`},
		`{"file":"https://x.example/other"}`:   {404, `"hint":"the files of a channel's items: tidings show URL"`},
		`{"file":"large.mp3"}`:                 {400, `the file is too large`},
		`{"file":" "}`:                         {400, `field \"file\" is missing`},
	} {
		w := ask(as(tidings.Owner, New(configOf(filled()))), "POST", "files", body)
		if w.Code != want.status || !strings.Contains(w.Body.String(), want.text) {
			t.Errorf("%s: %d %s", body, w.Code, w.Body)
		}
	}
	// Hostile 57: another site cannot have a reader's browser fetch files.
	if w := ask(as(tidings.Owner, New(configOf(filled()))), "POST", "files", `{"file":"1.mp3"}`, "Sec-Fetch-Site",
		"cross-site"); w.Code != 403 {
		t.Errorf("another site: %d", w.Code)
	}
}

func TestClientFetchesAFile(t *testing.T) {
	c := dialed(t, filled())
	if got, err := c.FetchFile(t.Context(), "1.mp3"); err != nil || got.State != tidings.CopyWaiting {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := c.FetchFile(t.Context(), "2.txt"); !errors.Is(err, tidings.ErrNotFound) {
		t.Errorf("what nobody carries: %v", err)
	}
}

// Two versions of an item do not differ by how a file is here by now.
func TestAFileThatCameIsNoChange(t *testing.T) {
	item := func(url string, c *tidings.Copy) tidings.Item {
		return tidings.Item{ID: "1", Enclosures: []tidings.Enclosure{{URL: url, Copy: c}}}
	}
	if !looksSame(item("a", &tidings.Copy{Percent: 1}), item("a", &tidings.Copy{Percent: 1})) ||
		looksSame(item("a", nil), item("b", nil)) {
		t.Error("items are compared wrongly")
	}
}
