package history

import (
	"context"
	"net/url"
	"slices"
	"time"

	"tidings"
	"tidings/source"
	"tidings/source/feed"
	"tidings/source/fetch"
	"tidings/view"
)

const (
	// ReadWithin bounds how long archive documents are read for one question.
	ReadWithin = 2 * time.Minute
	// DocumentPause is between two documents of an origin.
	DocumentPause = 2 * time.Second
	// maxDocuments is how many of an origin's archive documents are read back.
	maxDocuments = 100
)

// errLate says that an origin's archive was not read to its end. What was read has been passed on.
var errLate = tidings.WithHint(tidings.Invalidf("the archive has more than could be read in %d minutes",
	ReadWithin/time.Minute),
	"ask for what is older than the last entry, or for a later time to begin")

// readDocuments passes on what the archive documents of a channel's origin list (RFC 5005), from the latest one
// backwards, except what is here. Items dated before query.Since are left out, and a document with nothing else is the
// last.
func (q question) readDocuments(ctx context.Context) error {
	w, err := q.reader.content.Watch(ctx, q.channel)
	if err != nil {
		return err
	}
	d := &documents{question: q,
		request: fetch.Request{URL: w.Origin(), Access: fetch.AccessAt(w.Access, tidings.PublicURL(w.URL), w.Origin())}}
	return inTime(ctx, d.read)
}

// inTime reads within ReadWithin; it returns errLate where that is over before it has ended.
func inTime(ctx context.Context, read func(context.Context) error) error {
	within, cancel := context.WithTimeout(ctx, ReadWithin)
	defer cancel()
	if err := read(within); err == nil || ctx.Err() != nil || within.Err() == nil {
		return err
	}
	return errLate
}

// documents reads a channel's archive documents.
type documents struct {
	question
	request fetch.Request // of the feed itself

	way   []string // documents that were read, from the latest backwards
	asked bool     // the origin, for something
}

// read goes on at the query's document, if this node knows the way there, else from the feed. A person's request alone
// does not make this node request an address at the origin, with its password.
func (d *documents) read(ctx context.Context) error {
	ways := &d.reader.ways
	next, reached := d.query.Document, d.query.Document == ""
	if before, known := ways.to(d.channel, next); known {
		d.way, reached = before, true
	} else {
		first, err := d.fetch(ctx, d.request.URL)
		if err != nil {
			return err
		}
		if next = first.PrevArchive; next == "" {
			return tidings.Invalidf(
				"%s is not pushed by its publisher, and its feed names no archive: there is nothing older than what it lists",
				tidings.Quote(d.channel))
		}
	}
	for d.goesOnTo(next) {
		d.way = append(d.way, next)
		ways.keep(d.channel, d.way)
		document, err := d.fetch(ctx, next)
		if err != nil {
			return err
		}
		if reached = reached || next == d.query.Document; reached {
			if more, err := d.show(next, document); err != nil || !more {
				return err
			}
		}
		next = document.PrevArchive
	}
	if !reached {
		return tidings.Invalidf("the archive of %s has another order than before: begin again",
			tidings.Quote(d.channel))
	}
	return nil
}

// goesOnTo reports whether a document is to be read. Documents elsewhere are not: a feed could have this node ask
// anybody, with its password.
func (d *documents) goesOnTo(url string) bool {
	return url != "" && url != d.request.URL && len(d.way) < maxDocuments && !slices.Contains(d.way, url) &&
		sameOrigin(d.request.URL, url)
}

// fetch reads a document.
func (d *documents) fetch(ctx context.Context, url string) (*feed.Document, error) {
	if d.asked {
		if waitFor(ctx, d.reader.config.Pause); ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	d.asked = true
	r := d.request
	r.URL = url
	res, err := d.reader.host.Fetch(ctx, r)
	if err != nil {
		return nil, &tidings.Failure{Op: "reading", Address: tidings.Quote(url), Err: err}
	}
	document, err := source.Parse(res.Body, res.Header.Get("Content-Type"), res.URL, d.reader.config.Feed)
	if err != nil {
		return nil, &tidings.Failure{Op: "reading", Address: tidings.Quote(url), Err: err}
	}
	return document, nil
}

// show passes on what a document lists, and reports whether there may be more in those before it.
func (d *documents) show(url string, document *feed.Document) (more bool, err error) {
	document.Partial = true // what is here and not in it is in another document
	items := feed.Match(d.here, document)
	for i := range items {
		if url == d.query.Document && i < d.query.Places {
			more = true
			continue
		}
		at := items[i].Published
		if at.IsZero() {
			at = items[i].Updated
		}
		if !at.IsZero() && at.Before(d.query.Since) {
			continue
		}
		more = true
		told := lacking(items[i : i+1])
		if len(told) == 0 {
			continue
		}
		if err := d.tell(view.Archived{Time: at, Document: url, Place: i + 1, Items: told}); err != nil {
			return false, err
		}
	}
	if d.query.Lacking {
		err = d.tell(view.Archived{Document: url, Place: len(items)})
	}
	return more, err
}

func sameOrigin(a, b string) bool {
	u, err := url.Parse(a)
	if err != nil {
		return false
	}
	v, err := url.Parse(b)
	return err == nil && u.Scheme == v.Scheme && u.Host == v.Host
}
