package proxy

import (
	"net/url"
	"strings"

	"tidings/delivery/opml"
)

// FeedURL returns the address of channel's Atom feed at the node whose address is base.
func FeedURL(base, channel string) string { return feedURL(base, atomFormat, channel) }

// JSONFeedURL returns the address of channel's JSON Feed.
func JSONFeedURL(base, channel string) string { return feedURL(base, jsonFormat, channel) }

func feedURL(base string, f format, channel string) string {
	return strings.TrimSuffix(base, "/") + f.path + "?url=" + url.QueryEscape(channel)
}

// ProxyList returns l with the addresses at which the node at base gives its entries,
// so that a reader that imports it reads everything from here.
func ProxyList(l opml.List, base string) opml.List {
	proxied := opml.List{Title: l.Title, Entries: make([]opml.Entry, len(l.Entries))}
	for i, e := range l.Entries {
		e.URL = FeedURL(base, e.URL)
		proxied.Entries[i] = e
	}
	return proxied
}
