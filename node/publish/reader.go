package publish

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"tidings"
	"tidings/node/owner"
	"tidings/node/wholefile"
	"tidings/source"
	"tidings/source/feed"
	"tidings/source/fetch"
)

// isWeb reports whether a source is a URL, not a file.
func isWeb(source string) bool {
	return strings.HasPrefix(source, "http://") || strings.HasPrefix(source, "https://")
}

// reader reads what publishers have, wherever that is.
type reader struct {
	client *fetch.Client // asks publishers' own servers
	feed   feed.Config
	limit  int64 // of a file, in bytes
}

// newReader returns a reader that asks servers in a certain way.
func newReader(c Config, how fetch.Config) (*reader, error) {
	client, err := fetch.New(how)
	return &reader{client, c.Feed, c.BodyLimit}, err
}

// ownFetch returns how publishers' own servers are asked. None is too private, and none has a budget: it may be
// anywhere, and is asked as often as its publisher wants.
func ownFetch(c fetch.Config) fetch.Config {
	c.Lab, c.Patience = true, nil
	return c
}

func (r *reader) close() error { return r.client.Close() }

// read reads the feed that a source holds now.
func (r *reader) read(ctx context.Context, source string) (*feed.Document, error) {
	if isWeb(source) {
		res, err := r.client.Fetch(ctx, fetch.Request{URL: source})
		if err != nil {
			return nil, &tidings.Failure{Op: "reading", Address: source, Err: err}
		}
		return r.parse(source, res.Body, res.Header.Get("Content-Type"))
	}
	if !filepath.IsAbs(source) {
		return nil, tidings.Invalidf("%q is neither a URL nor an absolute path", source)
	}
	if info, err := os.Stat(source); err == nil && !info.Mode().IsRegular() {
		return nil, tidings.Invalidf("%s is no ordinary file", source) // to open a pipe would wait for ever
	}
	b, err := wholefile.Read(source, r.limit)
	if err != nil {
		return nil, unreadable(err, source,
			"publish it without --watch whenever it has changed: then the command reads it, as you")
	}
	return r.parse(source, b, "")
}

// unreadable returns the refusal of an order with a file that its sender may be able to read, but not the node.
func unreadable(err error, file, instead string) error {
	refusal := tidings.Invalidf("the node cannot read what is to be sent: %w", err)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return tidings.WithHint(refusal, fmt.Sprintf("it runs as %s; let that user read %s, or %s", owner.Me(), file,
			instead))
	case errors.Is(err, fs.ErrNotExist):
		return tidings.WithHint(refusal,
			"a node in a container, or started by systemd, sees other files than you do; move it to where the node sees it, or "+instead)
	}
	return refusal
}

func (r *reader) parse(from string, b []byte, contentType string) (*feed.Document, error) {
	doc, err := source.ParseOwn(b, contentType, from, r.feed)
	if err != nil {
		return nil, tidings.Invalidf("%s: %v", from, errors.Unwrap(err)) // without that it was reading
	}
	return doc, nil
}
