package fulltext

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/singleflight"

	"tidings"
	"tidings/egress"
	"tidings/source/article"
	"tidings/source/fetch"
	"tidings/store/fulltext"
)

// Bounds.
const (
	maxTries     = 3                // in a row, of those that may go better another time
	maxFetches   = 2                // pages that are fetched at a time by themselves
	maxAsked     = 8                // pages that people wait for at a time
	atOnce       = 32               // pages of one look into the store
	fetchTime    = 90 * time.Second // for one page, waiting for its turn included
	shortest     = 10 * time.Second // between two looks at the store, where it cannot be read
	longest      = time.Hour        // between two looks at the store
	firstPause   = 10 * time.Minute // after the first failure; later ones are four times as long
	longestPause = 24 * time.Hour
)

// Patience is how long a person waits for a page before the answer is that it is on its way.
const Patience = 20 * time.Second

// Store keeps full texts.
type Store interface {
	Ask(ctx context.Context, account tidings.AccountID, item int64, again bool) error
	Due(ctx context.Context, now time.Time, item int64, most int) ([]fulltext.Order, error)
	Next(ctx context.Context) (time.Time, error)
	Keep(ctx context.Context, item int64, content string, shorter bool) error
	Fail(ctx context.Context, item int64, why string, again time.Time) error
}

// Config says where full texts come from, and where they go.
type Config struct {
	Store Store
	// Fetch requests a page from an origin. private says that the address may be in a private network, if the node may
	// connect there.
	Fetch func(ctx context.Context, address string, private bool) (*fetch.Response, error)
	// Stored returns a channel that is closed when something has been stored.
	Stored func() <-chan struct{}
	Log    *slog.Logger
}

// Reader reads pages.
type Reader struct {
	config  Config
	group   singleflight.Group // by item
	asked   chan struct{}      // holds one for each page that a person waits for
	reading chan struct{}      // holds one while a page is read: that needs memory
	stop    context.Context
	end     context.CancelFunc
}

// New returns a reader that does nothing so far.
func New(c Config) (*Reader, error) {
	if c.Store == nil || c.Fetch == nil || c.Stored == nil || c.Log == nil {
		return nil, errors.New("fulltext: a setting is missing")
	}
	r := &Reader{config: c, asked: make(chan struct{}, maxAsked), reading: make(chan struct{}, 1)}
	r.stop, r.end = context.WithCancel(context.Background())
	return r, nil
}

// Run reads what is due until ctx ends.
func (r *Reader) Run(ctx context.Context) {
	defer r.end()
	for ctx.Err() == nil {
		stored := r.config.Stored() // before the look, so that nothing is missed
		wait := r.round(ctx)
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
		case <-stored:
		case <-timer.C:
		}
		timer.Stop()
	}
}

// round reads what is due, and returns how long there is nothing to do.
func (r *Reader) round(ctx context.Context) (wait time.Duration) {
	orders, err := r.config.Store.Due(ctx, time.Now(), 0, atOnce)
	if err != nil {
		r.complain(ctx, err)
		return shortest
	}
	var group errgroup.Group
	group.SetLimit(maxFetches)
	for _, o := range orders {
		if ctx.Err() != nil {
			break
		}
		group.Go(func() error {
			if err := r.once(ctx, o.Item); err != nil {
				r.complain(ctx, err)
			}
			return nil
		})
	}
	_ = group.Wait() // there is no error
	at, err := r.config.Store.Next(ctx)
	switch {
	case err != nil:
		r.complain(ctx, err)
		return shortest
	case at.IsZero():
		return longest
	}
	return min(max(time.Until(at), 0), longest)
}

func (r *Reader) complain(ctx context.Context, err error) {
	if ctx.Err() == nil {
		r.config.Log.Warn("a full text is not stored", "error", err)
	}
}

// Ask makes the full text of an item be read for an account, unless it is there; with again, in any case. It returns
// when that has ended, or with the error of ctx. How it went stands in the store. It fails with tidings.ErrInvalid
// while too many wait.
func (r *Reader) Ask(ctx context.Context, account tidings.AccountID, item int64, again bool) error {
	select {
	case r.asked <- struct{}{}:
		defer func() { <-r.asked }()
	default:
		return tidings.Invalidf("%d pages are being fetched for people here: try again in a minute", maxAsked)
	}
	if err := r.config.Store.Ask(ctx, account, item, again); err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() { done <- r.once(r.stop, item) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// once reads the page of an item, if it is still due. If another call already reads the page, it waits for that.
func (r *Reader) once(ctx context.Context, item int64) error {
	_, err, _ := r.group.Do(fmt.Sprint(item), func() (any, error) {
		orders, err := r.config.Store.Due(ctx, time.Now(), item, 1)
		if err != nil || len(orders) == 0 {
			return nil, err
		}
		return nil, r.read(ctx, orders[0])
	})
	return err
}

// read reads the page of an item, and stores what comes of it. The error is the store's.
func (r *Reader) read(ctx context.Context, o fulltext.Order) error {
	limited, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	found, err := r.page(limited, o)
	switch {
	case ctx.Err() != nil:
		return ctx.Err() // it is due still
	case err != nil:
		why, again := judge(err, o.Tries, time.Now())
		return r.config.Store.Fail(ctx, o.Item, why, again)
	}
	return r.config.Store.Keep(ctx, o.Item, found.Content, found.Letters < article.Letters(o.Feed))
}

// page fetches a page and finds its article.
func (r *Reader) page(ctx context.Context, o fulltext.Order) (article.Article, error) {
	u, err := url.Parse(o.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return article.Article{}, errNoLink
	}
	res, err := r.config.Fetch(ctx, o.URL, u.Host == hostOf(tidings.PublicURL(o.Channel)))
	if err != nil {
		return article.Article{}, err
	}
	select {
	case r.reading <- struct{}{}:
	case <-ctx.Done():
		return article.Article{}, ctx.Err()
	}
	defer func() { <-r.reading }()
	return article.Extract(res.Body, res.Header.Get("Content-Type"), res.URL)
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}

var errNoLink = errors.New("the item has no link to a page")

// judge returns, in words for a person, why there is no full text, and when it is tried again; zero: not by itself.
// tries failed before.
func judge(err error, tries int, now time.Time) (why string, again time.Time) {
	var status *fetch.StatusError
	var limited *fetch.LimitedError
	var network *fetch.NetworkError
	growth := 2 * min(tries, maxTries) // pauses quadruple
	pause := firstPause << growth
	switch {
	case errors.As(err, &limited): // nothing was asked: that is no try of the origin's
		if !limited.Own {
			return err.Error(), now.Add(min(max(limited.Until.Sub(now), time.Minute), longestPause))
		}
		why, pause = "this node has sent its host many requests, and waits", time.Minute<<growth
	case errors.As(err, &status):
		why = fmt.Sprintf("the page answered %d (%s)", status.Status, http.StatusText(status.Status))
		if status.Status != http.StatusTooManyRequests && status.Status < 500 {
			return why, time.Time{}
		}
		pause = max(pause, status.After)
	case errors.Is(err, context.DeadlineExceeded):
		why = "the page did not come in time"
	case errors.As(err, &network), errors.Is(err, fetch.ErrTruncated):
		why = "the page could not be fetched: " + err.Error()
	case errors.Is(err, egress.ErrAddress), errors.Is(err, egress.ErrPort):
		return "the link leads to an address to which this node does not connect", time.Time{}
	case errors.Is(err, article.ErrNone), errors.Is(err, article.ErrKind), errors.Is(err, errNoLink):
		return err.Error(), time.Time{}
	case errors.Is(err, article.ErrLarge), errors.Is(err, fetch.ErrTooLarge):
		return "the page is too large", time.Time{}
	default:
		return "the page could not be read: " + err.Error(), time.Time{}
	}
	if tries+1 >= maxTries {
		return why, time.Time{}
	}
	return why, now.Add(min(pause, longestPause))
}
