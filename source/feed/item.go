package feed

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"tidings"
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
	published  stamp
	updated    stamp
	date       stamp // of which nothing says whether it is the one or the other
	created    stamp
	summary    body
	content    body
	fallback   body
	subtitle   body    // itunes:subtitle
	base       string  // xml:base of the text that counts; empty: there is none
	offered    []offer // files, until the item's own address is known
	files      []tidings.Enclosure
	terms      []string
	news       *tidings.News
}

// offer is a file as an element offers it.
type offer struct {
	base             string // xml:base; empty: there is none
	ref, typ, length string
}

// offeredPerFile is how many offers of files are looked at for each that an item may have: some repeat others.
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

// better takes url if it is better than what there is; among equals the first stays.
func (l *link) better(url string, rank int) {
	if url != "" && rank > l.rank {
		*l = link{url, rank}
	}
}

// stamp is a date as written and as read.
type stamp struct {
	raw     string
	at      time.Time
	swapped time.Time // with day before month, if it can be read so as well; else zero
	order   dateOrder // what it shows of other dates
}

// enclose adds a file with a whole address.
func (d *draft) enclose(cfg Config, url, typ, length string) {
	if url == "" || len(d.files) >= cfg.MaxPerItem {
		return
	}
	for _, have := range d.files {
		if have.URL == url {
			return
		}
	}
	size, err := strconv.ParseInt(strings.TrimSpace(length), 10, 64)
	if err != nil || size < 0 {
		size = 0
	}
	d.files = append(d.files, tidings.Enclosure{URL: url, Type: plainTitle(typ, 100), Length: size})
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
	d.order |= dr.published.order | dr.updated.order | dr.date.order | dr.created.order
	if dr.published.isLost() || dr.updated.isLost() || dr.date.isLost() || dr.created.isLost() {
		d.note("left out dates that cannot be read for certain")
	}
}

// item makes the item of what was gathered. An item that says nothing at all gives false.
func (d *draft) item(cfg Config) (Item, bool) {
	if d.title == "" {
		d.title = d.fallTitle
	}
	if d.content.text == "" && d.summary.text == "" {
		d.summary = d.fallback
		if d.summary.text == "" {
			d.summary = d.subtitle
		}
	}
	d.settleDates()
	it := Item{summary: d.summary, content: d.content, base: cmp.Or(d.base, d.link.url), swapped: swappedDates{d.published.swapped, d.updated.swapped}}
	it.Item = tidings.Item{
		ID:         d.id,
		URL:        d.link.url,
		Title:      d.title,
		Author:     firstOf(d.authors.label(cfg), d.creators.label(cfg), d.podcaster.label(cfg)),
		Published:  d.published.at,
		Updated:    d.updated.at,
		Enclosures: d.files,
		Categories: d.terms,
	}
	if it.ID == "" {
		it.ID = it.URL
	}
	it.News = d.news
	it.settleNews(cfg)
	it.Raw = it.best().text
	it.Mark = d.mark(&it)
	empty := it.ID == "" && it.Title == "" && it.Raw == "" && len(it.Enclosures) == 0
	return it, !empty
}

// settleDates finds a use for dates that do not say what happened then: a bare date is
// that of publication, where nothing else is, else that of the latest change.
func (d *draft) settleDates() {
	switch {
	case d.published.raw == "" && d.date.raw != "":
		d.published = d.date
	case d.published.isLost() && !d.date.at.IsZero():
		d.published.at, d.published.swapped = d.date.at, d.date.swapped // as written it stays what it was: by that the item is known
	case d.updated.raw == "":
		d.updated = d.date
	}
	if d.published.raw == "" {
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
	if m.Date = hashOf(d.published.raw); m.Date == 0 {
		m.Date = hashOf(d.updated.raw)
	}
	return m
}

// keepApart has items whose guids differ only in what guidKey leaves out known by their guids as written: a document that
// lists several such says that they are several.
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
