package media

import (
	"net/http"
	"strings"
	"testing"
)

func TestType(t *testing.T) {
	for head, want := range map[string]string{
		"ID3\x04\x00rest":                           "audio/mpeg",
		"\xff\xfb\x90\x00rest":                      "audio/mpeg",
		"\xff\xf1\x50\x80rest":                      "audio/aac",
		"OggS\x00\x02 opus":                         "audio/ogg",
		"OggS\x00\x02 \x80theora":                   "video/ogg",
		"fLaC\x00":                                  "audio/flac",
		"RIFF\x24\x00\x00\x00WAVEfmt ":              "audio/wav",
		"\x1aE\xdf\xa3\x01\x00B\x82\x84webm":        "video/webm",
		"\x00\x00\x00\x20ftypisom\x00\x00\x02\x00":  "video/mp4",
		"\x00\x00\x00\x20ftypM4A \x00\x00\x02\x00":  "audio/mp4",
		"\x00\x00\x00\x20ftypavif\x00":              "", // a picture
		"\x00\x00\x00\x20ftyp":                      "",
		"\x1aE\xdf\xa3\x01\x00B\x82\x88matroska":    "",
		"RIFF\x24\x00\x00\x00WEBPVP8 ":              "",
		"<html><script>alert(1)</script>":           "",
		"#EXTM3U\n":                                 "", // a list of others
		"<svg xmlns='http://www.w3.org/2000/svg'/>": "",
		"\x89PNG\r\n\x1a\n":                         "",
		"\xff\xd8\xff\xe0":                          "", // JPEG
		"\xff\xff\xff\xff":                          "",
		"\xff\xfe<\x00":                             "", // UTF-16
		"":                                          "",
		"\xff":                                      "",
	} {
		if got := Type([]byte(head)); got != want {
			t.Errorf("%q: %q, want %q", head, got, want)
		}
	}
}

// FuzzType: what counts as sound or video is nothing that a browser would treat as a document.
func FuzzType(f *testing.F) {
	for _, seed := range []string{"ID3", "OggS", "RIFF\x24\x00\x00\x00WAVE", "\xff\xfb\x90\x00",
		"\x00\x00\x00\x20ftypisom", "<html>", "%PDF-"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, head []byte) {
		kind := Type(head)
		if kind == "" {
			return
		}
		if !strings.HasPrefix(kind, "audio/") && !strings.HasPrefix(kind, "video/") {
			t.Errorf("%q: %s", head, kind)
		}
		if other := http.DetectContentType(head); strings.HasPrefix(other, "text/html") ||
			strings.HasPrefix(other, "text/xml") || strings.HasPrefix(other, "application/pdf") {
			t.Errorf("%q is %s, and counts as %s", head, other, kind)
		}
	})
}
