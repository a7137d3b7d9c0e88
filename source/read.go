package source

import (
	"context"
	"encoding/binary"
	"errors"
	"hash/fnv"
	"net/http"
	"strings"
	"time"

	"tidings"
	"tidings/source/feed"
	"tidings/source/fetch"
)

// read makes of a document what it says: k.reading, and k.result.Change if there is
// something to store. It returns the response that counts in the end, which is a later
// one if the document was fetched again. An error is this node's, not the origin's.
func (k *poll) read(ctx context.Context, res *fetch.Response) (*fetch.Response, error) {
	if kind := k.Options.Kind(); kind == tidings.KindPage || kind == tidings.KindUnknown && k.Kind == tidings.KindPage {
		return k.readPage(ctx, res)
	}
	doc, err := k.parse(res)
	switch {
	case err == nil:
		return k.readFeed(ctx, res, doc)
	case k.Kind == tidings.KindUnknown && !k.Options.Entries && !errors.Is(err, feed.ErrLimit) &&
		!errors.Is(err, feed.ErrDamaged) && !isWrongNews(err):
		return k.readPage(ctx, res) // it is no feed; one that is damaged or beyond all limits is not read at all
	}
	k.reading.Unreadable = err
	return res, nil
}

// parse reads the document of a feed.
func (k *poll) parse(res *fetch.Response) (*feed.Document, error) {
	if k.Options.Entries {
		return entriesOf(res, k.Feed)
	}
	return Parse(res.Body, res.Header.Get("Content-Type"), res.URL, k.Feed)
}

// readFeed compares a feed with the items known of it.
func (k *poll) readFeed(ctx context.Context, res *fetch.Response, doc *feed.Document) (*fetch.Response, error) {
	known, err := k.Library.KnownItems(ctx, k.URL)
	if err != nil {
		return res, err
	}
	doc.Partial = res.Status == http.StatusIMUsed
	f := &tidings.Change{
		Kind: tidings.KindFeed, Title: doc.Title, Site: doc.Site, Icon: doc.Icon,
		Items: feed.Match(known, doc), Partial: doc.Partial,
	}
	for _, item := range known {
		f.KnownUpTo = max(f.KnownUpTo, item.Row)
	}
	changed, quiet := changes(f.Items)
	if !f.Partial {
		print := printOf(f.Items)
		if changed && k.mem.comesBack(print) {
			if latest, err := k.feedByTurns(ctx, res); err != nil || latest != nil {
				return latest, err
			}
		}
		k.mem.accept(print)
		k.identifiersHold(f.Items)
	}
	k.feed = doc
	k.reading.Kind, k.reading.Hints, k.reading.Expired = tidings.KindFeed, hintsOf(doc), doc.Hints.Expired
	// Without a version so far, there is the feed's name at least to be stored.
	k.reading.Changed = changed
	if !f.Partial && k.keepsDocument() {
		f.Raw, f.RawType = res.Body, res.Header.Get("Content-Type")
	}
	if changed || quiet || k.Version == 0 || relisted(known, f) || k.Title != doc.Title && doc.Title != "" ||
		k.Icon != doc.Icon && doc.Icon != "" {
		k.found(f, res)
	}
	return res, nil
}

// feedByTurns returns the latest content if an origin that serves earlier content serves
// that as well, when asked again: then nothing has changed but which of its servers
// answered. Otherwise it returns nil.
func (k *poll) feedByTurns(ctx context.Context, res *fetch.Response) (latest *fetch.Response, err error) {
	for range maxAgain {
		next, err := k.again(ctx, res)
		if next == nil {
			return nil, err
		}
		doc, err := k.parse(next)
		if err != nil {
			continue
		}
		known, err := k.Library.KnownItems(ctx, k.URL)
		if err != nil {
			return nil, err
		}
		if printOf(feed.Match(known, doc)) == k.mem.accepted {
			return next, nil
		}
	}
	return nil, nil
}

// found makes f the change that the poll has found.
func (k *poll) found(f *tidings.Change, res *fetch.Response) {
	f.Found, f.FoundBy = time.Now(), k.NodeID
	// These outlive the poll; as parts of the document they would keep all of it.
	f.Title, f.Site, f.Icon = strings.Clone(f.Title), strings.Clone(f.Site), strings.Clone(f.Icon)
	f.OriginChanged = k.originChanged(f, res)
	k.result.Change = f
}

// originChanged returns when the content changed, by the origin's word: Last-Modified, else the newest date of the
// changed items. It is believed if it is not after now by the origin's own clock. It must also be after the last poll,
// and after content that came from elsewhere since. If neither is known, a change cannot be distinguished from what was
// there long before.
func (k *poll) originChanged(f *tidings.Change, res *fetch.Response) time.Time {
	now := res.Date
	if now.IsZero() {
		now = f.Found
	}
	since := k.mem.origin.LastRead
	if k.mem.found.After(since) {
		since = k.mem.found
	}
	if since.IsZero() && k.Version > 0 {
		return time.Time{}
	}
	believable := func(t time.Time) bool { return !t.IsZero() && !t.After(now) && t.After(since) }
	if t, err := http.ParseTime(res.LastModified); err == nil && believable(t) {
		return t
	}
	var newest time.Time
	for _, item := range f.Items {
		for _, t := range []time.Time{item.Published, item.Updated} {
			if item.Change != "" && believable(t) && t.After(newest) {
				newest = t
			}
		}
	}
	return newest
}

// changes reports whether any item is to be reported to readers, and whether any differs
// without that.
func changes(items []tidings.FoundItem) (changed, quiet bool) {
	for i := range items {
		changed = changed || items[i].Change != ""
		quiet = quiet || items[i].Quiet
	}
	return changed, quiet
}

// relisted reports whether a whole document lists other items than the last one.
func relisted(known []tidings.KnownItem, f *tidings.Change) bool {
	if f.Partial {
		return false
	}
	listed := 0
	rows := make(map[int64]bool, len(known))
	for _, k := range known {
		if k.Listed {
			listed++
			rows[k.Row] = true
		}
	}
	for i := range f.Items {
		if !rows[f.Items[i].Row] {
			return true
		}
	}
	return listed != len(f.Items)
}

// printOf returns a fingerprint of a feed's items, whatever their order; never 0.
func printOf(items []tidings.FoundItem) uint64 {
	var sum uint64
	for i := range items {
		m := items[i].Mark
		h := fnv.New64a()
		for _, part := range []uint64{m.ID, m.Title, m.Print} {
			var b [8]byte
			binary.BigEndian.PutUint64(b[:], part)
			h.Write(b[:])
		}
		sum += h.Sum64()
	}
	return max(sum, 1)
}

func hintsOf(doc *feed.Document) fetch.Hints {
	h := doc.Hints
	return fetch.Hints{TTL: h.TTL, SkipHours: h.SkipHours, SkipDays: h.SkipDays, UpdatePeriod: h.UpdatePeriod}
}
