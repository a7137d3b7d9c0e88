package delta

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestTextIsThatOfDiff(t *testing.T) {
	for _, c := range []struct{ name, old, new, want string }{
		{"nothing", "a b", "a b", ""},
		{"from nothing", "", "a b", "0a1,2\n> a\n> b\n"},
		{"to nothing", "a b", "", "1,2d0\n< a\n< b\n"},
		{"add behind", "a", "a b", "1a2\n> b\n"},
		{"delete first", "a b", "b", "1d0\n< a\n"},
		{"change", "a b c", "a x y c", "2c2,3\n< b\n---\n> x\n> y\n"},
		{"two hunks, shifted", "a b c d", "x y b c e", "1c1,2\n< a\n---\n> x\n> y\n4c5\n< d\n---\n> e\n"},
		{"lines like commands", "---", "1,2c3", "1c1\n< ---\n---\n> 1,2c3\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Compute(strings.Fields(c.old), strings.Fields(c.new)).String(); got != c.want {
				t.Errorf("got\n%swant\n%s", got, c.want)
			}
		})
	}
}

// wild are lines that could be mistaken for something else.
var wild = []string{"", " ", "a", "b", "c", "> x", "< y", "---", "1,2c3", "3d2", `\ No newline at end of file`,
	"--- old", "+++ new", "*** 1 ***", "\x00", "ü\xff", "Index: x", "diff a b"}

func lists(t *rapid.T) (old, new []string) {
	lines := rapid.SliceOfN(rapid.SampledFrom(wild), 0, 30)
	old = lines.Draw(t, "old")
	if rapid.Bool().Draw(t, "unrelated") {
		return old, lines.Draw(t, "new")
	}
	for i, l := range old { // an edit of old
		switch rapid.IntRange(0, 5).Draw(t, "edit") {
		case 0:
		case 1:
			new = append(new, l, rapid.SampledFrom(wild).Draw(t, "line"))
		default:
			new = append(new, old[i])
		}
	}
	return old, new
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		old, new := lists(t)
		d := Compute(old, new)
		for _, h := range d {
			if len(h.Old)+len(h.New) == 0 {
				t.Fatal("a hunk that changes nothing")
			}
		}
		parsed, err := Parse(d.String(), DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		if parsed.String() != d.String() {
			t.Fatalf("read as\n%s\ninstead of\n%s", parsed, d)
		}
		got, err := Apply(old, parsed, DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, new) {
			t.Fatalf("made %q, want %q", got, new)
		}
		if got, err = ApplyTo(old, Hash(old), d.String(), Hash(new), DefaultLimits()); err != nil ||
			!slices.Equal(got, new) {
			t.Fatalf("ApplyTo: %q, %v", got, err)
		}
	})
}

// TestGNU has GNU patch apply deltas, and applies what GNU diff prints.
func TestGNU(t *testing.T) {
	for _, tool := range []string{"diff", "patch"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("needs GNU diff and patch (Debian: diffutils, patch): %v", err)
		}
	}
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		old, new := lists(t)
		old, new = without(old, "\x00"), without(new, "\x00") // patch works on texts
		before, after, patched := filepath.Join(dir, "old"), filepath.Join(dir, "new"), filepath.Join(dir, "patched")
		write(t, before, old)
		write(t, after, new)
		out, _ := exec.Command("diff", "--text", before, after).Output() // exits 1 when they differ
		got, err := ApplyTo(old, Hash(old), string(out), Hash(new), DefaultLimits())
		if err != nil || !slices.Equal(got, new) {
			t.Fatalf("what diff printed\n%s gives %q, %v", out, got, err)
		}
		text := Compute(old, new).String()
		if text == "" {
			return // patch refuses an empty patch as garbage
		}
		patch := exec.Command("patch", "--normal", "--silent", "--output="+patched, before)
		patch.Stdin = strings.NewReader(text)
		if out, err := patch.CombinedOutput(); err != nil {
			t.Fatalf("patch: %v\n%s\n%s", err, out, text)
		}
		have, err := os.ReadFile(patched)
		if err != nil || string(have) != fileOf(new) {
			t.Fatalf("patch made %q of\n%s", have, text)
		}
	})
}

func without(lines []string, part string) []string {
	return slices.DeleteFunc(slices.Clone(lines), func(l string) bool { return strings.Contains(l, part) })
}

func fileOf(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "\n") + "\n"
}

func write(t *rapid.T, name string, lines []string) {
	if err := os.WriteFile(name, []byte(fileOf(lines)), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestHashIsThatOfTheFile(t *testing.T) {
	long := strings.Repeat("x", 10_000)
	for _, c := range []struct {
		lines []string
		want  string
	}{
		{nil, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
		{[]string{"a"}, "87428fc522803d31065e7bce3cf03fe475096631e5e07bbd7a0fde60c4cf25c7"},
		{[]string{"a", long, "b"}, ""},
	} {
		got := Hash(c.lines)
		if c.want == "" {
			got, c.want = Hash(slices.Concat(c.lines, []string{"c"})), Hash([]string{"a", long, "b", "c"})
		}
		if got != c.want {
			t.Errorf("Hash(%.20q) = %s, want %s", c.lines, got, c.want)
		}
	}
	if Hash([]string{"ab"}) == Hash([]string{"a", "b"}) {
		t.Error("lines run together")
	}
}

// TestHostile25 is hostile 25: deltas that must be refused before anything is applied.
func TestHostile25(t *testing.T) {
	base := []string{"a", "b", "c", "d"}
	many := strings.Repeat("1a2\n> x\n", 1_000_000)
	small := DefaultLimits()
	small.Bytes = 20
	few := DefaultLimits()
	few.Lines = 5
	for _, c := range []struct {
		name, text string
		limits     Limits
		want       error
	}{
		{"past the end", "9d8\n< x\n", DefaultLimits(), ErrBase},
		{"adds past the end", "5a6\n> x\n", DefaultLimits(), ErrBase},
		{"range past the end", "4,6d3\n< d\n< e\n< f\n", DefaultLimits(), ErrBase},
		{"other lines", "2d1\n< x\n", DefaultLimits(), ErrBase},
		{"overlapping", "1,2d0\n< a\n< b\n2d0\n< b\n", DefaultLimits(), ErrSyntax},
		{"touching", "1d0\n< a\n2d0\n< b\n", DefaultLimits(), ErrSyntax},
		{"descending", "3d2\n< c\n1d0\n< a\n", DefaultLimits(), ErrSyntax},
		{"negative", "-1d0\n< a\n", DefaultLimits(), ErrSyntax},
		{"backward range", "3,2d1\n< b\n", DefaultLimits(), ErrSyntax},
		{"line 0", "0d0\n< a\n", DefaultLimits(), ErrSyntax},
		{"new number wrong", "2d7\n< b\n", DefaultLimits(), ErrSyntax},
		{"overflow", "99999999999999999999d1\n< b\n", DefaultLimits(), ErrSyntax},
		{"large number", "4000000000d1\n< b\n", DefaultLimits(), ErrLimit},
		{"range of all lines", "1,100000d0\n< b\n", DefaultLimits(), ErrSyntax},
		{"10^6 hunks", many, Limits{Text: len(many), Hunks: MaxHunks, Lines: 2_000_000, Bytes: 1 << 30}, ErrSyntax},
		{"10^6 hunks of text", strings.Repeat(many, 2), DefaultLimits(), ErrLimit},
		{"result too large", "4a5\n> 0123456789012345\n", small, ErrLimit},
		{"result too long", "4a5,6\n> x\n> y\n", few, ErrLimit},
		{"cut off", "2c2\n< b\n---\n> x", DefaultLimits(), ErrSyntax},
		{"cut in a hunk", "2c2\n< b\n", DefaultLimits(), ErrSyntax},
		{"no newline", "4c4\n< d\n---\n> x\n\\ No newline at end of file\n", DefaultLimits(), ErrSyntax},
		{"unified", "@@ -1 +1 @@\n-a\n+b\n", DefaultLimits(), ErrSyntax},
		{"wrong mark", "2d1\n> b\n", DefaultLimits(), ErrSyntax},
		{"no rule", "2c2\n< b\n> x\n", DefaultLimits(), ErrSyntax},
		{"empty line", "\n", DefaultLimits(), ErrSyntax},
		{"wrong result", "2d1\n< b\n", DefaultLimits(), ErrResult},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := ApplyTo(base, Hash(base), c.text, Hash([]string{"z"}), c.limits)
			if !errors.Is(err, c.want) || got != nil {
				t.Errorf("got %q, %v; want %v", got, err, c.want)
			}
			if err != nil && len(err.Error()) > 200 {
				t.Errorf("an error of %d bytes", len(err.Error()))
			}
		})
	}
	if _, err := ApplyTo(base, Hash(nil), "2d1\n< b\n", Hash(nil), DefaultLimits()); !errors.Is(err, ErrBase) {
		t.Errorf("wrong base hash: %v", err)
	}
	rising := Delta{}
	for i := range 1_000_000 {
		rising = append(rising, Hunk{At: 2 * i, New: []string{"x"}})
	}
	if _, err := Parse(rising.String(),
		Limits{Text: 1 << 30, Hunks: MaxHunks, Lines: 1 << 30, Bytes: 1 << 30}); !errors.Is(err, ErrLimit) {
		t.Errorf("10^6 well-formed hunks: %v", err)
	}
	for hunks, want := range map[int]error{7: nil, 8: ErrLimit} {
		limits := Limits{Text: 1 << 10, Hunks: 7, Lines: 100, Bytes: 1 << 10}
		if _, err := Parse(rising[:hunks].String(), limits); !errors.Is(err, want) {
			t.Errorf("%d hunks of at most 7: %v, want %v", hunks, err, want)
		}
	}
	for _, d := range []Delta{{{At: -1, Old: []string{"a"}}}, {{At: 5, New: []string{"a"}}}, {{At: 2}, {At: 1}},
		{{At: 1, Old: base}}} {
		if _, err := Apply(base, d, DefaultLimits()); !errors.Is(err, ErrBase) {
			t.Errorf("Apply(%v): %v, want ErrBase", d, err)
		}
	}
}

func TestSuppressedBlankIsRead(t *testing.T) {
	got, err := ApplyTo([]string{""}, Hash([]string{""}), "1c1,2\n<\n---\n>\n> x\n", Hash([]string{"", "x"}),
		DefaultLimits())
	if err != nil || !slices.Equal(got, []string{"", "x"}) {
		t.Errorf("got %q, %v", got, err)
	}
}

func FuzzParse(f *testing.F) {
	seeds := []string{"", "0a1,2\n> a\n> b\n", "1,2d0\n< a\n< b\n", "2c2,3\n< b\n---\n> x\n> y\n",
		"1c1,2\n< a\n---\n> x\n> y\n4c5\n< d\n---\n> e\n", "5,1a\n"}
	if len(seeds) < 6 {
		f.Fatal("the seeds are gone")
	}
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := Parse(text, DefaultLimits())
		if err != nil {
			return
		}
		again, err := Parse(d.String(), DefaultLimits())
		if err != nil || again.String() != d.String() {
			t.Fatalf("%q is not read again as it is written: %v", text, err)
		}
	})
}

func FuzzApply(f *testing.F) {
	seeds := [][2]string{{"a\nb", "2d1\n< b\n"}, {"", "0a1\n> x\n"}, {"a\nb\nc", "1c1\n< a\n---\n> x\n3d2\n< c\n"}}
	if len(seeds) < 3 {
		f.Fatal("the seeds are gone")
	}
	for _, s := range seeds {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, base, text string) {
		old := strings.Split(base, "\n")
		d, err := Parse(text, DefaultLimits())
		if err != nil {
			return
		}
		new, err := Apply(old, d, DefaultLimits())
		if err != nil {
			return
		}
		back, err := Apply(old, Compute(old, new), DefaultLimits())
		if err != nil || !slices.Equal(back, new) {
			t.Fatalf("a computed delta gives %q, want %q: %v", back, new, err)
		}
	})
}
