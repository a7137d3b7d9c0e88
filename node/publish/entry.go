package publish

import (
	"cmp"
	"encoding/json"
	"strings"
	"time"

	"tidings"
	"tidings/source/feed"
)

// documentOf makes a feed of an entry that a content system has published, and reads it as any other.
func documentOf(e tidings.PublishedEntry, base string, c feed.Config) (*feed.Document, error) {
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
	item := map[string]any{"id": e.ID, "url": e.URL, "title": e.Title, "content_html": e.HTML, "content_text": e.Text, "summary": e.Summary, "tags": e.Tags}
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
		item[feed.NewsField] = e.News
	}
	b, err := json.Marshal(map[string]any{"version": "https://jsonfeed.org/version/1.1", "items": []any{item}})
	if err != nil {
		return nil, err
	}
	doc, err := feed.Parse(b, "application/feed+json", base, c)
	if err != nil {
		return nil, err
	}
	if e.News != nil && (len(doc.Items) != 1 || doc.Items[0].News == nil) {
		return nil, tidings.Invalidf("what the entry says as a news item cannot be read: it needs a guid of at most 2048 bytes")
	}
	if e.News.Withdrawn() {
		return doc, nil // which is all that is said of it
	}
	if len(doc.Items) != 1 || cmp.Or(e.Title, e.HTML, e.Text, e.Summary) == "" && len(e.Enclosures) == 0 {
		return nil, tidings.Invalidf("the entry says nothing: it needs a title, a text or an enclosure")
	}
	return doc, nil
}
