package zone

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestParse(t *testing.T) {
	for _, c := range []struct{ text, want, wrong string }{
		{"/", "/", ""},
		{"/eu/de/berlin", "/eu/de/berlin", ""},
		{"/EU/de/", "/eu/de", ""},
		{"/a/~1f", "/a/~1f", ""},
		{"eu/de", "", "a slash at the start"},
		{"", "", "a slash at the start"},
		{"//", "", "1 to 24 characters"},
		{"/eu//de", "", "1 to 24 characters"},
		{"/eu/" + strings.Repeat("x", 25), "", "1 to 24 characters"},
		{"/eu/d e", "", "letters, digits"},
		{"/@0123", "", "letters, digits"},
		{"/~", "", "1 to 24 characters"},
		{strings.Repeat("/a", 9), "", "9 levels deep, at most 8"},
	} {
		got, err := Parse(c.text)
		if string(got) != c.want || (err == nil) != (c.wrong == "") || err != nil &&
			!strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%q is read as %q, with %v; want %q, %q", c.text, got, err, c.want, c.wrong)
		}
	}
}

func draw(t *rapid.T, name string) Path {
	p := Root
	for range rapid.IntRange(0, MaxDepth).Draw(t, name+" depth") {
		p = p.Child(rapid.SampledFrom([]string{"a", "b", "ab", "~1"}).Draw(t, name+" label"))
	}
	return p
}

// Paths are as lists of labels.
func TestPaths(t *testing.T) {
	labels := func(p Path) []string {
		if p == Root {
			return nil
		}
		return strings.Split(string(p[1:]), "/")
	}
	within := func(p, q []string) bool {
		return len(p) <= len(q) && strings.Join(p, "/") == strings.Join(q[:len(p)], "/")
	}
	rapid.Check(t, func(t *rapid.T) {
		p, q := draw(t, "p"), draw(t, "q")
		if err := p.Validate(); err != nil {
			t.Fatal(err)
		}
		l := labels(p)
		if p.Depth() != len(l) {
			t.Fatalf("%q has depth %d", p, p.Depth())
		}
		if p != Root && p.Parent().Child(p.Label()) != p {
			t.Fatalf("%q is not the child %q of its parent %q", p, p.Label(), p.Parent())
		}
		if p.Contains(q) != within(l, labels(q)) {
			t.Fatalf("%q contains %q: %v", p, q, p.Contains(q))
		}
		for d := range p.Depth() + 1 {
			if at := p.At(d); !at.Contains(p) || at.Depth() != d {
				t.Fatalf("%q at %d is %q", p, d, at)
			}
		}
		c := Common(p, q)
		if !c.Contains(p) || !c.Contains(q) || c.Depth() < min(p.Depth(), q.Depth()) &&
			p.At(c.Depth()+1) == q.At(c.Depth()+1) {
			t.Fatalf("%q and %q have %q in common", p, q, c)
		}
	})
}
