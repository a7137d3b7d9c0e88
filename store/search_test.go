package store

import (
	"strings"
	"testing"
	"unicode/utf8"

	"tidings"
)

func TestSearch(t *testing.T) {
	s := newStore(t)
	follow(t, s, feedURL)
	publish(t, s, feedURL,
		story{"cafe", "Das Café öffnet <b>früh</b>morgens &amp; spät"},
		story{"long", strings.Repeat("filler ", 100) + "needle in hay " + strings.Repeat("filler ", 100)},
		story{"kernel", "the Linux kernel 6.12 was released"})
	for query, want := range map[string]string{
		"cafe":              "cafe",
		"CAFÉ":              "cafe",
		"frühmorgens":       "cafe",
		"Linux":             "kernel",
		"linux released":    "kernel",
		"linux needle":      "",
		`"linux kernel"`:    "kernel",
		`"kernel linux"`:    "",
		"kern*":             "kernel",
		"kern":              "",
		`"linux kern"*`:     "kernel",
		"6.12":              "kernel",
		"story":             "cafe long kernel",
		"Story AND kernel":  "",
		"b":                 "",
		"NEAR(linux, 6)":    "",
		"title:kernel":      "",
		"-linux":            "kernel",
		"*":                 "",
		`""`:                "",
		"!!! …":             "",
		"   ":               "cafe long kernel",
		"needle\x00 hay":    "long",
		"linux* \"":         "kernel",
		`"unclosed linux`:   "",
		`lin"ux`:            "",
		"'; DROP TABLE x--": "",
	} {
		if got := titles(river(t, s, tidings.EntryQuery{Search: query})); got != want {
			t.Errorf("%q finds %q, want %q", query, got, want)
		}
	}
	for query, want := range map[string]string{
		"cafe spat":      "Das \u0002Café\u0003 öffnet frühmorgens & \u0002spät\u0003",
		`"linux kernel"`: "the \u0002Linux\u0003 \u0002kernel\u0003 6.12 was released",
		"need*":          "… filler filler filler filler filler filler filler filler \u0002needle\u0003 in hay filler",
		"kernel story":   "the Linux \u0002kernel\u0003 6.12 was released",
	} {
		if got := river(t, s, tidings.EntryQuery{Search: query}); !strings.HasPrefix(got[0].Snippet, want) {
			t.Errorf("snippet of %q: %q, want %q", query, got[0].Snippet, want)
		}
	}
}

// A revision replaces nothing: both are found, each by its own words.
func TestSearchFindsRevisions(t *testing.T) {
	s := newStore(t)
	follow(t, s, feedURL)
	publish(t, s, feedURL, story{"a", "apple"})
	publish(t, s, feedURL, story{"a", "pear"})
	for query, want := range map[string]int{"apple": 1, "pear": 1, "story": 2} {
		if got := river(t, s, tidings.EntryQuery{Search: query}); len(got) != want {
			t.Errorf("%q finds %d, want %d", query, len(got), want)
		}
	}
}

var searchSeeds = []string{
	"linux kernel", `"linux kernel"`, "kern*", "*", `"`, `""`, `"*`, `a"b`, "NEAR(a b)", "a AND OR NOT b", "title:x",
	"{a b}:c",
	"^a", "a + b", "a.b-c", "(", ")", "\x00", "\xff\xfe", "é*", "𝒳 Ω", "' OR 1=1 --", strings.Repeat("a ", 500),
	strings.Repeat("x", 5000), "\u0301", "\ue000",
}

// hostile 59: whatever a reader types is an answer or none, never an error of the database.
func FuzzSearch(f *testing.F) {
	if len(searchSeeds) < 20 {
		f.Fatal("the seeds are gone")
	}
	for _, seed := range searchSeeds {
		f.Add(seed)
	}
	s := newStore(f)
	follow(f, s, feedURL)
	publish(f, s, feedURL, story{"a", "linux kernel a b c é x Ω"})
	f.Fuzz(func(t *testing.T, query string) {
		entries, err := s.Entries(t.Context(), tidings.Owner, tidings.EntryQuery{Search: query})
		if err != nil {
			t.Fatalf("%q: %v", query, err)
		}
		for _, e := range entries {
			if !utf8.ValidString(e.Snippet) {
				t.Errorf("%q: snippet %q", query, e.Snippet)
			}
			if strings.Count(e.Snippet, "\u0002") != strings.Count(e.Snippet, "\u0003") {
				t.Errorf("%q: snippet %q", query, e.Snippet)
			}
		}
	})
}
