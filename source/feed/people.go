package feed

import (
	"slices"
	"strings"
)

// people are the authors of an item or feed, by name.
type people []string

// add adds a person that is not among them yet. A name that is plainly HTML is read as such.
func (p *people) add(name string, cfg Config) {
	if len(*p) >= cfg.MaxPerItem {
		return
	}
	name = construct{text: strings.TrimSpace(name)}.title(false, cfg.MaxTitle)
	if name != "" && !slices.Contains(*p, name) {
		*p = append(*p, name)
	}
}

// firstNamed returns the first of several that has a name in it, where others have but addresses of mail; else the
// first that has anybody.
func firstNamed(several ...people) people {
	var first people
	for _, p := range several {
		if slices.ContainsFunc(p, func(name string) bool { return !isMail(name) }) {
			return p
		}
		if len(first) == 0 {
			first = p
		}
	}
	return first
}

// isMail reports whether a name is nothing but an address of mail.
func isMail(name string) bool { return strings.Contains(name, "@") && !strings.Contains(name, " ") }

// label returns them as one line.
func (p people) label(cfg Config) string {
	return plainTitle(strings.Join(p, ", "), cfg.MaxTitle)
}

// author is a person as described so far.
type author struct {
	name, email string
	text        []byte // what stands in its element itself
}

// label returns the best name there is.
func (a author) label() string {
	return firstOf(a.name, personName(string(a.text)), a.email)
}

// personName returns the name in RSS's "mail@example.org (Name)", which some feeds reverse, and RFC 5322's
// "Name <mail@example.org>".
func personName(s string) string {
	s = strings.TrimSpace(s)
	if i := strings.IndexByte(s, '('); i > 0 && strings.HasSuffix(s, ")") {
		before, within := strings.TrimSpace(s[:i]), strings.TrimSpace(s[i+1:len(s)-1])
		switch {
		case strings.Contains(before, "@"):
			return firstOf(within, before)
		case isMail(within):
			return before
		}
	}
	if i := strings.IndexByte(s, '<'); i > 0 && strings.HasSuffix(s, ">") && strings.Contains(s[i:], "@") {
		return strings.Trim(s[:i], "\" ")
	}
	return s
}
