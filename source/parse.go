package source

import (
	"errors"
	"fmt"

	"tidings"
	"tidings/source/feed"
	"tidings/source/fetch"
	"tidings/source/microformats"
	"tidings/source/news"
	"tidings/source/page"
)

// entriesOf reads a page as the feed of the entries that it marks up.
func entriesOf(res *fetch.Response, cfg feed.Config) (*feed.Document, error) {
	root, ok := page.TreeOf(res.Body, res.Header.Get("Content-Type"))
	if !ok {
		return nil, &tidings.Failure{Op: "reading the entries of a page",
			Err: fmt.Errorf("%w: it is no web page, or a damaged one", feed.ErrNotFeed)}
	}
	return microformats.Feed(root, res.URL, cfg)
}

// Parse reads a document of items: a feed, or what news agencies send (NITF, NewsML-G2, ninjs). An error in the latter
// is a *news.SyntaxError, which says where. For every other document it fails as feed.Parse does.
func Parse(doc []byte, contentType, baseURL string, cfg feed.Config) (*feed.Document, error) {
	read, err := feed.Parse(doc, contentType, baseURL, cfg)
	if isFeed(read, err) || news.Sniff(doc, contentType) == news.Unknown {
		return read, err
	}
	return orNews(read, err, doc, contentType, cfg)
}

// ParseOwn is Parse for a document that its sender calls a feed or news, however little of it shows that.
func ParseOwn(doc []byte, contentType, baseURL string, cfg feed.Config) (*feed.Document, error) {
	read, err := feed.Parse(doc, contentType, baseURL, cfg)
	if format := feed.Sniff(doc, contentType); isFeed(read, err) || format != feed.XML && format != feed.JSON {
		return read, err
	}
	return orNews(read, err, doc, contentType, cfg)
}

// isFeed reports whether feed.Parse has settled what a document is.
func isFeed(read *feed.Document, err error) bool {
	return err == nil && read.Format != feed.JSONList || err != nil && !errors.Is(err, feed.ErrNotFeed)
}

// orNews reads a document as news, of which feed.Parse has made what it could.
func orNews(read *feed.Document, err error, doc []byte, contentType string, cfg feed.Config) (*feed.Document, error) {
	limits := news.Default()
	limits.MaxBytes = min(limits.MaxBytes, cfg.MaxBytes)
	d, wrong := news.Parse(doc, contentType, limits)
	switch {
	case wrong == nil:
		return d.Feed(cfg), nil
	case err == nil: // a list of news that somebody has made up
		return read, nil
	}
	return nil, wrong
}

// isWrongNews reports whether an error says where a news document is wrong.
func isWrongNews(err error) bool {
	var wrong *news.SyntaxError
	return errors.As(err, &wrong)
}
