package zone

import (
	"strings"
	"testing"

	"tidings/network/engine"
)

// Names that zones can have, and other labels that differ from them.
func TestLabels(t *testing.T) {
	long := strings.Repeat("x", MaxLabel)
	for label, want := range map[string]bool{
		"a": true, "z": true, "0": true, "9": true, "-": true, "_": true, "eu-west_1": true, "~a": true, long: true,
		"~" + long[1:]: true,
		"":             false, "~": false, "~~a": false, "@a": false, "&a": false, "A": false, "a/b": false,
		"a b": false, "`": false, "{": false, "/": false, ":": false,
		"ä": false, long + "x": false, "~" + long: false,
	} {
		if got := IsZone(label); got != want {
			t.Errorf("%q names a zone: %v", label, got)
		}
		if path := "/eu/" + label; label != "A" && !strings.Contains(label, "/") && label != "" {
			if _, err := Parse(path); (err == nil) != want {
				t.Errorf("%q is a path: %v", path, err)
			}
			if err := Path(path).Validate(); (err == nil) != want {
				t.Errorf("%q in a message: %v", path, err)
			}
		}
	}
	member := Member(engine.PrefixID("c0ffee"))
	if member != "@c0ffee00000000000000" {
		t.Errorf("a member's label is %q", member)
	}
	for label, want := range map[string][2]bool{member: {true, false}, "&sum": {false, true}, "eu": {}, "~eu": {},
		"e&u": {}, "e@u": {}} {
		if IsMember(label) != want[0] || IsFunction(label) != want[1] {
			t.Errorf("%q is a member's: %v, a function's: %v", label, IsMember(label), IsFunction(label))
		}
	}
}

// Paths are read as people write them, but come in messages as they are.
func TestPathsAsWritten(t *testing.T) {
	for text, want := range map[string]Path{"/": Root, "/eu/": "/eu", "/EU/De": "/eu/de", "/eu": "/eu"} {
		if got, err := Parse(text); err != nil || got != want {
			t.Errorf("%q is %q, %v", text, got, err)
		}
		if err := Path(text).Validate(); (err == nil) != (string(want) == text) {
			t.Errorf("%q in a message: %v", text, err)
		}
	}
	for _, text := range []string{"", "eu", "//", "/eu//de", "/eu/de//", " /eu", "/~"} {
		if got, err := Parse(text); err == nil {
			t.Errorf("%q is %q", text, got)
		}
	}
	deep := strings.Repeat("/a", MaxDepth)
	if p, err := Parse(deep); err != nil || p.Depth() != MaxDepth {
		t.Errorf("%q has depth %d, %v", deep, p.Depth(), err)
	}
	if _, err := Parse(deep + "/a"); err == nil {
		t.Error("a path is too deep")
	}
}

// What lies where.
func TestWhatLiesWhere(t *testing.T) {
	for _, c := range []struct {
		path, parent Path
		label        string
		auto         bool
	}{
		{"/eu/de/~b", "/eu/de", "~b", true}, {"/eu/de", "/eu", "de", false}, {"/eu", Root, "eu", false},
		{"/~eu", Root, "~eu", true}, {"/~eu/de", "/~eu", "de", false},
		{Root, Root, "", false},
	} {
		if c.path.Parent() != c.parent || c.path.Label() != c.label || c.path.Auto() != c.auto {
			t.Errorf("%s lies in %s as %q, made itself: %v", c.path, c.path.Parent(), c.path.Label(), c.path.Auto())
		}
		if c.path != Root && c.parent.Child(c.label) != c.path {
			t.Errorf("%s in %s is %s", c.label, c.parent, c.parent.Child(c.label))
		}
		for depth := range 5 {
			want := c.path
			for want.Depth() > depth {
				want = want.Parent()
			}
			if got := c.path.At(depth); got != want {
				t.Errorf("%s at depth %d is %s", c.path, depth, got)
			}
		}
	}
}
