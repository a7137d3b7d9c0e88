package feed

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"tidings"
	"tidings/source/feed/date"
)

// draft is an item while its elements are being read.
type draft struct {
	id         string    // guid, id or rdf:about as published
	idIsLink   permalink // by its attribute; RSS only
	idBase     string    // what the id refers to if it is a link
	idDepth    int       // of its element: one nearer to the item's own is better
	title      string
	titleDepth int
	fallTitle  string // media:title, itunes:title
	link       link
	authors    people
	creators   people // dc:creator
	podcaster  people // itunes:author
	published  date.Date
	updated    date.Date
	date       date.Date // of which nothing says whether it is the one or the other
	created    date.Date
	summary    body
	content    body
	fallback   body
	subtitle   body    // itunes:subtitle
	base       string  // xml:base of the text that counts; empty: there is none
	offered    []offer // files, until the item's own address is known
	groups     int     // of them, so far
	files      []tidings.Enclosure
	terms      []string
	news       *tidings.News
	chapters   tidings.Chapters // as they are written
}

// offer is a file as an element offers it.
type offer struct {
	base             string // xml:base; empty: there is none
	ref, typ, length string
	url              string // ref, once it is known what that refers to
	group            int    // offers with the same number are one file in several renditions; 0: it is alone
	rank             int    // within its group
}

// Ranks of renditions, best last.
const (
	rankPicture = iota // of something else
	rankMedia
	rankDefault
)

// bestOf leaves of each group the best: the first of the highest rank. Where one of a group is offered alone as well,
// that is it.
func bestOf(offers []offer) []offer {
	if !slices.ContainsFunc(offers, func(o offer) bool { return o.group > 0 }) {
		return offers
	}
	best := make(map[int]int) // by group: its place
	for i, o := range offers {
		if now, ok := best[o.group]; o.group > 0 && o.url != "" && (!ok || o.rank > offers[now].rank) {
			best[o.group] = i
		}
	}
	alone := make(map[string]bool)
	for _, o := range offers {
		alone[o.url] = alone[o.url] || o.group == 0
	}
	for _, o := range offers {
		if alone[o.url] && o.url != "" {
			best[o.group] = none
		}
	}
	var left []offer
	for i, o := range offers {
		if o.group == 0 || best[o.group] == i {
			left = append(left, o)
		}
	}
	return left
}

// offeredPerFile is how many offers of files are examined for each that an item may have: offers may repeat others.
const offeredPerFile = 4

// link is the best link so far, and how good it is.
type link struct {
	url  string
	rank int
}

// Ranks of links, best last.
const (
	linkNone = iota
	linkSource
	linkPermalink
	linkOther
	linkAlternate
	linkHTML
	linkOriginal // where a counter of clicks leads to that stands in the link
)

// better adopts url if it is better than what there is; among equals the first stays.
func (l *link) better(url string, rank int) {
	if url != "" && rank > l.rank {
		*l = link{url, rank}
	}
}

// enclose adds a file with a whole address.
func (d *draft) enclose(cfg Config, url, typ, length string) {
	if url == "" || len(d.files) >= cfg.MaxPerItem {
		return
	}
	file := tidings.Enclosure{URL: url, Type: plainTitle(typ, 100), Length: fileSize(length)}
	for i := range d.files {
		if have := &d.files[i]; have.URL == url {
			have.Type, have.Length = cmp.Or(have.Type, file.Type), cmp.Or(have.Length, file.Length)
			return
		}
	}
	d.files = append(d.files, file)
}

// fileSize reads a number of bytes, which some write with a fraction; 0 if it is none.
func fileSize(s string) int64 {
	s = strings.TrimSpace(s)
	if size, err := strconv.ParseInt(s, 10, 64); err == nil {
		return max(size, 0)
	}
	if size, err := strconv.ParseFloat(s, 64); err == nil && size > 0 && size < 1<<53 {
		return int64(size)
	}
	return 0
}

// categorise adds a category.
func (d *draft) categorise(cfg Config, term string) {
	if len(d.terms) >= cfg.MaxPerItem {
		return
	}
	if term = plainTitle(term, cfg.MaxTitle); term == "" {
		return
	}
	for _, have := range d.terms {
		if have == term {
			return
		}
	}
	d.terms = append(d.terms, term)
}

// noteDates says of an item that a date of it gave none, and keeps what its dates show of others.
func (d *Document) noteDates(dr *draft) {
	d.order |= dr.published.Order | dr.updated.Order | dr.date.Order | dr.created.Order
	if dr.published.IsLost() || dr.updated.IsLost() || dr.date.IsLost() || dr.created.IsLost() {
		d.note("left out dates that cannot be read for certain")
	}
}

// item makes the item of what was gathered. An item that says nothing at all gives false.
func (d *draft) item(cfg Config) (Item, bool) {
	if d.title == "" {
		d.title = d.fallTitle
	}
	blank := d.content.blank || d.summary.blank
	if d.content.text == "" && d.summary.text == "" {
		d.summary = d.fallback
		if d.summary.text == "" {
			d.summary = d.subtitle
		}
	}
	d.settleDates()
	it := Item{summary: d.summary, content: d.content, base: cmp.Or(d.base, d.link.url),
		swapped: swappedDates{d.published.Swapped, d.updated.Swapped}}
	it.Item = tidings.Item{
		ID:         d.id,
		URL:        d.link.url,
		Title:      d.title,
		Author:     firstNamed(d.authors, d.creators, d.podcaster).label(cfg),
		Published:  d.published.At,
		Updated:    d.updated.At,
		Enclosures: d.files,
		Categories: d.terms,
	}
	if it.ID == "" {
		it.ID = it.URL
	}
	it.News, it.Chapters = d.news, d.settledChapters()
	it.settleNews(cfg)
	it.Raw = it.best().text
	it.Mark = d.mark(&it)
	empty := it.ID == "" && it.Title == "" && it.Raw == "" && !blank && len(it.Enclosures) == 0
	return it, !empty
}

// settleDates finds a use for dates that do not say what happened then: a bare date is
// that of publication, where nothing else is, else that of the latest change.
func (d *draft) settleDates() {
	switch {
	case d.published.Raw == "" && d.date.Raw != "":
		d.published = d.date
	case d.published.IsLost() && !d.date.At.IsZero():
		// as written it stays what it was: by that the item is known
		d.published.At, d.published.Swapped = d.date.At, d.date.Swapped
	case d.updated.Raw == "":
		d.updated = d.date
	}
	if d.published.Raw == "" {
		d.published = d.created
	}
}

// best returns the text that says most: the content, else the summary.
func (it *Item) best() body {
	if it.content.text != "" {
		return it.content
	}
	return it.summary
}

func (d *draft) mark(it *Item) tidings.ItemIdentity {
	m := tidings.ItemIdentity{
		ID:    hashOf(guidKey(d.id)),
		Link:  hashOf(linkKey(it.URL)),
		Title: titleHash(it.Title),
		Print: fingerprint(it),
	}
	if m.Date = hashOf(d.published.Raw); m.Date == 0 {
		m.Date = hashOf(d.updated.Raw)
	}
	return m
}

// keepApart has items whose guids differ only in what guidKey leaves out known by their guids as written: a document
// that lists several such says that they are several.
func keepApart(items []Item) {
	guids := make(map[uint64]string, len(items)) // by guidKey; "" where there are several
	for i := range items {
		it := &items[i]
		if guid, seen := guids[it.Mark.ID]; seen && guid != it.ID {
			guids[it.Mark.ID] = ""
		} else {
			guids[it.Mark.ID] = it.ID
		}
	}
	for i := range items {
		if it := &items[i]; it.Mark.ID != 0 && guids[it.Mark.ID] == "" {
			it.Mark.ID = hashOf(it.ID)
		}
	}
}

// latest is when the item last changed, as it says.
func (it *Item) latest() time.Time {
	if it.Updated.After(it.Published) {
		return it.Updated
	}
	return it.Published
}

// settleOrder settles the dates that can be 5 June as well as May 6. The order of the feed's other dates decides, else
// that of its language. If neither decides, or dates differ, they are read as Americans write them.
func (d *Document) settleOrder() {
	order := d.order
	if order == 0 {
		order = date.OrderOf(d.Language)
	}
	if order != date.DayFirst {
		return
	}
	for i := range d.Items {
		it := &d.Items[i]
		for _, at := range []struct {
			read    *time.Time
			swapped time.Time
		}{{&it.Published, it.swapped.published}, {&it.Updated, it.swapped.updated}} {
			if !at.swapped.IsZero() {
				*at.read = at.swapped
			}
		}
	}
}

// swappedDates are an item's dates with day before month, where they can be read so; else zero.
type swappedDates struct{ published, updated time.Time }
