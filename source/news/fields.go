package news

import (
	"fmt"
	"html"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"tidings"
	"tidings/source/feed"
)

// parser reads one document.
type parser struct {
	cfg Config
	doc *Document
}

// maxNotes and maxNote bound Document.Notes: their number, and the characters of each.
const (
	maxNotes = 20
	maxNote  = 300
)

// note adds a note once.
func (p *parser) note(format string, args ...any) {
	text := feed.PlainLine(fmt.Sprintf(format, args...), maxNote)
	if len(p.doc.Notes) < maxNotes && !slices.Contains(p.doc.Notes, text) {
		p.doc.Notes = append(p.doc.Notes, text)
	}
}

// line makes one line of a text.
func (p *parser) line(s string) string { return feed.PlainLine(s, p.cfg.MaxLine) }

// id makes a GUID of a text, "" if there is none or it is too long.
func (p *parser) id(s string) string {
	s = strings.TrimSpace(s)
	if len(s) > p.cfg.MaxID {
		return ""
	}
	return feed.PlainLine(s, p.cfg.MaxID)
}

// date reads a date; where says of what, for the note about one that cannot be read.
func (p *parser) date(where, s string) time.Time {
	t, ok := parseDate(s)
	if !ok && strings.TrimSpace(s) != "" {
		p.note("%s: cannot read the date %q: left out", where, s)
	}
	return t
}

// embargo sets when an item may be shown. One that cannot be read withholds the item: to show it might break the
// embargo.
func (p *parser) embargo(n *tidings.News, where, s string) {
	if n.Embargo = p.date(where, s); n.Embargo.IsZero() && strings.TrimSpace(s) != "" {
		p.note("%s: the item is withheld, since its embargo cannot be read", where)
		n.Status = stricter(n.Status, tidings.Withheld)
	}
}

// stricter returns the status that forbids more.
func stricter(a, b tidings.NewsStatus) tidings.NewsStatus {
	for _, s := range []tidings.NewsStatus{tidings.Canceled, tidings.Withheld} {
		if a == s || b == s {
			return s
		}
	}
	return tidings.Usable
}

// status reads a status, by its code alone; "" if it says none.
func (p *parser) status(where, s string) tidings.NewsStatus {
	switch strings.ToLower(strings.TrimSpace(s)) {
	case "":
		return ""
	case "usable", "embargoed":
		return tidings.Usable
	case "withheld":
		return tidings.Withheld
	case "canceled", "cancelled":
		return tidings.Canceled
	}
	p.note("%s: unknown status %q: taken for usable", where, s)
	return tidings.Usable
}

// signal reads a signal by its code, "" if it is another one.
func signal(s string) tidings.NewsSignal {
	switch strings.ToLower(strings.TrimSpace(s)) {
	case "update":
		return tidings.Updated
	case "correction":
		return tidings.Corrected
	}
	return ""
}

// maxVersion bounds versions, so that they can be compared and stored everywhere.
const maxVersion = 1<<31 - 1

// number reads a number from least to most, 0 if it says none.
func (p *parser) number(where, s string, least, most int) int {
	if s = strings.TrimSpace(s); s == "" {
		return 0
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < least || n > most {
		p.note("%s: %q is not a number from %d to %d: left out", where, s, least, most)
		return 0
	}
	return n
}

func (p *parser) version(where, s string) int { return p.number(where, s, 0, maxVersion) }
func (p *parser) urgency(where, s string) int { return p.number(where, s, 1, 9) }

// maxLanguage is the most bytes of a language tag.
const maxLanguage = 35

// language reads a BCP 47 tag, in lower case; "" if it is none.
func (p *parser) language(where, s string) string {
	s = strings.ToLower(strings.ReplaceAll(strings.TrimSpace(s), "_", "-"))
	if strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" || len(s) > maxLanguage ||
		strings.HasPrefix(s, "-") {
		p.note("%s: %q is not a language tag: left out", where, s)
		return ""
	}
	return s
}

// enclose adds a file by its address.
func (p *parser) enclose(it *Item, e tidings.Enclosure) {
	e.URL, e.Type = webURL(e.URL), feed.PlainLine(e.Type, 100)
	if e.URL == "" || slices.Contains(it.Enclosures, e) {
		return
	}
	if len(it.Enclosures) >= p.cfg.MaxEnclosures {
		p.note("has more than %d files: the rest is left out", p.cfg.MaxEnclosures)
		return
	}
	it.Enclosures = append(it.Enclosures, e)
}

// maxURL is the most bytes of an address.
const maxURL = 4096

// webURL returns an absolute http or https address, "" for anything else.
func webURL(s string) string {
	s = strings.TrimSpace(s)
	u, err := url.Parse(s)
	if err != nil || len(s) > maxURL || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
		return ""
	}
	return u.String()
}

// summary makes a summary of markup: its text, escaped.
func (p *parser) summary(markup string) string {
	markup = feed.Sanitize(p.cut("summary", markup), "")
	return html.EscapeString(feed.PlainLine(feed.PlainText(markup), p.cfg.MaxSummary))
}

// finish sets what an item does not say, and what tidings.Item has of News.
func (p *parser) finish(it *Item) {
	n := &it.News
	n.Version = max(n.Version, 1)
	if n.Status == "" {
		n.Status = tidings.Usable
	}
	if n.Urgency == 0 {
		n.Urgency = tidings.DefaultUrgency
	}
	it.ID, it.Title, it.Author = n.GUID, n.Headline, n.Byline
	it.Published, it.Updated = n.Created, n.Revised
	if it.URL == "" {
		it.URL = webURL(n.GUID)
	}
	it.Categories = nil
	for _, s := range n.Subjects {
		if s.Name != "" && !slices.Contains(it.Categories, s.Name) {
			it.Categories = append(it.Categories, s.Name)
		}
	}
}
