package channels

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"tidings"
	"tidings/source"
)

// PreviewWithin bounds one poll of an address, with all that is fetched for it: a page, feeds that it names, and usual
// places of feeds.
const PreviewWithin = 2 * time.Minute

var errSlowCheck = errors.New("it took longer than 2 minutes") // PreviewWithin

// Preview polls an address once and stores nothing. What it finds is kept for previewLife, so that subscribing right
// after does not ask the origin again. With an error, the preview shows how far it came.
func (c *Channels) Preview(ctx context.Context, account tidings.AccountID,
	o tidings.SubscribeRequest) (tidings.Preview, error) {
	several, err := c.several(ctx)
	if err != nil {
		return tidings.Preview{}, err
	}
	read := c.preview
	if several {
		read = c.previewAlike
	}
	first, err := read(ctx, o)
	if err != nil {
		return first.Preview, err
	}
	c.previews.keep(account, o, first, time.Now())
	return first.Preview, nil
}

func (c *Channels) preview(ctx context.Context, o tidings.SubscribeRequest) (*source.First, error) {
	return c.previewBy(ctx, c.config.Poller, o)
}

func (c *Channels) previewBy(ctx context.Context, poller *source.Poller,
	o tidings.SubscribeRequest) (*source.First, error) {
	if s, is, err := parseSelection(o); err != nil || is {
		return &source.First{},
			cmp.Or(err, tidings.Invalidf("a %s has no origin to check: it can be followed at once", s.kind))
	}
	clean, access, err := c.split(o)
	if err != nil {
		return &source.First{}, err
	}
	given := o.URL
	o.URL = clean
	parent := ctx
	ctx, cancel := context.WithTimeout(parent, PreviewWithin)
	defer cancel()
	first, err := poller.Preview(ctx, o, access)
	if err != nil {
		if ctx.Err() == context.DeadlineExceeded && parent.Err() == nil {
			err = errSlowCheck
		}
		return first, &tidings.Failure{Op: "checking", Address: clean, Hint: advice(given, err), Err: err}
	}
	w := &first.Watched
	w.Privacy = c.classify(w.URL, w.Access)
	first.Preview.Privacy = w.Privacy
	return first, nil
}

// Bounds on what is kept of polls of addresses without followers.
const (
	previewLife = 5 * time.Minute
	maxPreviews = 32
)

// previews keeps what previews found, so that subscribing right after a preview does not ask the origin again.
type previews struct {
	mu   sync.Mutex
	kept map[previewKey]keptPreview
}

// previewKey is the part of an order that decides the result of a poll, and its account: no person may notice what
// others consider following.
type previewKey struct {
	account      tidings.AccountID
	url, options string
	access       string
	asPage       bool
}

type keptPreview struct {
	first *source.First
	until time.Time
}

func newPreviews() *previews { return &previews{kept: make(map[previewKey]keptPreview)} }

func keyOf(account tidings.AccountID, o tidings.SubscribeRequest) previewKey {
	return previewKey{account: account, url: o.URL, options: optionsKey(o.Options), access: accessKey(o.Access),
		asPage: o.AsPage}
}

// keep remembers first for a while; when there is no room, what ends first goes.
func (p *previews) keep(account tidings.AccountID, o tidings.SubscribeRequest, first *source.First, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var oldest previewKey
	for key, k := range p.kept {
		if now.After(k.until) {
			delete(p.kept, key)
		} else if old, ok := p.kept[oldest]; !ok || k.until.Before(old.until) {
			oldest = key
		}
	}
	if len(p.kept) >= maxPreviews {
		delete(p.kept, oldest)
	}
	p.kept[keyOf(account, o)] = keptPreview{first, now.Add(previewLife)}
}

// remove returns what was kept for o, once; nil if there is nothing.
func (p *previews) remove(account tidings.AccountID, o tidings.SubscribeRequest, now time.Time) *source.First {
	p.mu.Lock()
	defer p.mu.Unlock()
	k, ok := p.kept[keyOf(account, o)]
	if !ok {
		return nil
	}
	delete(p.kept, keyOf(account, o))
	if now.After(k.until) {
		return nil
	}
	return k.first
}
