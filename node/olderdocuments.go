package node

import (
	"context"
	"fmt"
	"net/url"
	"time"

	"tidings"
	"tidings/source/feed"
	"tidings/source/fetch"
)

const (
	// maxOlderDocuments is how many of an origin's archive documents are read for one question.
	maxOlderDocuments = 100
	// olderPause is between two of them, besides what the host's budget has them wait.
	olderPause = 2 * time.Second
)

// olderDocuments tells what the archive documents of a channel's origin list (RFC 5005), from the latest one
// backwards: what is dated before since is left out, and a document with nothing else is the last.
func (n *Node) olderDocuments(ctx context.Context, channel string, since time.Time, tell func(tidings.Archived) error) error {
	w, err := n.store.Watch(ctx, channel)
	if err != nil {
		return err
	}
	request := fetch.Request{URL: w.Origin(), User: w.User, Password: w.Password}
	d, err := n.olderDocument(ctx, request)
	if err != nil {
		return err
	}
	if d.PrevArchive == "" {
		return invalid("%s is not pushed by its publisher, and its feed names no archive: there is nothing older than what it lists", quoted(channel))
	}
	// Documents elsewhere are not read: a feed could have this node ask anybody, with its password.
	read := map[string]bool{request.URL: true}
	for range maxOlderDocuments {
		request.URL = d.PrevArchive
		if request.URL == "" || read[request.URL] || !sameOrigin(w.Origin(), request.URL) {
			return nil
		}
		read[request.URL] = true
		if waitFor(ctx, n.config.olderPause()); ctx.Err() != nil {
			return ctx.Err()
		}
		if d, err = n.olderDocument(ctx, request); err != nil {
			return err
		}
		if more, err := tellDocument(request.URL, d, since, tell); err != nil || !more {
			return err
		}
	}
	return nil
}

func (n *Node) olderDocument(ctx context.Context, r fetch.Request) (*feed.Document, error) {
	res, err := n.looker.Fetch(ctx, r)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", quoted(r.URL), err)
	}
	d, err := feed.Parse(res.Body, res.Header.Get("Content-Type"), res.URL, n.looker.Feed)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", quoted(r.URL), err)
	}
	return d, nil
}

// tellDocument tells what a document lists, and whether there may be more in those before it.
func tellDocument(url string, d *feed.Document, since time.Time, tell func(tidings.Archived) error) (more bool, err error) {
	items := feed.Match(nil, d)
	for i := range items {
		item := &items[i].Item
		item.Change = ""
		at := item.Published
		if at.IsZero() {
			at = item.Updated
		}
		if !at.IsZero() && at.Before(since) {
			continue
		}
		more = true
		if err := tell(tidings.Archived{Time: at, Document: url, Items: []tidings.Item{*item}}); err != nil {
			return false, err
		}
	}
	return more, nil
}

// olderPause is between two documents: origins of a lab are there to be asked.
func (c Config) olderPause() time.Duration {
	if c.LabOrigins {
		return 0
	}
	return olderPause
}

func sameOrigin(a, b string) bool {
	u, err := url.Parse(a)
	if err != nil {
		return false
	}
	v, err := url.Parse(b)
	return err == nil && u.Scheme == v.Scheme && u.Host == v.Host
}
