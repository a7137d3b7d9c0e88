package diffview

import (
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tidings/lab/cost"
)

// draw writes hunks as text: what differs within a line in [brackets].
func draw(hunks []Hunk) string {
	var b strings.Builder
	side := func(l *Line) string {
		if l == nil {
			return "."
		}
		text := fmt.Sprint(l.Number, " ")
		for _, s := range l.Spans {
			if s.Marked {
				text += "[" + s.Text + "]"
			} else {
				text += s.Text
			}
		}
		return text
	}
	for _, h := range hunks {
		fmt.Fprintf(&b, "@ %d %d\n", h.OldLine, h.NewLine)
		for _, r := range h.Rows {
			fmt.Fprintf(&b, "%s / %s\n", side(r.Old), side(r.New))
		}
	}
	return b.String()
}

func TestView(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"nothing", "", ""},
		{"added", "3a4,5\n> x\n> y\n", "@ 4 4\n. / 4 x\n. / 5 y\n"},
		{"removed", "3,4d2\n< x\n< y\n", "@ 3 3\n3 x / .\n4 y / .\n"},
		{"a word", "2c2\n< Price: 12.50 EUR a piece\n---\n> Price: 14.00 EUR a piece\n",
			"@ 2 2\n2 Price: [12.50] EUR a piece / 2 Price: [14.00] EUR a piece\n"},
		{"unlike lines stay apart", "1c1\n< The sun is shining\n---\n> 42 bottles\n",
			"@ 1 1\n1 The sun is shining / .\n. / 1 42 bottles\n"},
		{"inserted before its partner",
			"1c1,2\n< the price is 5 today\n---\n> something else entirely, brand new\n> the price is 6 today\n",
			"@ 1 1\n. / 1 something else entirely, brand new\n1 the price is [5] today / 2 the price is [6] today\n"},
		{"lines like commands", "1c1\n< ---\n---\n> > 1,2c3\n", "@ 1 1\n1 --- / .\n. / 1 > 1,2c3\n"},
		{"two hunks", "1d0\n< a\n5a5\n> b\n", "@ 1 1\n1 a / .\n@ 6 5\n. / 5 b\n"},
		{"script without blanks", "1c1\n< 今日は晴れです\n---\n> 今日は雨です\n", "@ 1 1\n1 今日は[晴れ]です / 1 今日は[雨]です\n"},
		{"not a delta", "what is this\n> x\n\\ No newline\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := draw(View(c.text)); got != c.want {
				t.Errorf("got\n%swant\n%s", got, c.want)
			}
		})
	}
}

func TestTexts(t *testing.T) {
	before := "First sentence stays. The second says 10 things. A third.\nNext line."
	after := "First sentence stays. The second says 12 things. A third.\nNext line. And one more!"
	want := "@ 2 2\n2 The second says [10] things. / 2 The second says [12] things.\n@ 5 5\n. / 5 And one more!\n"
	if got := draw(Texts(before, after)); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if got := Texts(before, before); got != nil {
		t.Errorf("equal texts differ: %v", got)
	}
}

func TestWords(t *testing.T) {
	a, b, _ := compareWords("version 1.2 is out", "version 1.3 is out")
	if got := draw(
		[]Hunk{{1, 1,
			[]Row{{&Line{1, a}, &Line{1, b}}}}}); got != "@ 1 1\n1 version [1.2] is out / 1 version [1.3] is out\n" {
		t.Errorf("got %s", got)
	}
	long := strings.Repeat("word ", MaxWords)
	if a, b, share := compareWords(long, long+"x"); share != 0 || len(a)+len(b) > 0 {
		t.Errorf("a line of too many words is compared by words: %d and %d spans", len(a), len(b))
	}
}

// TestNoLineIsLost: whatever the lines, the rows give them all, in order.
func TestNoLineIsLost(t *testing.T) {
	lines := rapid.SliceOfN(rapid.SampledFrom([]string{"", "a", "a b", "a b c d", "a b c e", "x y z", "< q", "---",
		"ü"}), 1, 20)
	rapid.Check(t, func(t *rapid.T) {
		old, new := lines.Draw(t, "old"), lines.Draw(t, "new")
		text := fmt.Sprintf("1,%dc1,%d\n", len(old), len(new)) + prefixed("< ", old) + "---\n" + prefixed("> ", new)
		var gotOld, gotNew []string
		for _, h := range View(text) {
			for _, r := range h.Rows {
				if r.Old != nil {
					gotOld = append(gotOld, r.Old.Text())
				}
				if r.New != nil {
					gotNew = append(gotNew, r.New.Text())
				}
			}
		}
		if strings.Join(gotOld, "\n") != strings.Join(old, "\n") ||
			strings.Join(gotNew, "\n") != strings.Join(new, "\n") {
			t.Fatalf("%q and %q became %q and %q", old, new, gotOld, gotNew)
		}
	})
}

func TestInline(t *testing.T) {
	draw := func(r Row) (text string) {
		for _, p := range r.Inline() {
			text += map[Fate]string{Kept: "", Removed: "-", Added: "+"}[p.Fate] + "(" + p.Text + ")"
		}
		return text
	}
	for delta, want := range map[string]string{
		"2c2\n< tea 3 and cake\n---\n> tea 4 and cake\n":    "(tea )-(3)+(4)( and cake)",
		"2c2\n< one two three\n---\n> zero two three\n":     "-(one)+(zero)( two three)",
		"2c2\n< one two three\n---\n> one two three four\n": "(one two three)+( four)",
		"2d1\n< gone\n": "-(gone)",
		"1a2\n> come\n": "+(come)",
	} {
		if got := draw(View(delta)[0].Rows[0]); got != want {
			t.Errorf("%q: %s, want %s", delta, got, want)
		}
	}
}

// Whatever the lines: without what was added the parts are the old line, without what was removed the new one.
func TestInlineHasBothLines(t *testing.T) {
	line := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", " ", "12.5", ",", "ü", "日", "word", "\t"}), 0, 15)
	rapid.Check(t, func(t *rapid.T) {
		old, new := strings.Join(line.Draw(t, "old"), ""), strings.Join(line.Draw(t, "new"), "")
		a, b, _ := compareWords(old, new)
		var gotOld, gotNew string
		last := Fate(-1)
		for _, p := range (Row{Old: &Line{1, a}, New: &Line{1, b}}).Inline() {
			if p.Fate != Added {
				gotOld += p.Text
			}
			if p.Fate != Removed {
				gotNew += p.Text
			}
			if p.Fate == last || p.Text == "" || last == Added && p.Fate == Removed {
				t.Fatalf("a part %v of %q follows one %v", p.Fate, p.Text, last)
			}
			last = p.Fate
		}
		if gotOld != old || gotNew != new {
			t.Fatalf("%q and %q became %q and %q", old, new, gotOld, gotNew)
		}
	})
}

func prefixed(mark string, lines []string) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(mark + l + "\n")
	}
	return b.String()
}

func TestCut(t *testing.T) {
	hunks := View("1,3d0\n< a\n< b\n< c\n9a7,8\n> x\n> y\n")
	for _, c := range []struct{ rows, hunks, left int }{{0, 0, 5}, {2, 1, 3}, {3, 1, 2}, {4, 2, 1}, {9, 2, 0}} {
		shown, left := Cut(hunks, c.rows)
		if len(shown) != c.hunks || left != c.left {
			t.Errorf("Cut to %d: %d hunks, %d left; want %d and %d", c.rows, len(shown), left, c.hunks, c.left)
		}
	}
	if len(hunks[0].Rows) != 3 {
		t.Error("Cut changed what it was given")
	}
}

// TestWorstIsBounded draws the largest changes a page can make.
func TestWorstIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	if info, ok := debug.ReadBuildInfo(); ok &&
		slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
		t.Skip("measures time, which the race detector makes long")
	}
	lines := make([]string, 50_000)
	for i := range lines {
		lines[i] = fmt.Sprintf("line %d with a few words", i*7919)
	}
	many := fmt.Sprintf("1,%dc1,%d\n", len(lines), len(lines)) + prefixed("< ", lines) + "---\n" +
		prefixed("> ", lines[1:])
	wide := "1c1\n< " + strings.Repeat("a b ", 1<<18) + "\n---\n> " + strings.Repeat("b a ", 1<<18) + "\n"
	longs := make([]string, 4000)
	for i := range longs {
		longs[i] = strings.Repeat(fmt.Sprintf("%d %d ", i, i+1), MaxWords/4-2)
	}
	costly := "1,4000c1,4000\n" + prefixed("< ", longs) + "---\n" + prefixed("> ", longs[2000:]) + prefixed("> ",
		longs[:2000])
	for name, text := range map[string]string{"many lines": many, "one line of 1 MB": wide, "long lines": costly} {
		within(t, name, func() { View(text) })
	}
	within(t, "texts", func() {
		Texts(strings.Repeat("A. ", 1<<18), strings.Repeat("B. ", 1<<18))
		Texts(strings.Repeat(".\"", 1<<18), strings.Repeat(". ", 1<<18))
	})
}

// within fails the test if work uses more processor time than a busy machine explains. Work that grows with the square
// of its input needs minutes.
func within(t *testing.T, name string, work func()) {
	t.Helper()
	const most = 8 * time.Second
	if took := cost.Best(most, work); took > most {
		t.Errorf("%s: took %v of the processor", name, took)
	} else {
		t.Logf("%s: %v of the processor", name, took)
	}
}

func FuzzView(f *testing.F) {
	seeds := []string{"", "3a4,5\n> x\n> y\n", "2c2\n< a b\n---\n> a c\n", "1c1\n---\n", "0d"}
	if len(seeds) < 5 {
		f.Fatal("the seeds are gone")
	}
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, h := range View(text) {
			for _, r := range h.Rows {
				if r.Old == nil && r.New == nil {
					t.Fatal("a row of nothing")
				}
			}
		}
		Texts(text, strings.ToUpper(text))
	})
}
