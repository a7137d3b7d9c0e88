package node

import (
	"context"
	"net/url"
	"slices"
	"sync"
	"time"

	"tidings"
	"tidings/source/fetch"
)

// maxOriginClocks is how many hosts' clocks are remembered: the last that were asked.
const maxOriginClocks = 32

// originClocks compares this machine's clock with what origins say that it is (Date, RFC
// 9110 section 6.6.1). One origin may be wrong; the median of many is not.
type originClocks struct {
	mu   sync.Mutex
	read []originClock // the latest last
}

type originClock struct {
	host   string
	offset time.Duration // this machine's clock less the origin's
}

// watch returns fetch with every answer's clock noted.
func (o *originClocks) watch(do func(context.Context, fetch.Request) (*fetch.Response, error)) func(context.Context, fetch.Request) (*fetch.Response, error) {
	return func(ctx context.Context, ask fetch.Request) (*fetch.Response, error) {
		res, err := do(ctx, ask)
		if err == nil {
			o.note(res, time.Now())
		}
		return res, err
	}
}

// note takes in what an answer that ended now says. What came out of a cache says when it
// went in there.
func (o *originClocks) note(res *fetch.Response, now time.Time) {
	u, err := url.Parse(res.URL)
	if err != nil || res.Date.IsZero() || res.Header.Get("Age") != "" {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.read = slices.DeleteFunc(o.read, func(c originClock) bool { return c.host == u.Host })
	if len(o.read) == maxOriginClocks {
		o.read = slices.Delete(o.read, 0, 1)
	}
	// The answer began Took ago. Round: the wall clock counts, not the monotonic one.
	began := now.Round(0).Add(-res.Took)
	o.read = append(o.read, originClock{u.Host, began.Sub(res.Date)})
}

// clock returns the median.
func (o *originClocks) clock() tidings.Clock {
	o.mu.Lock()
	defer o.mu.Unlock()
	offsets := make([]time.Duration, len(o.read))
	for i, c := range o.read {
		offsets[i] = c.offset
	}
	return tidings.ClockOf(offsets)
}
