package web

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"tidings"
	"tidings/lab/cost"
	"tidings/lab/cpu"
)

// hostile 22: titles that are long, turn the direction of writing, or hide what they are.
func TestPlain(t *testing.T) {
	for in, want := range map[string]string{
		"  two\n words\t ":                    "two words",
		"\u202egnp.exe\u202c":                 "gnp.exe",
		"a\u2066b\u2069c\u200ed\u200fe\u061c": "abcde",
		"zero\u200bwidth\ufeff":               "zerowidth",
		"\x1b[31mred\x1b[0m\a":                "[31mred[0m",
		"👩\u200d👩\u200d👧 family":              "👩\u200d👩\u200d👧 family", // joined by what would hide elsewhere
		"bad\xffbytes":                        "bad bytes",
		"line\u2028paragraph\u2029":           "line paragraph",
		"<b>&amp;":                            "<b>&amp;", // escaping is the template's
	} {
		if got := plain(in, 100); got != want {
			t.Errorf("plain(%q) = %q, want %q", in, got, want)
		}
	}
	start := cpu.Time()
	if got := plain(strings.Repeat("x", 1<<20), maxTitle); utf8.RuneCountInString(got) != maxTitle+1 || !strings.HasSuffix(got, "x…") {
		t.Errorf("1 MiB became %d characters", utf8.RuneCountInString(got))
	}
	if d := cpu.Time() - start; d > time.Second && !cost.RaceDetector() {
		t.Errorf("it took %v", d)
	}
}

func TestPlainIsOneSafeLine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "s")
		max := rapid.IntRange(1, 50).Draw(t, "max")
		got := plain(s, max)
		if !utf8.ValidString(got) || utf8.RuneCountInString(got) > max+1 || strings.TrimSpace(got) != got {
			t.Fatalf("plain(%q, %d) = %q", s, max, got)
		}
		if strings.ContainsFunc(got, func(c rune) bool { return c < ' ' || isDirection(c) }) {
			t.Fatalf("plain(%q) = %q", s, got)
		}
		if len(got) > 0 && !strings.HasSuffix(got, "…") && plain(got, max) != got {
			t.Fatalf("plain is not stable on %q", got)
		}
	})
}

// hostile 23: only http and https are followed, without credentials, and the host is shown as it is.
func TestLinkTo(t *testing.T) {
	for in, want := range map[string]link{
		"https://www.example.org/a?b#c":    {"https://www.example.org/a?b#c", "example.org"},
		" http://example.org:8080/ ":       {"http://example.org:8080/", "example.org"},
		"http://user:pass@host.example/":   {"http://host.example/", "host.example"},
		"https://paypal.com@evil.example/": {"https://evil.example/", "evil.example"},
		"https://pаypal.example/":          {"https://p%D0%B0ypal.example/", "xn--pypal-4ve.example"}, // Cyrillic а
		"javascript:alert(1)":              {}, "JaVaScRiPt:alert(1)": {}, "data:text/html,x": {}, "file:///etc/passwd": {}, "ftp://x.example/": {},
		"": {}, "#part": {}, "/relative": {}, "//host.example/": {}, "https://": {}, "http://[::1": {}, "https:example.org": {},
		"https://x.example/" + strings.Repeat("a", 100<<10): {},
	} {
		if got := linkTo(in); got != want {
			t.Errorf("linkTo(%.80q) = %+v, want %+v", in, got, want)
		}
	}
}

// hostile 22, 23: such titles and links on the pages themselves.
func TestHostileTitlesAndLinks(t *testing.T) {
	f := newFake()
	const evil = "https://feed.example/?a=\"><script>alert(1)</script>"
	length := 1 << 17 // words; far more than a page may show
	if testing.Short() {
		length = 1 << 15
	}
	title := "\u202e\"><script>alert(1)</script><img src=x onerror=alert(2)> {{.}} " + strings.Repeat("long ", length)
	f.follow(tidings.Subscription{Folder: title[:200], Health: "\"><b>", Channel: tidings.Channel{URL: evil, Title: title, Site: "javascript:alert(3)", Kind: tidings.KindFeed, Privacy: tidings.Public}})
	for _, address := range []string{"javascript:alert(4)", "http://user:hunter2@host.example/", "data:text/html,<script>", "x:y"} {
		item := tidings.Item{Title: title, URL: address, Author: title, Summary: title, Enclosures: []tidings.Enclosure{{URL: address, Type: title}}}
		f.arrive(evil, 2, tidings.Entry{Content: item, Before: &tidings.Item{Title: "Before"}, Change: tidings.Changed})
	}
	f.preview = tidings.Preview{Channel: evil, Title: title, Kind: tidings.KindFeed, Privacy: tidings.Public, Items: []tidings.Item{{Title: title, URL: "javascript:alert(5)"}},
		Choices: []tidings.Choice{{URL: "javascript:alert(6)", Title: title}}, Notes: []string{title}, Fetched: []tidings.Fetched{{URL: evil, Error: title}}}
	v := visit(t, f, false)
	pages := map[string]string{"preview": v.post("/add/preview", "url", "\"><script>alert(7)</script>").Body.String()}
	for _, path := range []string{"/", "/entry/1", "/entry/2", "/entry/3", "/channels", channelPath(evil), "/update/1", "/version?url=" + strings.TrimPrefix(channelPath(evil), "/channel?url="), "/search?q=long", "/search?q=%22%3E%3Cscript%3E", "/?folder=%22%3E%3Cscript%3E"} {
		pages[path] = v.get(path).Body.String()
	}
	for path, text := range pages {
		sound(t, path, text)
		for _, bad := range []string{"<script>", "<img", "\u202e", `href="javascript`, `href="data`, "hunter2"} {
			if strings.Contains(text, bad) {
				t.Errorf("%s contains %q", path, bad)
			}
		}
		if len(text) > 100<<10 && !strings.HasPrefix(path, "/entry/") { // there the text itself is shown whole
			t.Errorf("%s has %d bytes", path, len(text))
		}
	}
}

func TestMarked(t *testing.T) {
	for in, want := range map[string]string{
		"the \x02kernel\x03 <b>": "the <mark>kernel</mark> &lt;b&gt;",
		"\x03a\x02b\x02c":        "a<mark>bc</mark>",
		"\x02<script>\x03":       "<mark>&lt;script&gt;</mark>",
		"":                       "",
	} {
		if got := string(marked(in)); got != want {
			t.Errorf("marked(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestNumbers(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1234: "-1,234"} {
		if got := thousands(n); got != want {
			t.Errorf("thousands(%d) = %q", n, got)
		}
	}
	for n, want := range map[int64]string{0: "0 bytes", 1: "1 byte", 1023: "1,023 bytes", 1024: "1.0 KiB", 10 << 20: "10 MiB", 1000 << 10: "1.0 MiB", 1 << 40: "1.0 TiB"} {
		if got := bytesText(n); got != want {
			t.Errorf("bytesText(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestATitleShowsWhatDiffers(t *testing.T) {
	long := strings.Repeat("words that stay as they are ", 10)
	for _, c := range []struct{ delta, want string }{
		{"1a2\n> ## News of the day\n", "News of the day"},
		{"1d0\n< an old line\n", "Removed: an old line"},
		{"1c1\n< " + long + "until noon\n---\n> " + long + "until midnight\n", "until midnight"},
		{"1c1\n< " + strings.Repeat("ä", 200) + "x\n---\n> " + strings.Repeat("ä", 200) + "y\n", "…"},
	} {
		got := firstChange(c.delta, 120)
		if !strings.Contains(got, c.want) || len(got) > 400 || !utf8.ValidString(got) {
			t.Errorf("%.60q gives the title %q, want %q in it", c.delta, got, c.want)
		}
	}
}
