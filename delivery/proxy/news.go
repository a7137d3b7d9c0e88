package proxy

import (
	"encoding/json"
	"fmt"
	"slices"

	"tidings"
)

// newsSpace is the namespace of what an entry says of itself as a news item: feed.NewsSpace.
const newsSpace = "urn:tidings:news:1"

func newsJSON(n *tidings.News) string {
	b, _ := json.Marshal(n) // what the store has read from JSON
	return string(b)
}

// subjects returns what a news item is about.
func (e entry) subjects() []tidings.Subject {
	if e.news == nil {
		return nil
	}
	return e.news.Subjects
}

// tags returns the categories that are no subjects.
func (e entry) tags() (tags []string) {
	for _, c := range e.categories {
		if !slices.ContainsFunc(e.subjects(), func(s tidings.Subject) bool { return s.Name == c }) {
			tags = append(tags, c)
		}
	}
	return tags
}

func renderNinjs(d document, c Config) ([]byte, error) { return d.renderNews(c.Ninjs) }

func renderNewsML(d document, c Config) ([]byte, error) { return d.renderNews(c.NewsML) }

func (d document) renderNews(write func(tidings.Channel, []tidings.Item) ([]byte, error)) ([]byte, error) {
	items := make([]tidings.Item, len(d.entries))
	for i, e := range d.entries {
		items[i] = e.item()
		if e.withdrawn && e.news == nil { // what an ordinary item says of itself does not say that
			items[i].News = &tidings.News{
				GUID: e.id, Version: 1, Status: tidings.Withheld, Urgency: tidings.DefaultUrgency,
				Publisher: clean(d.title), Headline: clean(e.title),
				Created: e.published, Revised: e.updated,
			}
		}
	}
	b, err := write(d.channel, items)
	if err != nil {
		return nil, fmt.Errorf("writing news: %w", err)
	}
	return b, nil
}

// item returns the entry as an item. The ID that readers are given is not the published one, which origins change.
func (e entry) item() tidings.Item {
	return tidings.Item{
		ID: e.id, URL: e.link, Title: e.title, Author: e.author, Published: e.published, Updated: e.updated,
		Summary: e.summary, Content: e.content, Enclosures: e.enclosures, Categories: e.categories, News: e.news,
	}
}
