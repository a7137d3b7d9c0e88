package source

import (
	"strings"

	"tidings/source/feed"
	"tidings/source/fetch"
	"tidings/source/websub"
)

// Document is what a feed's document says of pushes.
type Document struct {
	Announcement *feed.Announcement // nil: it is not pushed
	// Secure says that the document came over TLS from the channel's own address. So nobody on the way can have put the
	// announcement there.
	Secure bool
}

func (k *poll) document(res *fetch.Response) *Document {
	return &Document{Announcement: k.feed.Announcement, Secure: isTLS(k.URL) && isTLS(k.Origin()) && isTLS(res.URL)}
}

// hubs returns what the document that was read says of hubs; nil if none was.
func (k *poll) hubs(res *fetch.Response) *websub.Discovery {
	d := websub.Document{URL: res.URL, Body: res.Body, HTML: k.page != nil}
	switch {
	case k.feed != nil:
		d.Hubs, d.Topic = k.feed.Hubs, k.feed.Self
	case k.page == nil:
		return nil
	}
	for _, l := range res.Links() {
		d.Header = append(d.Header, websub.Link{Rel: l.Rel, Href: l.Href})
	}
	found := websub.Discover(d)
	return &found
}

func isTLS(url string) bool { return strings.HasPrefix(url, "https://") }
