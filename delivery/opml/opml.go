// Package opml reads and writes lists of subscriptions: OPML 1 and 2 (http://opml.org/spec2.opml), as programs really
// write them.
//
// Reading is liberal: attribute names in any case, no type, any character set, control characters, undeclared entities,
// "feed:" addresses. An outline that cannot be used is a [Problem] with its line and never the end of the list. Reading
// is bounded too, by [Limits], and nothing in it recurses. So neither a large nor a deep document costs more than its
// size. Nothing is ever fetched: outlines that include or link other documents are reported and ignored.
//
// OPML has no words for several facts: that a channel is a page, how it is read, its privacy class, a name of one's
// own. They stand in attributes of a [Namespace] of their own. So a list that was written here is read back without
// loss.
//
// Addresses are read as they stand, with their credentials if they have any. Whether one is private is for the node to
// judge; texts of problems show no credentials, and none are ever written.
package opml

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"tidings"
)

var (
	// ErrNotOPML says that a document has neither an opml element nor an outline.
	ErrNotOPML = errors.New("not an OPML document")
	// ErrTooLarge says that a document has more bytes than Limits allow.
	ErrTooLarge = errors.New("OPML document too large")
)

// List is what an OPML document says.
type List struct {
	Title    string
	Entries  []Entry
	Problems []Problem // in the order of the document; not written
}

// Entry is one subscription.
type Entry struct {
	URL    string // of the feed (or page): http or https, as written
	Title  string // what it is called; may be empty
	Site   string // the page for people; may be empty
	Folder string // path of nested folders ([tidings.FolderPath]); empty: none

	Tags []string // as [tidings.SplitTags] returns them, in the attribute category

	Name string // the account's own name for the channel; empty: it has none

	// What only lists say that were written by Tidings.
	Page    bool                // a page that is watched, not a feed
	Options tidings.PageOptions // how a page is read
	Privacy tidings.Privacy     // empty: as the address suggests

	FullText bool                 // the full text of each new item is fetched
	Pictures tidings.PicturesWish // whether its pictures are shown
}

// Problem describes to a person a part of a document that was not used, or not as written.
type Problem struct {
	Line int    // counts from 1; 0 if it concerns no line
	Text string // one line of plain words
}

// Limits bound what Parse reads. A zero field means the value of DefaultLimits.
type Limits struct {
	Bytes    int64 // of the document as it is read; more is ErrTooLarge
	Outlines int   // further ones are not read, and a Problem says so
	Problems int   // further ones are only counted, in a last Problem
}

// DefaultLimits are far above every real list: large ones have thousands of outlines.
func DefaultLimits() Limits {
	return Limits{Bytes: 8 << 20, Outlines: 100_000, Problems: 100}
}

func (l Limits) orDefault() Limits {
	d := DefaultLimits()
	if l.Bytes <= 0 {
		l.Bytes = d.Bytes
	}
	if l.Outlines <= 0 {
		l.Outlines = d.Outlines
	}
	if l.Problems <= 0 {
		l.Problems = d.Problems
	}
	return l
}

const (
	maxURL         = 4096 // bytes; longer addresses are refused
	maxText        = 500  // runes of a title or of one folder's name; the rest is cut
	maxFolderDepth = 16   // nested folders in a path; deeper ones count as the last
)

// cleanText makes one line of s: no control characters, single blanks, bounded.
func cleanText(s string) string {
	var b strings.Builder
	blank, runes := false, 0
	for _, r := range s {
		if unicode.IsSpace(r) {
			blank = b.Len() > 0
			continue
		}
		if !isXMLChar(r) || unicode.IsControl(r) {
			continue
		}
		if runes++; runes > maxText {
			break
		}
		if blank {
			b.WriteByte(' ')
			blank = false
		}
		b.WriteRune(r)
	}
	return b.String()
}

// cleanNames returns the names of folders as they are read and written: clean, none empty, at most maxFolderDepth of
// them.
func cleanNames(names []string) []string {
	var clean []string
	for _, name := range names {
		if name = cleanText(name); name != "" && len(clean) < maxFolderDepth {
			clean = append(clean, name)
		}
	}
	return clean
}

// isXMLChar reports whether XML 1.0 (section 2.2) can hold r, and r is not the sign
// of a damaged character.
func isXMLChar(r rune) bool {
	switch {
	case r == '\t', r == '\n', r == '\r':
		return true
	case r < 0x20, r == utf8.RuneError, r == 0xFFFE, r == 0xFFFF:
		return false
	}
	return r <= 0xD7FF || r >= 0xE000 && r <= unicode.MaxRune
}
