package web

import (
	"cmp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"tidings"
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
		if got := nameOf(c.label, 24); got != c.want {
			t.Errorf("nameOf(%q) = %q, want %q", c.label, got, c.want)
		}
	}
}

func TestNamesAreShort(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		label := rapid.SampledFrom([]string{"", "http://x", "https://127.0.0.1:80/"}).Draw(t, "start") + rapid.String().Draw(t, "label")
		max := rapid.IntRange(3, 60).Draw(t, "max")
		if got := nameOf(label, max); utf8.RuneCountInString(got) > max+1 || !utf8.ValidString(got) {
			t.Fatalf("nameOf(%q, %d) = %q", label, max, got)
		}
	})
}

func TestBadgeLetter(t *testing.T) {
	for label, want := range map[string]string{
		"The Long Kitchen": "L", "élan": "É", "https://www.example.org/feed": "E", "http://127.0.0.1:9710/feeds/spec.xml": "S",
		"http://[fe80::1]/12-notes": "N", "http://10.0.0.1/7": "·", "http://10.0.0.1/": "·", "": "·", "9 lives": "9",
	} {
		if got := firstLetter(label); got != want {
			t.Errorf("firstLetter(%q) = %q, want %q", label, got, want)
		}
	}
}

func TestNaturalOrder(t *testing.T) {
	want := []string{"", "2", "10", "Feed", "feed 2", "Feed 02 b", "Feed 10", "feed 010 b", "Feed x", "zebra", "Ärger"}
	got := slices.Clone(want)
	slices.Reverse(got)
	slices.SortFunc(got, natural)
	if !slices.Equal(got, want) {
		t.Errorf("sorted: %q, want %q", got, want)
	}
	name := rapid.StringMatching(`[a-bA-B0-2 ]{0,6}`)
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := name.Draw(t, "a"), name.Draw(t, "b"), name.Draw(t, "c")
		if natural(a, b) != -natural(b, a) || (natural(a, b) == 0) != (a == b) {
			t.Fatalf("%q and %q: %d and %d", a, b, natural(a, b), natural(b, a))
		}
		if natural(a, b) < 0 && natural(b, c) < 0 && natural(a, c) >= 0 {
			t.Fatalf("%q < %q < %q, but not the first and last", a, b, c)
		}
	})
}

// Folders stay whole, even where their names differ by case alone.
func TestFollowedInOrder(t *testing.T) {
	f := newFake()
	for _, c := range []string{"b/Feed 10", "B/Feed 2", "b/Feed 2", "/Feed 1"} {
		folder, name, _ := strings.Cut(c, "/")
		f.follow(tidings.Subscription{Folder: folder, Channel: tidings.Channel{URL: "https://x.example/" + c, Title: name}})
	}
	all, err := (&site{store: f}).followed(t.Context(), tidings.Owner)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range all {
		got = append(got, c.Folder+"/"+c.Title)
	}
	if want := "/Feed 1, B/Feed 2, b/Feed 2, b/Feed 10"; strings.Join(got, ", ") != want {
		t.Errorf("in order: %q, want %q", got, want)
	}
	if n := len(foldersOf(all)); n != 3 {
		t.Errorf("%d folders: %v", n, cmp.Or(got...))
	}
}
