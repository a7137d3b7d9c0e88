package node

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"time"

	"tidings"
	"tidings/source"
	"tidings/source/feed"
	"tidings/source/fetch"
)

const (
	// maxOlderDocuments is how many of an origin's archive documents are read back.
	maxOlderDocuments = 100
	// olderPause is between two of them, besides what the host's budget has them wait.
	olderPause = 2 * time.Second
	// olderWithin bounds how long all of them together are read for one question.
	olderWithin = 2 * time.Minute
)

// errOlderLate says that an origin's archive was not read to its end. What was read is told already.
var errOlderLate = &hinted{invalid("the archive has more than could be read in %d minutes", olderWithin/time.Minute), "ask for what is older than the last entry, or for a later time to begin"}

// olderDocuments tells what the archive documents of a channel's origin list (RFC 5005), from the latest one
// backwards, but for what is here: what is dated before q.Since is left out, and a document with nothing else is the
// last.
func (n *Node) olderDocuments(ctx context.Context, channel string, q tidings.ArchiveQuery, here []tidings.KnownItem, tell func(tidings.Archived) error) error {
	w, err := n.store.Watch(ctx, channel)
	if err != nil {
		return err
	}
	o := &olderPapers{node: n, channel: channel, request: fetch.Request{URL: w.Origin(), User: w.User, Password: w.Password}, query: q, here: here, tell: tell}
	return inTime(ctx, o.read)
}

// inTime reads within olderWithin; it returns errOlderLate where that is over before it has ended.
func inTime(ctx context.Context, read func(context.Context) error) error {
	within, cancel := context.WithTimeout(ctx, olderWithin)
	defer cancel()
	if err := read(within); err == nil || ctx.Err() != nil || within.Err() == nil {
		return err
	}
	return errOlderLate
}

// olderPapers reads a channel's archive documents backwards.
type olderPapers struct {
	node    *Node
	channel string
	request fetch.Request // of the feed itself
	query   tidings.ArchiveQuery
	here    []tidings.KnownItem // are not told
	tell    func(tidings.Archived) error

	way   []string // documents that were read, from the latest backwards
	asked bool     // the origin, for something
}

// read goes on at the document where the query does, if this node knows the way there, else from the feed: what a
// person sends alone does not have this node ask for anything at the origin, with its password.
func (o *olderPapers) read(ctx context.Context) error {
	next, reached := o.query.Document, o.query.Document == ""
	if before, known := o.node.ways.to(o.channel, next); known {
		o.way, reached = before, true
	} else {
		d, err := o.fetch(ctx, o.request.URL)
		if err != nil {
			return err
		}
		if next = d.PrevArchive; next == "" {
			return invalid("%s is not pushed by its publisher, and its feed names no archive: there is nothing older than what it lists", quoted(o.channel))
		}
	}
	for o.goesOnTo(next) {
		o.way = append(o.way, next)
		o.node.ways.keep(o.channel, o.way)
		d, err := o.fetch(ctx, next)
		if err != nil {
			return err
		}
		if reached = reached || next == o.query.Document; reached {
			if more, err := o.show(next, d); err != nil || !more {
				return err
			}
		}
		next = d.PrevArchive
	}
	if !reached {
		return invalid("the archive of %s has another order than before: begin again", quoted(o.channel))
	}
	return nil
}

// goesOnTo tells whether a document is to be read. Documents elsewhere are not: a feed could have this node ask
// anybody, with its password.
func (o *olderPapers) goesOnTo(url string) bool {
	return url != "" && url != o.request.URL && len(o.way) < maxOlderDocuments && !slices.Contains(o.way, url) && sameOrigin(o.request.URL, url)
}

// fetch reads a document.
func (o *olderPapers) fetch(ctx context.Context, url string) (*feed.Document, error) {
	if o.asked {
		if waitFor(ctx, o.node.config.olderPause()); ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	o.asked = true
	r, l := o.request, o.node.poller
	r.URL = url
	res, err := l.Fetch(ctx, r)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", quoted(url), err)
	}
	d, err := source.Parse(res.Body, res.Header.Get("Content-Type"), res.URL, l.Feed)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", quoted(url), err)
	}
	return d, nil
}

// show tells what a document lists, and whether there may be more in those before it.
func (o *olderPapers) show(url string, d *feed.Document) (more bool, err error) {
	d.Partial = true // what is here and not in it is in another document
	items := feed.Match(o.here, d)
	for i := range items {
		if url == o.query.Document && i < o.query.Places {
			more = true
			continue
		}
		at := items[i].Published
		if at.IsZero() {
			at = items[i].Updated
		}
		if !at.IsZero() && at.Before(o.query.Since) {
			continue
		}
		more = true
		told := lacking(items[i : i+1])
		if len(told) == 0 {
			continue
		}
		if err := o.tell(tidings.Archived{Time: at, Document: url, Place: i + 1, Items: told}); err != nil {
			return false, err
		}
	}
	if o.query.Lacking {
		err = o.tell(tidings.Archived{Document: url, Place: len(items)})
	}
	return more, err
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
