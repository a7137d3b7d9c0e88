package origins

import (
	"net/url"
	"slices"
	"sync"
	"time"

	"tidings/source/fetch"
	"tidings/view"
)

// maxHosts is how many hosts' clocks are remembered: the last that were asked.
const maxHosts = 32

// clocks are those of the origins that were asked last, by the time in their answers (Date, RFC 9110 section 6.6.1).
// One may be wrong; the median of many is not. The zero value is ready for use.
type clocks struct {
	mu   sync.Mutex
	read []reading // the latest last
}

type reading struct {
	host   string
	offset time.Duration // this machine's clock less the origin's
}

// note notes the time in an answer that ended now. What came out of a cache says when it went in there.
func (o *clocks) note(res *fetch.Response, now time.Time) {
	u, err := url.Parse(res.URL)
	if err != nil || res.Date.IsZero() || res.Header.Get("Age") != "" {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.read = slices.DeleteFunc(o.read, func(c reading) bool { return c.host == u.Host })
	if len(o.read) == maxHosts {
		o.read = slices.Delete(o.read, 0, 1)
	}
	// The request began Took ago. Round: the wall clock counts, not the monotonic one.
	began := now.Round(0).Add(-res.Took)
	o.read = append(o.read, reading{u.Host, began.Sub(res.Date)})
}

// median returns by how much this machine's clock is ahead of most of them.
func (o *clocks) median() view.Clock {
	o.mu.Lock()
	defer o.mu.Unlock()
	offsets := make([]time.Duration, len(o.read))
	for i, c := range o.read {
		offsets[i] = c.offset
	}
	return view.ClockOf(offsets)
}
