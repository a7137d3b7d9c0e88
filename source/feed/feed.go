// Package feed reads feeds of any kind, decides which of their items are new or changed, and finds the feeds that a
// page offers.
//
// It promises, for any input whatever:
//
//   - No panic, time and memory linear in the document, and no recursion: the
//     reader is one loop over tokens with an explicit stack, so that nothing can
//     overflow. Depth, attributes, tags, items and texts are bounded by Config.
//     No entity that a document declares is expanded, nothing is fetched.
//   - Every text that comes out is valid UTF-8 without control characters.
//   - An item keeps its identity when its link, title, place or date changes; the
//     same story never arrives twice (see Match).
//   - Summary and Content are safe to show (see Item.Render), titles are plain text.
//
// Sources: the RSS 0.90 to 2.0 specifications and the RSS Advisory Board's profile, RDF Site Summary 1.0 with its
// modules, RFC 4287 (Atom) and Atom 0.3, RFC 5005 (archives), JSON Feed 1.1, Media RSS, CDF, and the habits of
// feedparser, which is the tests' oracle.
//
// The documents are read by a small forgiving scanner instead of a general XML library and a feed library above it.
// Both were measured side by side on recorded feeds (see BenchmarkParse). A guard pass with encoding/xml followed by
// gofeed needs five to fourteen times as long as this reader, which also makes the fingerprints of all items. Most
// damaged documents, which encoding/xml gives up at the first fault, are read as far as they make sense.
package feed

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"tidings"
	"tidings/source/feed/date"
)

// What callers distinguish when Parse fails.
var (
	// ErrNotFeed says that the document is something else: a page, a login form,
	// JSON or XML that holds no news.
	ErrNotFeed = errors.New("not a feed")
	// ErrDamaged says that it is a feed, and so damaged that nothing of it can be read.
	ErrDamaged = errors.New("a feed that is damaged")
	// ErrLimit says that the document is built to exhaust its reader.
	ErrLimit = errors.New("over a limit")
)

// Config bounds what is read of a document.
type Config struct {
	MaxBytes    int // of the document; a longer one is refused (a fetch stops long before)
	MaxDepth    int // open elements, or JSON arrays and objects; a deeper document is refused
	MaxAttrs    int // attributes of an element; more: refused
	MaxTag      int // bytes of one tag; more: refused
	MaxItems    int // the first so many are read, the rest left with a note
	MaxText     int // bytes of a content or summary; the rest is cut
	MaxTitle    int // characters of a title, author or category; the rest is cut
	MaxURL      int // bytes of a link; a longer one is dropped
	MaxPerItem  int // enclosures, and categories, of an item
	MaxJSONItem int // bytes of one JSON item; a larger one is passed over
}

// Default returns the limits that suit every real feed on record.
func Default() Config {
	return Config{
		MaxBytes:    32 << 20,
		MaxDepth:    100,
		MaxAttrs:    100,
		MaxTag:      1 << 20,
		MaxItems:    5000,
		MaxText:     1 << 20,
		MaxTitle:    1000,
		MaxURL:      4096,
		MaxPerItem:  50,
		MaxJSONItem: 2 << 20,
	}
}

// Validate reports a limit that cannot work.
func (c Config) Validate() error {
	for _, n := range []int{c.MaxBytes, c.MaxDepth, c.MaxAttrs, c.MaxTag, c.MaxItems, c.MaxText,
		c.MaxTitle, c.MaxURL, c.MaxPerItem, c.MaxJSONItem} {
		if n <= 0 {
			return fmt.Errorf("feed limits: %w: every limit must be positive", tidings.ErrInvalid)
		}
	}
	return nil
}

// Document is a feed as read.
type Document struct {
	Format   Format
	Title    string // plain text
	Site     string // the page for people
	Language string // as written
	Icon     string // address of the picture by which it wants to be known; may be empty
	Items    []Item // in the document's order
	Partial  bool   // Items are a part of what the feed lists; the caller that fetched it says so
	Hints    Hints

	Self        string   // the feed's own address, as it says
	Hubs        []string // WebSub hubs
	PrevArchive string   // RFC 5005: the next older document
	NextArchive string   // RFC 5005: the next newer document
	Next        string   // RFC 5005 paging, or JSON Feed's next_url: the next older page

	Announcement *Announcement // that its items are pushed; nil: it says nothing of that

	order date.Order // what its dates show

	Notes []string // what was repaired or left out, each one line of plain words
}

// Hints is what a feed asks of its pollers.
type Hints struct {
	TTL          time.Duration  // 0: none
	SkipHours    []int          // of the day, GMT, 0 to 23
	SkipDays     []time.Weekday // GMT
	UpdatePeriod time.Duration  // mean time between updates; 0: none
	Expired      bool           // it says that it will never update again (JSON Feed)
}

// Item is an item as read. Its Summary and Content are empty until Render.
type Item struct {
	tidings.Item
	Mark tidings.ItemIdentity
	Raw  string // content, else summary, as published; its markup is not safe

	summary, content body
	swapped          swappedDates
	base             string // what relative links in summary and content refer to
}

// body is a text as published.
type body struct {
	text  string
	plain bool // text, not HTML
	blank bool // something was published that shows nothing: there is an item, though it has no text
}

// Parse reads a document that came with the given Content-Type ("" if none) from
// baseURL, to which its relative links refer. It fails with ErrNotFeed, ErrDamaged or ErrLimit.
func Parse(doc []byte, contentType, baseURL string, cfg Config) (*Document, error) {
	if len(doc) > cfg.MaxBytes {
		return nil, reading(fmt.Errorf("%w: more than %d bytes", ErrLimit, cfg.MaxBytes))
	}
	d := &Document{}
	text, notes := Decode(doc, contentType)
	d.Notes = notes
	format, start := sniff(text)
	d.Format = format
	var err error
	switch format {
	case RSS, RDF, Atom, CDF:
		if start > 0 {
			d.note("left out what stands before the feed")
		}
		err = readXML(d, text[start:], baseURL, cfg)
	case JSONFeed, JSON:
		err = readJSON(d, text[start:], baseURL, cfg)
	default:
		err = fmt.Errorf("%w: it looks like %s", ErrNotFeed, format)
	}
	if err != nil {
		return nil, reading(err)
	}
	d.settleOrder()
	d.settleBases(baseURL)
	keepApart(d.Items)
	return d, nil
}

// settleBases has the texts of items without an address of their own refer to the channel's site, else to the document.
func (d *Document) settleBases(baseURL string) {
	for i := range d.Items {
		if it := &d.Items[i]; it.base == "" {
			it.base = cmp.Or(d.Site, baseURL)
		}
	}
}

func reading(err error) error { return &tidings.Failure{Op: "reading feed", Err: err} }

// maxNotes bounds Document.Notes.
const maxNotes = 20

// note adds a note once.
func (d *Document) note(text string) {
	if len(d.Notes) >= maxNotes {
		return
	}
	for _, have := range d.Notes {
		if have == text {
			return
		}
	}
	d.Notes = append(d.Notes, text)
}
