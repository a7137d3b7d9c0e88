package wording

import (
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestNameOf(t *testing.T) {
	for _, c := range []struct{ label, want string }{
		{"Kernel  Weekly", "Kernel Weekly"},
		{"https://www.example.org/", "example.org"},
		{"http://127.0.0.1:9710/feeds/7.xml", "127.0.0.1:9…/feeds/7.xml"},
		{"http://[::1]:9710/7", "[::1]:9710/7"},
		{"https://example.org/a/long/way/to/feed.xml?n=12", "example.org/…ed.xml?n=12"},
		{"https://a.very.long.host.example.org/news/feed.xml", "a.very.long…ews/feed.xml"},
		{"https://pаypal.example/", "xn--pypal-4ve.example"}, // Cyrillic а: shown as it is
		{"https://", "https://"},
		{"http://[::1", "http://[::1"},
		{"\u202ehttps://example.org/", "https://example.org/"},
	} {
		if got := NameOf(c.label, 24); got != c.want {
			t.Errorf("nameOf(%q) = %q, want %q", c.label, got, c.want)
		}
	}
}

func TestNamesAreShort(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		label := rapid.SampledFrom([]string{"", "http://x", "https://127.0.0.1:80/"}).Draw(t,
			"start") + rapid.String().Draw(t, "label")
		max := rapid.IntRange(3, 60).Draw(t, "max")
		if got := NameOf(label, max); utf8.RuneCountInString(got) > max+1 || !utf8.ValidString(got) {
			t.Fatalf("nameOf(%q, %d) = %q", label, max, got)
		}
	})
}

func TestBadgeLetter(t *testing.T) {
	for label, want := range map[string]string{
		"The Long Kitchen": "L", "élan": "É", "https://www.example.org/feed": "E",
		"http://127.0.0.1:9710/feeds/spec.xml": "S",
		"http://[fe80::1]/12-notes":            "N", "http://10.0.0.1/7": "·", "http://10.0.0.1/": "·", "": "·",
		"9 lives": "9",
	} {
		if got := firstLetter(label); got != want {
			t.Errorf("firstLetter(%q) = %q, want %q", label, got, want)
		}
	}
}
