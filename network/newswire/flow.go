package newswire

import (
	"time"

	"tidings/network/engine"
)

// flow bounds how much a node takes of each of many others: a token bucket for each (NewsWire, section 8: "a restrictive set of rules").
type flow struct {
	rate, burst int
	buckets     map[engine.ID]*engine.Bucket
}

// maxPublishers is of how many others a node remembers what it has taken. Beyond that all begin anew, with full buckets.
const maxPublishers = 1024

// take takes one from somebody, and reports whether that was still to be had.
func (f *flow) take(id engine.ID, now time.Duration) bool {
	b := f.buckets[id]
	if b == nil {
		if f.buckets == nil || len(f.buckets) >= maxPublishers {
			f.buckets = make(map[engine.ID]*engine.Bucket)
		}
		full := engine.NewBucket(f.rate, f.burst)
		b = &full
		f.buckets[id] = b
	}
	return b.Take(1, now)
}

// How much a node takes of its peers, whoever has published it.
const (
	// peerFlow is how many times as many items as of one publisher a peer may deliver: it forwards those of many.
	peerFlow = 10
	// askRate is how many questions for missed items a peer has answered a second, and askBurst how many at once: an honest one asks every few seconds.
	askRate, askBurst = 1, 8
)
