package console

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// hostile 22: nothing from outside moves a terminal's cursor, paints, beeps, turns
// directions, hides or breaks its line.
func TestHostile22NeutralText(t *testing.T) {
	for given, want := range map[string]string{
		"plain text":                         "plain text",
		"\x1b[2J\x1b[31mred\x1b[0m":          "[2J[31mred[0m",
		"\x1b]0;title\x07x":                  "]0;titlex",
		"\x1b]8;;https://evil\x1b\\y":        "]8;;https://evil\\y",
		"\u009b31mC1":                        "31mC1",
		"a\rb\nc\td":                         "a b c d",
		"a\u0085b\u2028c\u2029d":             "a b c d",
		"\u202egnp.exe\u202c":                "gnp.exe",
		"\u2066x\u2069\u200f\u200e\u061c":    "x",
		"z\u200be\u2060r\ufeffo":             "zero",
		"soft\u00adhyphen":                   "softhyphen",
		"\U000e0041tag":                      "tag",
		"a\x00b\x07c\x7fd\bx":                "abcdx",
		"no-\xff-utf8":                       "no-\uFFFD-utf8",
		"می\u200cخواهم 👩\u200d💻 日本":          "می\u200cخواهم 👩\u200d💻 日本",
		"\u3164hidden\u115f":                 "hidden",
		"  many \u00a0  blanks\u3000here   ": "many blanks here",
	} {
		if got := Neutral(given); got != want {
			t.Errorf("%q: got %q, want %q", given, got, want)
		}
	}
	if got := NeutralLine("  a\tb \x1b[1m\r\n"); got != "  a    b [1m  " {
		t.Errorf("a line became %q", got)
	}
}

func TestNeutralForAnyText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		given := string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")) + rapid.String().Draw(t, "text")
		for _, out := range []string{Neutral(given), NeutralLine(given)} {
			if !utf8.ValidString(out) {
				t.Fatalf("%q is no UTF-8", out)
			}
			for _, r := range out {
				if isHarmful(r) {
					t.Fatalf("%q has %U", out, r)
				}
			}
		}
		if once := Neutral(given); Neutral(once) != once {
			t.Fatalf("%q is not neutral", once)
		}
	})
}

func TestNeutralJSONMeansTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		given := rapid.String().Draw(t, "text") + rapid.SampledFrom([]string{"", "\u202e", "\x7f", "\u009b",
			"\U000e0041"}).Draw(t, "harm")
		var b bytes.Buffer
		c := &Console{Out: &b}
		if err := c.JSON(map[string]string{"x": given}); err != nil {
			t.Fatal(err)
		}
		var back map[string]string
		if err := json.Unmarshal(b.Bytes(), &back); err != nil || back["x"] != given {
			t.Fatalf("%q came back as %q (%v)", given, back["x"], err)
		}
		for _, r := range strings.TrimSuffix(b.String(), "\n") {
			if isHarmful(r) {
				t.Fatalf("%q has %U", b.String(), r)
			}
		}
	})
}

func TestTableFitsTheTerminal(t *testing.T) {
	columns := []Column{{Title: "NAME", Least: 6}, {Title: "N", Right: true}, {Title: "ADDRESS", Least: 8},
		{Title: "WHY", Least: 4, Spare: true}, {Title: "SILENT", Spare: true}}
	rows := [][]Cell{
		{{Text: "日本語のニュース"}, {Text: "7"}, {Text: "https://a.example/feed"}, {Text: "because it is so"}, {}},
		{{Text: "é́combined"}, {Text: "12345"}, {Text: "https://b.example/"}, {}, {}},
	}
	for width, want := range map[int]string{
		0: "" +
			"NAME                  N  ADDRESS                 WHY\n" +
			"日本語のニュース      7  https://a.example/feed  because it is so\n" +
			"é́combined         12345  https://b.example/\n",
		40: "" +
			"NAME           N  ADDRESS     WHY\n" +
			"日本語の…      7  https://a…  because i…\n" +
			"é́combined  12345  https://b…\n",
		25: "" +
			"NAME        N  ADDRESS\n" +
			"日本…       7  https:/…\n" +
			"é́comb…  12345  https:/…\n",
	} {
		var b bytes.Buffer
		c := &Console{Out: &b, Width: width}
		if complete := c.Table(columns, rows); complete != (width != 25) {
			t.Errorf("width %d: complete: %v", width, complete)
		}
		if b.String() != want {
			t.Errorf("width %d: got\n%swant\n%s", width, b.String(), want)
		}
		for line := range strings.Lines(b.String()) {
			if n := Columns(strings.TrimSuffix(line, "\n")); width > 0 && n > width {
				t.Errorf("%q takes %d columns of %d", line, n, width)
			}
		}
	}
}

func TestColoursOnlyWhereAllowed(t *testing.T) {
	for _, c := range []*Console{New(&bytes.Buffer{}, func(string) string { return "" }), {Terminal: true}} {
		if got := c.Paint(Red, "x"); got != "x" {
			t.Errorf("painted %q", got)
		}
	}
	if got := (&Console{Colour: true}).Paint(Red, "x"); got != "\x1b[31mx\x1b[0m" {
		t.Errorf("painted %q", got)
	}
}

func TestWords(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	c := &Console{Now: func() time.Time { return now }}
	for d, want := range map[time.Duration]string{
		0: "now", -time.Minute: "1 min ago", 30 * time.Second: "in 30 s", 3*time.Hour + 59*time.Minute: "in 4 h",
		-50 * time.Hour: "2.1 days ago", 59*time.Minute + 40*time.Second: "in 1 h",
		12*time.Hour + 42*time.Minute: "in 13 h",
		90 * time.Minute:              "in 1.5 h", 59*time.Second + 600*time.Millisecond: "in 1 min",
		9*time.Hour + 58*time.Minute:  "in 10 h",
		47*time.Hour + 40*time.Minute: "in 2 days", 13*24*time.Hour + 13*time.Hour: "in 14 days",
		-4 * time.Second: "now", -30 * time.Second: "30 s ago",
	} {
		if got := c.Relative(now.Add(d)); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
	if got := c.Relative(time.Time{}); got != "never" {
		t.Errorf("no time: %q", got)
	}
	if got := c.Relative(now.AddDate(-1, 0, 0)); !strings.HasPrefix(got, "2025-05-01") {
		t.Errorf("a year ago: %q", got)
	}
	for n, want := range map[int64]string{0: "0 B", 999: "999 B", 1500: "1.5 kB", 999_960: "1.0 MB",
		5 << 30: "5.4 GB"} {
		if got := Bytes(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", -1234567: "-1,234,567", -100: "-100"} {
		if got := Count(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
	if got := Of(1, "item") + Of(2000, "item"); got != "1 item2,000 items" {
		t.Errorf("got %q", got)
	}
}

func TestWrap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[a-z日]{0,8}( [a-z日]{1,8}){0,10}`).Draw(t, "text")
		width := rapid.IntRange(1, 30).Draw(t, "width")
		lines := Wrap(text, width)
		if got := strings.Join(lines, " "); got != strings.TrimSpace(text) {
			t.Fatalf("got %q", got)
		}
		for _, line := range lines {
			if Columns(line) > width && strings.Contains(line, " ") {
				t.Fatalf("%q takes more than %d columns", line, width)
			}
		}
	})
}

func TestProgress(t *testing.T) {
	var plain bytes.Buffer
	p := (&Console{Out: &plain}).Progress("importing")
	for i := range 2001 {
		p.Show(i, 2000, "")
	}
	p.Clear()
	if n := strings.Count(plain.String(), "\n"); n != 11 ||
		!strings.HasSuffix(plain.String(), "importing: 2,000 of 2,000\n") {
		t.Errorf("%d lines:\n%s", n, plain.String())
	}
	var drawn bytes.Buffer
	p = (&Console{Out: &drawn, Terminal: true, Width: 40}).Progress("importing")
	p.Show(1, 2, "")
	p.Show(2, 2, "1 failed")
	p.Clear()
	want := "\r\x1b[Kimporting [█████████··········] 1 of 2\r\x1b[Kimporting [█████████] 2 of 2, 1 failed\r\x1b[K"
	if drawn.String() != want {
		t.Errorf("got %q, want %q", drawn.String(), want)
	}
}

func TestWaiting(t *testing.T) {
	var plain, drawn strings.Builder
	for _, c := range []*Console{{Out: &plain}, {Out: &drawn, Terminal: true}} {
		w := c.Waiting()
		w.Show("", time.Second)
		w.Show("asking\x1b[31m", 2*time.Second)
		w.Show("asking\x1b[31m", 3*time.Second+time.Millisecond)
		w.Clear()
		w.Clear()
	}
	if want := "asking[31m\n"; plain.String() != want {
		t.Errorf("%q, want %q", plain.String(), want)
	}
	if want := "\r\x1b[Kasking[31m (2 s)\r\x1b[Kasking[31m (3 s)\r\x1b[K"; drawn.String() != want {
		t.Errorf("%q, want %q", drawn.String(), want)
	}
}
