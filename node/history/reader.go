package history

import (
	"context"
	"errors"
	"time"

	"tidings"
	"tidings/network/engine"
	"tidings/store/content"
	"tidings/store/pushed"
	"tidings/view"
)

// Reader reads backwards what was published of channels.
type Reader struct {
	host    Host
	config  Config
	content *content.Store
	pushed  *pushed.Store
	archive *Archive // nil: the node works alone
	ways    ways
}

// NewReader returns a reader of a node; one without an archive reads the documents of origins alone.
func NewReader(host Host, a *Archive, c Config) *Reader {
	return &Reader{host: host, config: c, content: c.Content, pushed: c.Pushed, archive: a}
}

// Older passes earlier published items of a channel to tell, the newest first. They come from the network's archive if
// its publisher pushes it, else from the archive documents that its feed names (RFC 5005). missing counts published
// items that no node has. An error of tell ends it and is returned. Errors: tidings.ErrInvalid with a reason in plain
// words if there is no archive of the channel. If silent nodes may have more, it is another error, after what was
// found.
func (r *Reader) Older(ctx context.Context, url string, q view.ArchiveQuery,
	tell func(view.Archived) error) (missing int, err error) {
	known := r.content.WithdrawnItems // of those, nothing is passed on that was published before
	if q.Lacking {
		known = r.content.ReadableItems
	}
	here, err := known(ctx, url)
	if err != nil {
		return 0, err
	}
	asked := question{reader: r, channel: url, query: q, here: here, tell: tell}
	if r.archive == nil {
		return 0, asked.readDocuments(ctx)
	}
	pin, err := r.pushed.PinOf(ctx, url)
	switch {
	case errors.Is(err, tidings.ErrNotFound):
		return 0, asked.readDocuments(ctx)
	case err != nil:
		return 0, err
	case pin.Distrusted || !pin.Revoked.IsZero():
		return 0, tidings.Invalidf(
			"the key by which %s is published is not trusted, so nothing that it has signed is read",
			tidings.Quote(url))
	}
	p := &pushedChannel{question: asked, pin: pin, topics: []engine.ID{pin.Topic}, look: r.archive.find}
	topics, err := r.pushed.Topics(ctx, url)
	if err != nil {
		return 0, err
	}
	for _, topic := range topics {
		if topic != pin.Topic {
			p.topics = append(p.topics, topic)
		}
	}
	err = p.read(ctx)
	return p.missing, err
}

// question is a request for items of a channel.
type question struct {
	reader  *Reader
	channel string // URL
	query   view.ArchiveQuery
	here    []tidings.KnownItem // are not passed on
	tell    func(view.Archived) error
}

// lacking returns those of the items that are not here, as they are shown from an archive.
func lacking(found []tidings.FoundItem) (items []tidings.Item) {
	for i := range found {
		if found[i].Change == tidings.New && !found[i].News.Embargoed(time.Now()) {
			item := found[i].Item
			item.Change = ""
			items = append(items, item)
		}
	}
	return items
}

func waitFor(ctx context.Context, wait time.Duration) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
