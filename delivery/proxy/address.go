package proxy

import (
	"net/url"
	"strings"
)

// FeedURL returns the address of channel's Atom feed at the node whose address is base.
func FeedURL(base, channel string) string { return feedURL(base, atomFormat, channel) }

// JSONFeedURL returns the address of channel's JSON Feed.
func JSONFeedURL(base, channel string) string { return feedURL(base, jsonFormat, channel) }

func feedURL(base string, f format, channel string) string {
	return strings.TrimSuffix(base, "/") + f.path + "?url=" + url.QueryEscape(channel)
}
