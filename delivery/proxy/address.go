package proxy

import (
	"net/url"
	"strings"
)

// FeedURL returns the address of channel's Atom feed at the node with the address base.
func FeedURL(base, channel string) string { return feedURL(base, atomFormat, channel) }

// JSONFeedURL returns the address of channel's JSON Feed.
func JSONFeedURL(base, channel string) string { return feedURL(base, jsonFormat, channel) }

func feedURL(base string, f format, channel string) string {
	return strings.TrimSuffix(base, "/") + f.path + "?url=" + url.QueryEscape(channel)
}

// ParseFeedURL returns the channel of the feed at an address of a node, as Atom or as JSON Feed; false if there is
// none.
func ParseFeedURL(address *url.URL) (channel string, json, ok bool) {
	channel = address.Query().Get("url")
	json = address.Path == jsonFormat.path
	return channel, json, channel != "" && (json || address.Path == atomFormat.path)
}
