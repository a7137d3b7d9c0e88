package wording

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"tidings/lab/cost"
	"tidings/lab/cpu"
	"tidings/markup"
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
		if got := Plain(in, 100); got != want {
			t.Errorf("plain(%q) = %q, want %q", in, got, want)
		}
	}
	start := cpu.Time()
	if got := Plain(strings.Repeat("x", 1<<20), MaxTitle); utf8.RuneCountInString(got) != MaxTitle+1 ||
		!strings.HasSuffix(got, "x…") {
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
		got := Plain(s, max)
		if !utf8.ValidString(got) || utf8.RuneCountInString(got) > max+1 || strings.TrimSpace(got) != got {
			t.Fatalf("plain(%q, %d) = %q", s, max, got)
		}
		if strings.ContainsFunc(got, func(c rune) bool { return c < ' ' || markup.IsDirection(c) }) {
			t.Fatalf("plain(%q) = %q", s, got)
		}
		if len(got) > 0 && !strings.HasSuffix(got, "…") && Plain(got, max) != got {
			t.Fatalf("plain is not stable on %q", got)
		}
	})
}

// hostile 23: only http and https are followed, without credentials, and the host is shown as it is.
func TestLinkTo(t *testing.T) {
	for in, want := range map[string]Link{
		"https://www.example.org/a?b#c":    {"https://www.example.org/a?b#c", "example.org"},
		" http://example.org:8080/ ":       {"http://example.org:8080/", "example.org"},
		"http://user:pass@host.example/":   {"http://host.example/", "host.example"},
		"https://paypal.com@evil.example/": {"https://evil.example/", "evil.example"},
		"https://pаypal.example/":          {"https://p%D0%B0ypal.example/", "xn--pypal-4ve.example"}, // Cyrillic а
		"javascript:alert(1)":              {}, "JaVaScRiPt:alert(1)": {}, "data:text/html,x": {},
		"file:///etc/passwd": {}, "ftp://x.example/": {},
		"": {}, "#part": {}, "/relative": {}, "//host.example/": {}, "https://": {}, "http://[::1": {},
		"https:example.org": {},
		"https://x.example/" + strings.Repeat("a", 100<<10): {},
	} {
		if got := LinkTo(in); got != want {
			t.Errorf("linkTo(%.80q) = %+v, want %+v", in, got, want)
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
		if got := string(Marked(in)); got != want {
			t.Errorf("marked(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestNumbers(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1234: "-1,234"} {
		if got := Thousands(n); got != want {
			t.Errorf("thousands(%d) = %q", n, got)
		}
	}
	for n, want := range map[int64]string{0: "0 bytes", 1: "1 byte", 1023: "1,023 bytes", 1024: "1.0 KiB",
		10 << 20: "10 MiB", 1000 << 10: "1.0 MiB", 1 << 40: "1.0 TiB"} {
		if got := Bytes(n); got != want {
			t.Errorf("bytesText(%d) = %q, want %q", n, got, want)
		}
	}
}
