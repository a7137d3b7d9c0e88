package news

import (
	"net/url"
	"strings"

	"tidings"
	"tidings/source/feed"
)

// Of returns an item in the terms of news: its own News if it has that. For an item of an ordinary feed, the publisher
// is the channel's host, or its title if it has no host. The subjects are the item's categories, by name. The version
// is 1; a caller that counts the revisions of an item sets it.
func Of(channelURL, channelTitle string, item tidings.Item) tidings.News {
	if item.News != nil {
		return *item.News
	}
	p := parser{cfg: Default(), doc: &Document{}}
	n := tidings.News{
		GUID:      item.ID,
		Version:   1,
		Publisher: firstOf(Publisher(channelURL), p.line(channelTitle)),
		Status:    tidings.Usable,
		Urgency:   tidings.DefaultUrgency,
		Headline:  p.line(item.Title),
		Byline:    p.line(item.Author),
		Created:   item.Published.UTC(),
		Revised:   item.Updated.UTC(),
	}
	if n.Revised.IsZero() {
		n.Revised = n.Created
	}
	for _, c := range item.Categories {
		p.add(&n.Subjects, tidings.Subject{Name: c})
	}
	return n
}

// Publisher returns the host of an address without "www.", in lower case. It is the publisher of a channel's items if
// they do not name one. It is "" if the address has no host.
func Publisher(address string) string {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil {
		return ""
	}
	return strings.TrimPrefix(strings.ToLower(feed.PlainLine(u.Hostname(), 255)), "www.")
}
