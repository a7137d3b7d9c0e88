package proxy

import (
	"strings"
	"testing"

	"tidings"
)

// A file that is on this node is named at its address, and another at its origin's.
func TestFilesAtThisNode(t *testing.T) {
	d := open(t)
	const origin = "https://blog.example/a.mp3"
	files := []tidings.Enclosure{
		{URL: origin, Type: "audio/mpeg", Length: 4, Copy: &tidings.Copy{State: tidings.CopyHere, Length: 5,
			Path: "/files/ab/a.mp3"}},
		{URL: "https://blog.example/b.mp3", Copy: &tidings.Copy{State: tidings.CopyFetching, Percent: 50}},
	}
	d.add(tidings.Entry{Channel: feedChannel, Item: 1, Kind: tidings.KindFeed, Change: tidings.New,
		Content: tidings.Item{Title: "x", Enclosures: files}})
	for _, path := range []string{path(feedChannel), jsonPath(feedChannel)} {
		_, text := d.get(path)
		if !strings.Contains(text, "/files/ab/a.mp3") || strings.Contains(text, origin) ||
			!strings.Contains(text, "https://blog.example/b.mp3") {
			t.Errorf("%s: %s", path, text)
		}
	}
	if files[0].URL != origin {
		t.Error("what the store gave was changed")
	}
}
