// Package page reads a web page as lines of its core content: what a person would say is on the page. So two states of
// it can be compared.
//
// # What a line is
//
// One block element is one line, its inline text collapsed. Headings begin with "# " to "###### ", list items with "-
// ". The cells of a table row are joined by " | ". Preformatted text keeps its lines, and <br> breaks. Of links only
// the text counts, since addresses change with every build and session. Images give their alternative text as "[text]".
//
// A document that is not HTML gives its lines; JSON and XML are first put one value or tag to a line. A document that
// is no text at all is refused.
//
// # What is left out
//
// Always: scripts, styles, templates, comments, form fields (with their tokens) and hidden elements.
//
// By default: navigation and the header and footer of the site, cookie banners and advertisements. These are known by
// element, role, and whole words of class and id. Within lines these are left out:
//
//   - stamps such as "Last updated ..." or "Generated at ...";
//   - times that are relative or nothing but a clock;
//   - counters of views and comments;
//   - session and request ids;
//   - what cache-busting and tracking add to a visible URL.
//
// Dates, versions and prices stay. If leaving out the site's frame would leave next to nothing (Config.MinCore), it is
// kept: a page that is all navigation can be watched too.
//
// Other differences between two fetches made close together are learned by Learn and masked at later extractions. A
// person's select, ignore and keep (tidings.PageOptions) override all this; see Validate for how they are written.
//
// # What it promises
//
// The same document gives the same lines. Lines are valid UTF-8 without control characters, neither empty nor with
// blanks at their ends. Blanks at the beginning show how preformatted text is indented. The lines' number, length and
// sum are bounded by Config. So is the work, whatever the document holds: elements nested too deeply for the HTML
// parser are read flat.
package page

import (
	"errors"
	"fmt"
	"slices"

	"tidings"
)

// Why a document gives no lines. None of them means that the page is empty now: they
// are failures of a poll, not changes.
var (
	ErrNotText = errors.New("neither a feed nor a page of text")    // an image, an archive, ...
	ErrEmpty   = errors.New("no text in it")                        // also where all of it is ignored
	ErrNoMatch = errors.New("nothing on the page matches --select") // PageOptions.Select
)

// Document is what a page says.
type Document struct {
	Title     string   // without line breaks, at most 300 characters; may be empty
	Canonical string   // the address that the page gives as its own, absolute; may be empty
	Lines     []string // at least one
	Notes     []string // how it was read and what was cut, in plain words

	offers   []line // with which Lines begin: they are no noise
	lines    []line // as Lines, with where they stand: what Learn needs
	password bool   // it asks for a password
}

// Config bounds what is read from a page.
type Config struct {
	// MaxLines bounds the lines of a document; further ones are left out, with a note.
	MaxLines int
	// MaxLine bounds the bytes of a line; a longer one is wrapped.
	MaxLine int
	// MaxText bounds the bytes of all lines, with a newline for each.
	MaxText int
	// MinCore is the share of a page's text, from 0 to 1, that must be left without
	// navigation and the like; if less is, they are kept. A high value brings
	// navigation into pages that have much of it, a low one loses pages that mark
	// all they have as navigation.
	MinCore float64
}

// Default returns the limits that delta.DefaultLimits fits.
func Default() Config {
	return Config{MaxLines: 100_000, MaxLine: 64 << 10, MaxText: 5 << 20, MinCore: 0.03}
}

// Validate reports what is wrong with c.
func (c Config) Validate() error {
	switch {
	case c.MaxLines < 1:
		return errors.New("page: MaxLines must be at least 1")
	case c.MaxLine < 80:
		return errors.New("page: MaxLine must be at least 80 bytes")
	case c.MaxText < c.MaxLine:
		return errors.New("page: MaxText must be at least MaxLine")
	case c.MinCore < 0 || c.MinCore > 1:
		return errors.New("page: MinCore must be from 0 to 1")
	}
	return nil
}

// Extract reads a document that came from pageURL with the Content-Type header
// contentType (both may be empty). It leaves out what o asks for and what noise knows.
//
// It fails with ErrNotText, ErrEmpty or ErrNoMatch, or with tidings.ErrInvalid if o is
// not valid (see Validate).
func Extract(body []byte, contentType, pageURL string, o tidings.PageOptions, noise Noise, c Config) (Document, error) {
	doc, err := extract(body, contentType, pageURL, o, noise, c)
	if err != nil {
		return Document{}, &tidings.Failure{Op: "reading page", Err: err}
	}
	return doc, nil
}

func extract(body []byte, contentType, pageURL string, o tidings.PageOptions, noise Noise, c Config) (Document, error) {
	rules, err := compile(o)
	if err != nil {
		return Document{}, err
	}
	form, err := sniff(body, contentType)
	if err != nil {
		return Document{}, err
	}
	text, notes := decode(body, contentType)
	doc := Document{Notes: notes}
	var lines []line
	if form == formHTML {
		lines, err = doc.readHTML(text, pageURL, rules, c)
	} else {
		lines, err = rules.withoutHTML(text, form)
	}
	if err != nil {
		return Document{}, err
	}
	if len(lines) >= maxGathered {
		doc.Notes = append(doc.Notes, fmt.Sprintf("looked at the first %d lines: the page is too long", len(lines)))
	}
	lines = rules.clean(lines)
	doc.setLines(slices.Concat(doc.offers, noise.mask(doc.fit(lines, c))))
	if len(doc.Lines) == 0 {
		return Document{}, ErrEmpty
	}
	return doc, nil
}

// line is a line on its way into a Document.
type line struct {
	text   string
	path   path
	chrome bool // it belongs to the frame of the site, not to the page's core
	kept   bool // a person asked for it: the defaults do not touch it
}

// fit wraps and cuts lines to the limits of c.
func (d *Document) fit(lines []line, c Config) []line {
	fitting := make([]line, 0, min(len(lines), c.MaxLines))
	size := 0
	for _, l := range lines {
		for _, l.text = range wrap(l.text, c.MaxLine) {
			size += len(l.text) + 1
			if len(fitting) == c.MaxLines || size > c.MaxText {
				d.Notes = append(d.Notes, fmt.Sprintf("cut after %d lines: the page is too long", len(fitting)))
				return fitting
			}
			fitting = append(fitting, l)
		}
	}
	return fitting
}

// HasOtherOffers reports whether the document states other prices or stock than lines, which were read before, begin
// with.
func (d *Document) HasOtherOffers(lines []string) bool {
	n := len(d.offers)
	return n > len(lines) || !slices.Equal(d.Lines[:n], lines[:n])
}

func (d *Document) setLines(lines []line) {
	d.lines = lines
	d.Lines = make([]string, len(lines))
	for i, l := range lines {
		d.Lines[i] = l.text
	}
}
