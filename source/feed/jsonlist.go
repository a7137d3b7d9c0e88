package feed

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"tidings/source/feed/date"
)

// readJSONList reads a list of news in JSON that is not JSON Feed. It is an array of objects, alone or under one of the
// usual names, most of which have a title and an address. Programs publish such files for other programs, under any
// names they like. Read as items they give updates that people can use. A page of them would give a difference between
// two lines of half a megabyte.
func readJSONList(d *Document, head object, items []json.RawMessage, base string, cfg Config) error {
	d.Site = itemLink(base, head.text("home_page_url", "link", "url", "site"), cfg.MaxURL)
	base = cmp.Or(d.Site, base)
	good := 0
	drafts := make([]Item, 0, len(items))
	for _, raw := range items {
		if len(raw) == 0 || raw[0] != '{' {
			continue
		}
		dr := jsonListItem(toObject(raw), base, cfg)
		if dr.title != "" && dr.link.url != "" {
			good++
		}
		d.noteDates(dr)
		if it, ok := dr.item(cfg); ok {
			drafts = append(drafts, it)
		}
	}
	if good == 0 || 2*good < len(items) {
		return fmt.Errorf("%w: JSON, but no list of items with titles and links", ErrNotFeed)
	}
	d.Format = JSONList
	d.note("read a list in JSON as a feed: its objects have titles and links")
	d.Items = drafts
	d.Title = plainTitle(head.text("title", "name"), cfg.MaxTitle)
	d.Language = cutText(head.text("language", "lang"), 64)
	return nil
}

func jsonListItem(o object, base string, cfg Config) *draft {
	dr := &draft{id: cutText(strings.TrimSpace(o.text("guid", "id", "uuid", "_id")), cfg.MaxURL)}
	title := construct{text: o.text("title", "headline", "name")}
	dr.title = title.title(false, cfg.MaxTitle)
	for _, name := range []string{"url", "link", "href", "permalink", "html_url", "external_url"} {
		dr.link.better(itemLink(base, o.text(name), cfg.MaxURL), linkHTML)
	}
	dr.published = jsonStamp(o, "date_published", "published", "published_at", "publishedAt", "pubDate", "pub_date",
		"date", "created_at", "created", "timestamp", "time")
	dr.updated = jsonStamp(o, "date_modified", "updated", "updated_at", "updatedAt", "modified")
	dr.summary = newBody(o.text("summary", "description", "excerpt", "abstract", "snippet"), false, cfg.MaxText)
	dr.content = jsonBody(o, cfg, "content_html", "content_text")
	if dr.content.text == "" {
		dr.content = newBody(o.text("content", "body", "text"), false, cfg.MaxText)
	}
	dr.authors = jsonAuthors(o, cfg)
	for _, list := range []string{"tags", "categories"} {
		dr.tag(o, list, cfg)
	}
	return dr
}

// jsonStamp reads the first date there is, which may be a number of seconds or
// milliseconds since 1970 with any number of digits.
func jsonStamp(o object, names ...string) date.Date {
	raw := o.text(names...)
	s := date.Read(raw)
	if !s.At.IsZero() {
		return s
	}
	n, err := strconv.ParseFloat(raw, 64)
	switch {
	case err != nil || n < 1e8 || n > 1e13:
		return s
	case n > 1e11:
		return date.Date{Raw: raw, At: time.UnixMilli(int64(n)).UTC()}
	}
	return date.Date{Raw: raw, At: time.Unix(int64(n), 0).UTC()}
}
