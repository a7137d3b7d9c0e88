package feed

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"tidings"
)

// Why a document that another node has sent cannot be used.
var (
	// ErrForged says that it is none that Parse and Match could have made.
	ErrForged = errors.New("no reading of a feed gives this")
	// ErrLacking says that it lacks the text of an item that is new here, or has changed.
	ErrLacking = errors.New("the text of an item is missing")
)

// Carried is an item of a document as another node sends it. Its texts are sanitised there, and again here: its sender
// is trusted as little as an origin.
type Carried struct {
	tidings.FoundItem
	// Whole says that all of the item is there. Otherwise only its mark is, and the receiver should have the item.
	Whole bool
	// Files are those of the item's enclosures whose bytes the publisher has signed; at most Config.MaxPerItem.
	Files []tidings.File
}

// MatchCarried is Match for a document that another node has read, or for a part of one. It fails with ErrForged
// or ErrLacking.
func MatchCarried(known []tidings.KnownItem, carried []Carried, partial bool, cfg Config) ([]tidings.FoundItem, error) {
	if len(carried) > cfg.MaxItems {
		return nil, fmt.Errorf("%d items: %w", len(carried), ErrForged)
	}
	doc := &Document{Items: make([]Item, len(carried)), Partial: partial}
	for i := range carried {
		var err error
		if doc.Items[i], err = carried[i].item(cfg); err != nil {
			return nil, fmt.Errorf("item %d: %w", i, err)
		}
	}
	marks := make(map[int64]tidings.ItemIdentity, len(known))
	for i := range known {
		marks[known[i].Row] = known[i].ItemIdentity
	}
	found := Match(known, doc)
	if len(found) != len(carried) {
		return nil, fmt.Errorf("an item that stands there twice: %w", ErrForged)
	}
	for i := range found {
		switch f := &found[i]; {
		case carried[i].Whole:
		case f.Change != "":
			return nil, fmt.Errorf("item %d: %w", i, ErrLacking)
		case f.Quiet:
			f.Quiet, f.Mark = false, quietly(marks[f.Row], f.Mark)
		}
	}
	return found, nil
}

// FillSigned fills in the texts of those found items that are here already, as their publisher has signed them. found
// is what MatchCarried has made of carried, all of which is whole.
func FillSigned(found []tidings.FoundItem, carried []Carried, cfg Config) error {
	for i := range found {
		f := &found[i]
		if f.Change != "" {
			continue
		}
		it, err := carried[i].item(cfg)
		if err != nil {
			return fmt.Errorf("item %d: %w", i, err)
		}
		it.Render()
		f.Item, f.Raw, f.Signed = it.Item, it.Raw, true
	}
	return nil
}

// quietly returns the mark to keep of an item whose guid, link or date has changed and was not sent: the old link and
// date, so that a poll finds those out, unless the content has another hash by them.
func quietly(old, now tidings.ItemIdentity) tidings.ItemIdentity {
	if old.Title != now.Title || now.ID == 0 && cmp.Or(old.ID, old.Link) != now.Link {
		return now
	}
	old.ID = cmp.Or(now.ID, old.ID)
	return old
}

// item reads a carried item as Parse would have read it.
func (c *Carried) item(cfg Config) (Item, error) {
	it := Item{Mark: c.Mark}
	if !c.Whole {
		return it, nil
	}
	it.Item = tidings.Item{ID: c.ID, URL: c.URL, Published: sane(c.Published), Updated: sane(c.Updated)}
	switch {
	case !isClear(c.ID, cfg.MaxText), c.URL != "" && itemLink("", c.URL, cfg.MaxURL) == "",
		c.Mark.Link != hashOf(linkKey(c.URL)),
		c.Mark.ID != hashOf(guidKey(c.ID)) && c.Mark.ID != hashOf(c.ID) && (c.Mark.ID != 0 || c.ID != c.URL):
		return it, fmt.Errorf("its guid or link: %w", ErrForged)
	}
	it.Title, it.Author = plainTitle(c.Title, cfg.MaxTitle), plainTitle(c.Author, cfg.MaxTitle)
	if it.Title != c.Title || it.Mark.Title != titleHash(it.Title) {
		return it, fmt.Errorf("its title: %w", ErrForged)
	}
	for _, text := range []string{c.Summary, c.Content, c.Raw} {
		if !isClear(text, 2*cfg.MaxText) {
			return it, fmt.Errorf("its text: %w", ErrForged)
		}
	}
	var d draft
	for _, e := range c.Enclosures {
		d.enclose(cfg, itemLink("", e.URL, cfg.MaxURL), e.Type, fmt.Sprint(e.Length))
	}
	for _, term := range c.Categories {
		d.categorise(cfg, term)
	}
	it.Enclosures, it.Categories = d.files, d.terms
	it.Raw, it.base = c.Raw, c.URL
	it.summary, it.content = body{text: c.Summary}, body{text: c.Content}
	if err := it.carriedNews(c, cfg); err != nil {
		return it, err
	}
	return it, it.prove()
}

// noItemsDate is in the place of a date's hash where nobody vouches for the date. It is not zero: items have none, too.
const noItemsDate = 1

// Proven returns a carried, whole item with nothing in it that a poll could not contradict. Its text is that of its
// mark, so that a poll which finds another text reports a change. It has no signed files: no feed names their bytes.
// The date in its mark is one that no item has, so that a poll stores the origin's dates and link.
func (c Carried) Proven() Carried {
	text := cmp.Or(c.Content, c.Summary)
	if shown := (Item{Item: c.Item, content: body{text: text}}); fingerprint(&shown) != c.Mark.Print {
		text = c.Raw
	}
	if c.Content != "" {
		c.Content, c.Summary = text, ""
	} else {
		c.Summary = text
	}
	c.Files, c.Mark.Date = nil, noItemsDate
	return c
}

// prove checks that a carried item's text is what its mark is of.
func (it *Item) prove() error {
	for _, plain := range []bool{false, true} {
		p := Item{Item: it.Item, content: body{text: it.Raw, plain: plain}}
		if fingerprint(&p) == it.Mark.Print {
			return nil
		}
	}
	return fmt.Errorf("its text is another: %w", ErrForged)
}

// isClear reports whether a text is short enough, valid UTF-8, and without control characters.
func isClear(s string, limit int) bool {
	return len(s) <= limit && (isASCII(s) || utf8.ValidString(s) && !strings.ContainsFunc(s, isIllegal))
}

// sane leaves out a date that no calendar has.
func sane(t time.Time) time.Time {
	if t.IsZero() || t.Year() < 1 || t.Year() > 9999 {
		return time.Time{}
	}
	return t.UTC()
}
