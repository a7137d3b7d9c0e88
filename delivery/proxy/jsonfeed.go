package proxy

import (
	"bytes"
	"cmp"
	"encoding/json"
	"time"

	"tidings"
)

// The objects of JSON Feed 1.1, as far as they are used.

type jsonFeed struct {
	Version     string       `json:"version"`
	Title       string       `json:"title"`
	HomePageURL string       `json:"home_page_url,omitempty"`
	FeedURL     string       `json:"feed_url"`
	Hubs        []jsonHub    `json:"hubs,omitempty"`
	Authors     []jsonAuthor `json:"authors,omitempty"`
	Items       []jsonItem   `json:"items"`
}

type jsonItem struct {
	ID            string           `json:"id"`
	URL           string           `json:"url,omitempty"`
	Title         string           `json:"title"`
	ContentHTML   string           `json:"content_html"`
	Summary       string           `json:"summary,omitempty"`
	DatePublished *time.Time       `json:"date_published,omitempty"`
	DateModified  *time.Time       `json:"date_modified,omitempty"`
	Authors       []jsonAuthor     `json:"authors,omitempty"`
	Tags          []string         `json:"tags,omitempty"`
	Attachments   []jsonAttachment `json:"attachments,omitempty"`
	News          *tidings.News    `json:"_tidings_news,omitempty"` // feed.NewsField
	Withdrawn     bool             `json:"_tidings_withdrawn,omitempty"`
}

type jsonHub struct {
	Type string `json:"type"`
	URL  string `json:"url"`
}

type jsonAuthor struct {
	Name string `json:"name"`
	URL  string `json:"url,omitempty"`
}

type jsonAttachment struct {
	URL      string `json:"url"`
	MIMEType string `json:"mime_type"`
	Size     int64  `json:"size_in_bytes,omitempty"`
}

// renderJSON writes d as a JSON Feed.
func renderJSON(d document) []byte {
	feed := jsonFeed{
		Version:     "https://jsonfeed.org/version/1.1",
		Title:       first(d.title, d.via),
		HomePageURL: d.home,
		FeedURL:     d.self,
		Authors:     []jsonAuthor{{Name: first(d.title, d.via), URL: d.home}},
		Items:       make([]jsonItem, 0, len(d.entries)),
	}
	if d.hub != "" {
		feed.Hubs = []jsonHub{{"WebSub", d.hub}}
	}
	for _, e := range d.entries {
		feed.Items = append(feed.Items, jsonItemOf(e))
	}
	var b bytes.Buffer
	to := json.NewEncoder(&b)
	to.SetEscapeHTML(false)
	_ = to.Encode(feed) // strings and dates that RFC 3339 can write: it cannot fail
	return b.Bytes()
}

func jsonItemOf(e entry) jsonItem {
	item := jsonItem{
		ID:            e.id,
		URL:           e.link,
		Title:         clean(e.title),
		ContentHTML:   clean(e.content),
		Summary:       plainText(e.summary, 1000), // which is plain text there
		DatePublished: jsonDate(e.published),
		DateModified:  jsonDate(e.updated),
		News:          e.news,
		Withdrawn:     e.withdrawn,
	}
	if author := clean(e.author); author != "" {
		item.Authors = []jsonAuthor{{Name: author}}
	}
	if e.source != nil { // there is no other place for it
		source := jsonAuthor{Name: sourceTitle(e.source), URL: webURL(tidings.PublicURL(e.source.URL))}
		item.Authors = append(item.Authors, source)
	}
	for _, category := range e.categories {
		if category = clean(category); category != "" {
			item.Tags = append(item.Tags, category)
		}
	}
	for _, file := range e.enclosures {
		if address := webURL(file.URL); address != "" {
			item.Attachments = append(item.Attachments,
				jsonAttachment{URL: address, MIMEType: cmp.Or(clean(file.Type), "application/octet-stream"),
					Size: max(file.Length, 0)})
		}
	}
	return item
}

func jsonDate(t time.Time) *time.Time {
	if t = writable(t).Truncate(time.Second); t.IsZero() {
		return nil
	}
	return &t
}
