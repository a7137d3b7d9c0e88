// Package zone names the zones of Astrolabe's tree: "/" is the root, "/eu/de" a child of "/eu" (van Renesse, Birman and
// Vogels, ACM TOCS 21(2), section 2).
package zone

import (
	"fmt"
	"strings"

	"tidings/network/engine"
)

// Path names a zone. It is valid if Parse returned it, or a method of a valid Path.
type Path string

// Root is the zone of all nodes.
const Root Path = "/"

// Bounds of paths.
const (
	MaxDepth = 8   // of a zone: the root's is 0
	MaxLabel = 24  // bytes
	MaxPath  = 200 // bytes of the longest path
)

// Labels of special meaning begin with one of these.
const (
	MemberMark   = "@" // a member in the table of its zone
	AutoMark     = "~" // a zone that made itself, when its parent was full
	FunctionMark = "&" // an aggregation function in the table of the zone that it was installed for
)

// Parse reads a path as people write it. Capital letters are made small, and a slash at the end is left out.
func Parse(text string) (Path, error) {
	trimmed := strings.ToLower(strings.TrimSuffix(text, "/"))
	if trimmed == "" && text == "/" {
		return Root, nil
	}
	if !strings.HasPrefix(trimmed, "/") {
		return "", fmt.Errorf("a zone is written with a slash at the start, as in /eu/de/berlin, not %q", text)
	}
	labels := strings.Split(trimmed[1:], "/")
	if len(labels) > MaxDepth {
		return "", fmt.Errorf("the zone %q is %d levels deep, at most %d are possible", text, len(labels), MaxDepth)
	}
	for _, label := range labels {
		if err := checkLabel(label); err != nil {
			return "", fmt.Errorf("the zone %q: %w", text, err)
		}
	}
	return Path(trimmed), nil
}

// Validate returns an error if p, which came in a message, names no zone.
func (p Path) Validate() error {
	q, err := Parse(string(p))
	if err == nil && q != p {
		err = fmt.Errorf("the zone %q is not written as %q", string(p), string(q))
	}
	return err
}

// checkLabel returns an error if no zone can have a label.
func checkLabel(label string) error {
	name := strings.TrimPrefix(label, AutoMark)
	if name == "" || len(label) > MaxLabel {
		return fmt.Errorf("each name has 1 to %d characters, not %q", MaxLabel, label)
	}
	for _, c := range []byte(name) {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '_' {
			return fmt.Errorf("names consist of letters, digits, - and _, not %q", label)
		}
	}
	return nil
}

// Member returns the label that a member has in the table of its zone: the start of its ID, so long that no attacker
// finds a key for the same.
func Member(id engine.ID) string { return MemberMark + id.String()[:20] }

// IsMember reports whether a label is a member's, and not a zone's or a function's.
func IsMember(label string) bool { return strings.HasPrefix(label, MemberMark) }

// IsFunction reports whether a label is that of an aggregation function.
func IsFunction(label string) bool { return strings.HasPrefix(label, FunctionMark) }

// IsZone reports whether a label is a zone's.
func IsZone(label string) bool { return checkLabel(label) == nil }

// Depth returns how many levels p lies below the root.
func (p Path) Depth() int {
	if p == Root {
		return 0
	}
	return strings.Count(string(p), "/")
}

// Parent returns the zone that p lies in; the root's is the root.
func (p Path) Parent() Path {
	at := strings.LastIndexByte(string(p), '/')
	if at <= 0 {
		return Root
	}
	return p[:at]
}

// Label returns the name of p within its parent; the root has none.
func (p Path) Label() string { return string(p[strings.LastIndexByte(string(p), '/')+1:]) }

// Child returns the zone with a label in p.
func (p Path) Child(label string) Path {
	if p == Root {
		return Path("/" + label)
	}
	return p + Path("/"+label)
}

// At returns the zone at a depth that p lies in, or is.
func (p Path) At(depth int) Path {
	if depth == 0 {
		return Root
	}
	for i, c := range []byte(p) {
		if c != '/' || i == 0 {
			continue
		}
		if depth--; depth == 0 {
			return p[:i]
		}
	}
	return p
}

// Contains reports whether q is p or lies in it.
func (p Path) Contains(q Path) bool {
	return p == Root || strings.HasPrefix(string(q), string(p)) && (len(q) == len(p) || q[len(p)] == '/')
}

// Common returns the deepest zone that contains both.
func Common(p, q Path) Path {
	for !p.Contains(q) {
		p = p.Parent()
	}
	return p
}

// Auto reports whether p made itself, rather than that somebody gave it its name.
func (p Path) Auto() bool { return strings.HasPrefix(p.Label(), AutoMark) }
