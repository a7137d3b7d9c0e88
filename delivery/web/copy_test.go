package web

import (
	"strings"
	"testing"

	"tidings"
)

// An entry names a file that is here at this node's address, beside the origin's, and says how far another has come.
func TestFilesOfAnEntry(t *testing.T) {
	for _, test := range []struct {
		copy *tidings.Copy
		want string
		not  string
	}{
		{nil, `href="https://example.org/a.mp3"`, "node"},
		{&tidings.Copy{State: tidings.CopyHere, Path: "/files/ab/a.mp3", Length: 5}, `<a href="/files/ab/a.mp3" download>`, "on its way"},
		{&tidings.Copy{State: tidings.CopyFetching, Percent: 40}, "on its way to this node: 40 %", "download>"},
		{&tidings.Copy{State: tidings.CopyWaiting}, "others are asked", "<form"},
		{&tidings.Copy{State: tidings.CopyNowhere, Ref: "abc"}, `<input type="hidden" name="ref" value="abc"><input type="hidden" name="entry" value="7">`, "download>"},
		{&tidings.Copy{State: tidings.CopyNowhere}, "nobody has it", "download>"},
	} {
		e := tidings.Entry{ID: 7, Kind: tidings.KindFeed}
		e.Content.Enclosures = []tidings.Enclosure{{URL: "https://example.org/a.mp3", Type: "audio/mpeg", Copy: test.copy}}
		text, err := fragment(t.Context(), "reading", entryPageOf(e))
		if err != nil {
			t.Fatal(err)
		}
		got := string(text)
		if !strings.Contains(got, test.want) || strings.Contains(got, test.not) || !strings.Contains(got, "https://example.org/a.mp3") {
			t.Errorf("%+v is shown as %s", test.copy, got)
		}
	}
}

// A person has others asked again for a file that nobody had.
func TestAskingAgainForAFile(t *testing.T) {
	f := busy()
	v := visit(t, f, false)
	v.goesTo(v.post("/file", "ref", "ab", "entry", "1"), "/entry/1?said=fetching")
	if text := v.get("/entry/1?said=fetching").Body.String(); f.fetched != 1 || !strings.Contains(text, "asked for the file again") {
		t.Errorf("asked for %d files", f.fetched)
	}
	if w := v.post("/file", "ref", "cd", "entry", "1"); w.Code != 404 || f.fetched != 1 {
		t.Errorf("a file that nothing carries: %d", w.Code)
	}
}
