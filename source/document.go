package source

import (
	"strings"

	"tidings/source/feed"
	"tidings/source/fetch"
)

// Document tells what a feed's document says of pushes.
type Document struct {
	Announcement *feed.Announcement // nil: it takes part in none
	// Secure says that the document came over TLS from the channel's own address, so that nobody on
	// the way can have put the announcement there.
	Secure bool
}

func (k *poll) document(res *fetch.Response) *Document {
	return &Document{Announcement: k.feed.Announcement, Secure: isTLS(k.URL) && isTLS(k.Origin()) && isTLS(res.URL)}
}

func isTLS(url string) bool { return strings.HasPrefix(url, "https://") }
