package feed

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"tidings"
	"tidings/source/feed/date"
)

// An RSS item or Atom entry describes itself as a news item in an element "item" of the namespace [NewsSpace]. Its text
// is [tidings.News] in JSON. An item of a JSON Feed has the object itself under [NewsField]:
//
//	<news:item xmlns:news="urn:tidings:news:1">{"guid":"urn:…","version":2,"publisher":"…"}</news:item>
const (
	NewsSpace = "urn:tidings:news:1"
	NewsField = "_tidings_news"
)

// Bounds of News. Those of texts of one line are Config.MaxTitle.
const (
	maxNewsGUID     = 2048 // bytes
	maxNewsSubjects = 64   // and places
	maxNewsLanguage = 35   // bytes of a BCP 47 tag
	maxNewsVersion  = 1<<31 - 1
	maxUrgency      = 9
)

// EncodeNews writes News as feeds and nodes carry it: the same bytes for the same News.
func EncodeNews(n *tidings.News) []byte {
	b, _ := json.Marshal(n) // texts, numbers, and times with years that JSON can have, see settledNews
	return b
}

// DecodeNews reads what EncodeNews wrote. Nothing of it has been proved.
func DecodeNews(text string) (*tidings.News, error) {
	n := new(tidings.News)
	if err := json.Unmarshal([]byte(text), n); err != nil {
		return nil, fmt.Errorf("reading what a news item says of itself: %w", err)
	}
	return n, nil
}

// NewDocument makes a document of items that another reader has read: their texts, and what they say as news items, are
// checked as those of a feed are. Summaries and contents are HTML.
func NewDocument(title string, items []tidings.Item, cfg Config) *Document {
	d := &Document{Title: plainTitle(title, cfg.MaxTitle)}
	for i := range items {
		if len(d.Items) == cfg.MaxItems {
			d.note("has more items than are read: the rest is left out")
			break
		}
		d.Items = append(d.Items, newItem(&items[i], cfg))
	}
	keepApart(d.Items)
	return d
}

func newItem(from *tidings.Item, cfg Config) Item {
	d := draft{id: from.ID, news: settledNews(from.News, cfg)}
	for _, e := range from.Enclosures {
		d.enclose(cfg, itemLink("", e.URL, cfg.MaxURL), e.Type, fmt.Sprint(e.Length))
	}
	for _, term := range from.Categories {
		d.categorise(cfg, term)
	}
	d.published, d.updated = stampOf(from.Published), stampOf(from.Updated)
	d.title, d.link.url = plainTitle(from.Title, cfg.MaxTitle), itemLink("", from.URL, cfg.MaxURL)
	d.summary, d.content = newBody(from.Summary, false, cfg.MaxText), newBody(from.Content, false, cfg.MaxText)
	it, _ := d.item(cfg)
	if !it.News.Withdrawn() {
		it.Author = plainTitle(from.Author, cfg.MaxTitle)
	}
	return it
}

func stampOf(t time.Time) date.Date {
	if t = sane(t); t.IsZero() {
		return date.Date{}
	}
	return date.Date{Raw: t.Format(time.RFC3339Nano), At: t}
}

// readNews stores what an item says of itself as a news item; the first counts.
func (d *draft) readNews(doc *Document, cfg Config, text string) {
	if d.news != nil {
		return
	}
	n, err := DecodeNews(strings.TrimSpace(text))
	if err == nil {
		d.news = settledNews(n, cfg)
	}
	if d.news == nil {
		doc.note("passed over what an item says of itself as a news item: it cannot be read")
	}
}

// settledNews returns News with everything in its bounds: what has none gets its default. It is nil if there is no GUID
// that can be kept whole. What it returns stays as it is when it is settled again.
func settledNews(n *tidings.News, cfg Config) *tidings.News {
	if n == nil || len(n.GUID) > maxNewsGUID {
		return nil
	}
	line := func(s string) string { return plainTitle(s, cfg.MaxTitle) }
	out := &tidings.News{
		GUID: plainTitle(n.GUID, maxNewsGUID), Version: n.Version, Publisher: line(n.Publisher),
		Status: n.Status, Signal: n.Signal, Urgency: n.Urgency,
		Subjects: settledSubjects(n.Subjects, line), Places: settledSubjects(n.Places, line),
		Language: strings.ToLower(n.Language), Genre: line(n.Genre), Headline: line(n.Headline),
		Slugline: line(n.Slugline),
		Byline:   line(n.Byline), Note: line(n.Note),
		Created: sane(n.Created), Revised: sane(n.Revised), Embargo: sane(n.Embargo), Expires: sane(n.Expires),
	}
	if out.GUID == "" {
		return nil
	}
	if out.Version < 1 || out.Version > maxNewsVersion {
		out.Version = 1
	}
	if out.Urgency < 1 || out.Urgency > maxUrgency {
		out.Urgency = tidings.DefaultUrgency
	}
	if !out.Withdrawn() {
		out.Status = tidings.Usable
	}
	if out.Signal != tidings.Updated && out.Signal != tidings.Corrected {
		out.Signal = ""
	}
	if len(out.Language) > maxNewsLanguage ||
		strings.Trim(out.Language, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
		out.Language = ""
	}
	if out.Withdrawn() { // what it is about stays, so that its readers learn of that
		out.Headline, out.Slugline, out.Byline, out.Note = "", "", "", ""
		out.Embargo, out.Expires = time.Time{}, time.Time{}
	}
	return out
}

func settledSubjects(list []tidings.Subject, line func(string) string) (out []tidings.Subject) {
	for _, s := range list[:min(len(list), maxNewsSubjects)] {
		s = tidings.Subject{Code: line(s.Code), Scheme: line(s.Scheme), Name: line(s.Name)}
		if s.Code != "" || s.Name != "" {
			out = append(out, s)
		}
	}
	return out
}

// settleNews leaves of an item that its publisher has withdrawn nothing but that, in words for readers.
func (it *Item) settleNews(cfg Config) {
	n := it.News
	if !n.Withdrawn() {
		return
	}
	link := ""
	if it.URL == it.ID { // it is known by that
		link = it.URL
	}
	who := firstOf(n.Publisher, "Its publisher")
	says := who + " has canceled this item: it must not be used any more."
	if n.Status == tidings.Withheld {
		says = who + " withholds this item until a later version of it is released."
	}
	it.Item = tidings.Item{
		ID: it.ID, URL: link, Title: plainTitle("Withdrawn by "+firstOf(n.Publisher, "its publisher"), cfg.MaxTitle),
		Published: it.Published, Updated: it.Updated, News: n,
	}
	it.summary, it.content, it.base = body{text: says, plain: true}, body{}, ""
}

// carriedNews copies what a carried item says of itself as a news item; the rest of the item is there.
func (it *Item) carriedNews(c *Carried, cfg Config) error {
	if c.News == nil {
		return nil
	}
	n := settledNews(c.News, cfg)
	if n == nil || !bytes.Equal(EncodeNews(n), EncodeNews(c.News)) {
		return fmt.Errorf("what it says as a news item: %w", ErrForged)
	}
	it.News = n
	if !n.Withdrawn() {
		return nil
	}
	it.settleNews(cfg)
	it.Raw = it.best().text
	if it.Title != c.Title || it.URL != c.URL || sanitize(it.best(), "", newAllowance()) != c.Summary ||
		slices.ContainsFunc([]string{c.Content, c.Author}, func(s string) bool { return s != "" }) ||
		len(c.Enclosures) > 0 {
		return fmt.Errorf("it is withdrawn, and says more than that: %w", ErrForged)
	}
	return nil
}
