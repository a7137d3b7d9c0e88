package web

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tidings"
)

func TestMarkIn(t *testing.T) {
	for _, c := range []struct{ search, text, want string }{
		{"kernel", "The Kernel, kernels", "The [Kernel], kernels"},
		{"kern*", "The Kernel, kernels", "The [Kernel], [kernels]"},
		{`"new scheduler"`, "A new scheduler", "A [new] [scheduler]"},
		{"cafe", "Café <b>", "[Café] <b>"},
		{"", "nothing", "nothing"}, {"***", "nothing", "nothing"},
	} {
		got := strings.NewReplacer("\x02", "[", "\x03", "]").Replace(markIn(c.text, soughtIn(c.search)))
		if got != c.want {
			t.Errorf("%q in %q: %q, want %q", c.search, c.text, got, c.want)
		}
	}
}

func TestMarkInKeepsTheText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, search := rapid.StringMatching(`[ab é*"\x{301}-]{0,20}`).Draw(t, "text"),
			rapid.StringMatching(`[ab é*"]{0,9}`).Draw(t, "search")
		if got := strings.NewReplacer("\x02", "", "\x03", "").Replace(markIn(text, soughtIn(search))); got != text {
			t.Fatalf("%q in %q: %q", search, text, got)
		}
	})
}

// A search shows each item once, its newest revision that matches, and says how many.
func TestSearchShowsItemsOnce(t *testing.T) {
	v := visit(t, busy(), false)
	text := v.get("/search?q=harbour").Body.String()
	if n := strings.Count(text, `<li class="line`); n != 2 || !strings.Contains(text, "2 found") {
		t.Errorf("%d lines", n)
	}
	if !strings.Contains(text, "<mark>Harbour</mark> wall closed") || !strings.Contains(text, "revised 3 times") {
		t.Error("the title is not marked, or revisions are not told")
	}
	f := newFake()
	f.follow(tidings.Subscription{Channel: tidings.Channel{URL: "https://big.example/feed", Title: "Big",
		Kind: tidings.KindFeed}})
	for i := range 2*pageLines + 3 {
		f.arrive("https://big.example/feed", tidings.Version(i+2),
			tidings.Entry{Content: tidings.Item{Title: fmt.Sprintf("Story %d", i)}})
	}
	v = visit(t, f, false)
	for path, want := range map[string]string{"/search?q=story": "The 40 newest of many",
		"/search?q=story&before=44": "The next 40 of many", "/search?q=story&before=4": "The last 3"} {
		if text := v.get(path).Body.String(); !strings.Contains(text, want) {
			t.Errorf("%s does not say %q", path, want)
		}
	}
}
