package feed

import (
	"cmp"
	"encoding/json"
	"strings"
	"time"

	"tidings"
)

// Gather returns a document of items that come from several channels. It is a part of a document: more items are added
// as they arrive. Items of different channels may have links, titles and texts in common, so an item is known by its ID
// alone. The caller gives them IDs that are unique among channels.
func Gather(items []tidings.Item) *Document {
	doc := &Document{Items: make([]Item, len(items)), Partial: true}
	for i, it := range items {
		raw := cmp.Or(it.Content, it.Summary)
		gathered := Item{Item: it, Raw: raw, base: it.URL, summary: body{text: it.Summary},
			content: body{text: it.Content}}
		gathered.Mark = tidings.ItemIdentity{ID: hashOf(it.ID), Print: fingerprint(&gathered)}
		doc.Items[i] = gathered
	}
	return doc
}

// Marks returns what the items of a document are known by, in its order.
func (d *Document) Marks() []tidings.ItemIdentity {
	marks := make([]tidings.ItemIdentity, len(d.Items))
	for i := range d.Items {
		marks[i] = d.Items[i].Mark
	}
	return marks
}

// OfEntry makes a feed of an entry that a program has published, and reads it as any other. tidings.ErrInvalid, with
// what to do, for one that says nothing or cannot be read.
func OfEntry(e tidings.PublishedEntry, base string, c Config) (*Document, error) {
	if strings.TrimSpace(e.ID) == "" {
		return nil, tidings.Invalidf("the entry has no id: give it the one that it has in your feed")
	}
	if e.HTML != "" && e.Text != "" {
		return nil, tidings.Invalidf("the entry has both html and text: give one of them")
	}
	type attachment struct {
		URL  string `json:"url"`
		Type string `json:"mime_type,omitempty"`
		Size int64  `json:"size_in_bytes,omitempty"`
	}
	type author struct {
		Name string `json:"name"`
	}
	item := map[string]any{"id": e.ID, "url": e.URL, "title": e.Title, "content_html": e.HTML, "content_text": e.Text,
		"summary": e.Summary, "tags": e.Tags}
	if e.Author != "" {
		item["authors"] = []author{{e.Author}}
	}
	for name, at := range map[string]time.Time{"date_published": e.Published, "date_modified": e.Updated} {
		if !at.IsZero() {
			item[name] = at.Format(time.RFC3339)
		}
	}
	var files []attachment
	for _, f := range e.Enclosures {
		files = append(files, attachment{f.URL, f.Type, f.Length})
	}
	item["attachments"] = files
	if e.News != nil {
		item[NewsField] = e.News
	}
	b, err := json.Marshal(map[string]any{"version": "https://jsonfeed.org/version/1.1", "items": []any{item}})
	if err != nil {
		return nil, err
	}
	doc, err := Parse(b, "application/feed+json", base, c)
	if err != nil {
		return nil, err
	}
	if e.News != nil && (len(doc.Items) != 1 || doc.Items[0].News == nil) {
		return nil, tidings.Invalidf(
			"what the entry says as a news item cannot be read: it needs a guid of at most 2048 bytes")
	}
	if e.News.Withdrawn() {
		return doc, nil // which is all that is said of it
	}
	if len(doc.Items) != 1 || cmp.Or(e.Title, e.HTML, e.Text, e.Summary) == "" && len(e.Enclosures) == 0 {
		return nil, tidings.Invalidf("the entry says nothing: it needs a title, a text or an enclosure")
	}
	return doc, nil
}
