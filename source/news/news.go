// Package news reads and writes the formats in which news agencies send news: NITF 3.x, NewsML-G2 and ninjs 1.x to 3.x.
//
// It promises, for any input whatever:
//
//   - No panic, and time and memory in proportion to the document. Bytes, nesting, elements, items, subjects and texts
//     are bounded by Config. Entities that a document declares are not expanded, and nothing is fetched.
//   - Texts are valid UTF-8 on one line; Summary and Content are safe to show.
//   - A document gives items, or an error that says where it is wrong and how (see SyntaxError).
//   - What Write writes, Parse reads back.
//
// It is strict about identity and about what forbids showing an item (status, embargo), and liberal about everything
// else: a field that is missing or cannot be read gets its default, and a note says so.
//
// Characters are decoded and markup is sanitised as package feed does it.
//
// Sources: the NITF 3.6 DTD and documentation, the NewsML-G2 2.35 specification and the ninjs 1.5, 2.1 and 3.1 schemas,
// all of IPTC (https://iptc.org/standards/).
package news

import (
	"fmt"
	"strings"

	"tidings"
	"tidings/source/feed"
)

// Config bounds what is read of a document.
type Config struct {
	MaxBytes      int // of the document; a longer one is refused
	MaxDepth      int // open elements, or JSON arrays and objects; a deeper document is refused
	MaxNodes      int // elements, attributes and runs of text, or JSON values; more: refused
	MaxItems      int // the first so many are read, the rest left out with a note
	MaxSubjects   int // of an item, and so many places; the rest is left out with a note
	MaxEnclosures int // of an item; the rest is left out with a note
	MaxID         int // bytes of a GUID; an item with a longer one is refused, since cutting would change it
	MaxLine       int // characters of a headline or another text of one line; the rest is cut
	MaxSummary    int // characters of a summary; the rest is cut
	MaxText       int // bytes of a content as published; the rest is cut with a note
}

// Default returns limits well above any document of IPTC's collections.
func Default() Config {
	return Config{
		MaxBytes:      16 << 20,
		MaxDepth:      100,
		MaxNodes:      300_000,
		MaxItems:      1000,
		MaxSubjects:   64,
		MaxEnclosures: 50,
		MaxID:         2048,
		MaxLine:       1000,
		MaxSummary:    5000,
		MaxText:       1 << 20,
	}
}

// Validate reports a limit that cannot work.
func (c Config) Validate() error {
	for _, n := range []int{c.MaxBytes, c.MaxDepth, c.MaxNodes, c.MaxItems, c.MaxSubjects, c.MaxEnclosures, c.MaxID,
		c.MaxLine, c.MaxSummary, c.MaxText} {
		if n <= 0 {
			return fmt.Errorf("news limits: %w: every limit must be positive", tidings.ErrInvalid)
		}
	}
	return nil
}

// Document is a news document as read.
type Document struct {
	Format Format
	Items  []Item   // in the document's order, at least one
	Notes  []string // what was repaired, left out or not understood, each one line of plain words
}

// Item is one version of a news item. What tidings.Item and News both have is the same in both: the GUID is the ID, the
// headline the title, the byline the author, the names of subjects are the categories.
type Item struct {
	tidings.Item              // Summary is text without tags
	News         tidings.News // Version, Urgency and Status are always set
}

// Parse reads a document that came with the given Content-Type ("" if none). Its error wraps a *SyntaxError.
func Parse(doc []byte, contentType string, cfg Config) (*Document, error) {
	d, err := parse(doc, contentType, cfg)
	if err != nil {
		return nil, &tidings.Failure{Op: "reading news", Err: err}
	}
	return d, nil
}

func parse(doc []byte, contentType string, cfg Config) (*Document, error) {
	if len(doc) > cfg.MaxBytes {
		return nil, &SyntaxError{Problem: fmt.Sprintf("is longer than %d bytes", cfg.MaxBytes), Err: ErrLimit}
	}
	text, notes := feed.Decode(doc, contentType)
	p := &parser{cfg: cfg, doc: &Document{Notes: notes}}
	var err error
	switch start := strings.TrimLeft(text, " \t\r\n"); {
	case start == "":
		err = &SyntaxError{Problem: "is empty", Err: ErrNotNews}
	case start[0] == '{' || start[0] == '[':
		err = p.json(text)
	case start[0] == '<':
		err = p.xml(text)
	default:
		err = &SyntaxError{Line: 1, Column: 1, Problem: "is neither XML nor JSON", Err: ErrNotNews}
	}
	if err != nil {
		return nil, err
	}
	return p.doc, nil
}

// addItem adds the item that read returns. If a document holds several, an unusable one does not spoil the others.
// failed is the first error, for the case that none is usable.
func (p *parser) addItem(it *Item, err error, failed *error) {
	switch {
	case err != nil:
		p.note("left out an item: %v", err)
		if *failed == nil {
			*failed = err
		}
	case len(p.doc.Items) >= p.cfg.MaxItems:
		p.note("has more than %d items: the rest is left out", p.cfg.MaxItems)
	default:
		p.finish(it)
		p.doc.Items = append(p.doc.Items, *it)
	}
}
