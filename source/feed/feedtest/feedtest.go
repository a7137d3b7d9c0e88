// Package feedtest makes feed documents, and histories of feeds, for tests, together with what must be read of them. So
// a test needs no recorded documents, which are other people's and are not on every machine. Its oracle is exact: the
// documents are written from what they mean, and reading one has to give exactly that.
//
// A document is a format, a character set and a twist. A twist is something that violates the specification, or that it
// allows and readers stumble over. The tables formats, charsets, twists and dateStyles list what was seen in about
// 3,400 documents of the test suites of feed parsers and validators, and in the histories of 37 feeds.
//
// The package knows nothing of the readers that it tests. Everything follows from a seed.
package feedtest

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// Document is a made document.
type Document struct {
	Name        string // format, character set and twist
	Body        []byte
	ContentType string // as the origin sends it; may be empty
	Base        string // the address that it came from

	Format string // how a reader calls it: rss, rdf, atom, cdf, json feed, json list; "": no feed
	Title  string // of the feed
	Items  []Item

	// Garbled says that nothing names the character set: titles, texts, names and categories cannot be read, all else
	// can.
	Garbled bool
	// Legal says that the document is as its specification wants it, so that every
	// reader has to agree on it.
	Legal bool
}

// Item is what must be read of an item. Fields that its format has no words for are empty.
type Item struct {
	ID         string // guid, id or rdf:about; else the link
	URL        string // absolute
	Title      string // plain text
	Author     string
	Published  time.Time
	Updated    time.Time
	Text       string   // what a person sees of the content, without any white space; Unsaid: nothing is promised
	Links      []string // absolute addresses that links in the content lead to
	Categories []string
	Files      []File
}

// File is an enclosure.
type File struct {
	URL, Type string
	Length    int64
}

// Unsaid stands for a text of which nothing is promised.
const Unsaid = "?"

// Origin is where all documents come from.
const Origin = "https://origin.example/dir/feed"

// Documents makes every format in every character set, every format with every twist and every date style, and every
// twist in a third of the character sets: about 5,000 documents.
func Documents(seed uint64) []Document {
	var out []Document
	add := func(f *format, cs *charset, tw *twist) {
		if tw.fits(f, cs) && cs.fits(f) {
			out = append(out, document(newRand(seed, len(out)), f, cs, tw))
		}
	}
	for i := range formats {
		f := &formats[i]
		for c := range charsets {
			add(f, &charsets[c], &plain)
		}
		for t := range twists {
			add(f, &charsets[0], &twists[t])
		}
		out = append(out, dated(newRand(seed, len(out)), f)...)
	}
	for t := range twists {
		for c := t % 3; c < len(charsets)-1; c += 3 {
			add(&formats[(t+c)%len(formats)], &charsets[1+c], &twists[t])
		}
	}
	return append(out, others(newRand(seed, len(out)))...)
}

func newRand(seed uint64, n int) *rand.Rand { return rand.New(rand.NewPCG(seed, uint64(n))) }

// document writes one document.
func document(r *rand.Rand, f *format, cs *charset, tw *twist) Document {
	c := newChannel(r, cs.words, 3+r.IntN(3))
	if f.single {
		c.stories = c.stories[:1]
	}
	if tw.before != nil {
		tw.before(f, c)
	}
	d := Document{
		Name:        fmt.Sprintf("%s, %s, %s", f.name, cs.name, tw.name),
		ContentType: cs.contentType(f.contentType), Base: Origin,
		Format: f.kind, Title: c.title, Garbled: cs.garbled, Legal: tw.legal && cs.legal,
	}
	if f.single {
		d.Title = ""
	}
	for _, s := range c.stories {
		d.Items = append(d.Items, f.reads(s))
	}
	text := f.write(f, c)
	if f.isXML() && !tw.undeclared {
		text = cs.declaration() + text
	}
	if tw.text != nil {
		text = tw.text(f, text)
	}
	d.Body = cs.encode(text)
	if tw.bytes != nil {
		d.Body = tw.bytes(d.Body)
	}
	if tw.after != nil {
		tw.after(&d)
	}
	return d
}
