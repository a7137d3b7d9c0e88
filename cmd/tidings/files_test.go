package main

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"tidings"
)

const fileURL = "https://news.example/1.mp3"

func (f *fakeNode) FetchFile(_ context.Context, _ tidings.AccountID, file string) (tidings.Copy, error) {
	if file != fileURL {
		return tidings.Copy{}, fmt.Errorf("fetching a file: no item carries it: %w", tidings.ErrNotFound)
	}
	return tidings.Copy{State: tidings.CopyWaiting, Length: 5000, Ref: "ab"}, nil
}

// show says of each file of an item how it is on the node.
func TestShowListsCopiesOfFiles(t *testing.T) {
	for want, c := range map[string]*tidings.Copy{
		"":                              nil,
		"on this node: /files/ab/1.mp3": {State: tidings.CopyHere, Percent: 100, Path: "/files/ab/1.mp3"},
		"on its way to this node: 40 %": {State: tidings.CopyFetching, Percent: 40},
		"not on this node so far":       {State: tidings.CopyWaiting},
		"to ask again: tidings fetch":   {State: tidings.CopyNowhere},
	} {
		f := newFakeNode()
		f.files = []tidings.Enclosure{{URL: fileURL, Type: "audio/mpeg " + evil, Length: 5000, Copy: c}}
		out, errors, status := f.command(t, "", "show", feedURL)
		if status != 0 || !strings.Contains(out, "  "+fileURL+" audio/mpeg") || !strings.Contains(out, want) ||
			strings.Contains(out, "\x1b") {
			t.Errorf("%+v is shown as %q, %q", c, out, errors)
		}
		if c == nil && strings.Contains(out, "node") {
			t.Errorf("of a file that is not signed: %q", out)
		}
	}
}

func TestFetchAsksAgain(t *testing.T) {
	f := newFakeNode()
	if out, errors, status := f.command(t, "", "fetch", fileURL); status != 0 || out != fileURL+
		"\n  not on this node so far; others are asked for it\n" {
		t.Errorf("%d: %q, %q", status, out, errors)
	}
	if out, _, status := f.command(t, "", "fetch", fileURL, "--json"); status != 0 ||
		!strings.Contains(out, `"state":"waiting"`) {
		t.Errorf("%d: %q", status, out)
	}
	if _, errors, status := f.command(t, "", "fetch", "https://news.example/2.mp3"); status == 0 ||
		!strings.Contains(errors, "no item carries it") || !strings.Contains(errors, "tidings show URL") {
		t.Errorf("%d: %q", status, errors)
	}
}
