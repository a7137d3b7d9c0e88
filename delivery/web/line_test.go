package web

import (
	"strings"
	"testing"

	"tidings"
)

func TestRevisionsTakeOneLine(t *testing.T) {
	v := visit(t, busy(), false)
	text := v.get("/").Body.String()
	if n := strings.Count(text, ">Harbour wall closed"); n != 1 {
		t.Errorf("the story has %d lines", n)
	}
	if !strings.Contains(text, `<span class="tag">revised 3 times</span>`) {
		t.Error("nobody is told that it was revised")
	}

	// Its own page leads to what it was, and back.
	text = v.get("/entry/35").Body.String()
	for _, want := range []string{`href="/entry/31"`, `href="/entry/33"`, "first told of", "revised, shown above"} {
		if !strings.Contains(text, want) {
			t.Errorf("the newest revision's page lacks %q", want)
		}
	}
	if text = v.get("/entry/31").Body.String(); !strings.Contains(text, `href="/entry/35"`) {
		t.Error("the first revision's page does not lead to the newest")
	}
	if text = v.get("/entry/25").Body.String(); strings.Contains(text, `id="revisions"`) {
		t.Error("an item that was never revised lists revisions")
	}
}

func TestRevisedText(t *testing.T) {
	for n, want := range map[int]string{0: "", 1: "revised", 2: "revised twice", 3: "revised 3 times", 1000: "revised 1,000 times"} {
		if got := (line{Revised: n}).RevisedText(); got != want {
			t.Errorf("%d: %q", n, got)
		}
	}
}

// A first version stays whole, though one of its items was revised since.
func TestFirstVersionStaysWhole(t *testing.T) {
	f := folding{together: true}
	item := func(id, item int64, version tidings.Version, change tidings.ChangeKind) tidings.Entry {
		return tidings.Entry{ID: id, Item: item, Update: int64(version), Version: version, Kind: tidings.KindFeed, Change: change, Label: "Big"}
	}
	for _, e := range []tidings.Entry{item(4, 2, 2, tidings.Changed), item(3, 3, 1, tidings.New), item(2, 2, 1, tidings.New), item(1, 1, 1, tidings.New)} {
		f.add(e, 2)
	}
	if len(f.lines) != 2 || f.lines[1].Total != 3 || f.lines[0].Revised != 1 {
		t.Errorf("lines are %+v", f.lines)
	}
	if f.add(item(9, 9, 3, tidings.New), 2) {
		t.Error("there is no room for a third line")
	}
}
