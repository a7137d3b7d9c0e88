package newswire

import (
	"time"

	"tidings/network/engine"
)

// flow bounds how much a node accepts of each of many others: a token bucket for each (NewsWire, section 8: "a
// restrictive set of rules").
type flow struct {
	rate, burst int
	buckets     map[engine.ID]*engine.Bucket
}

// maxPublishers is of how many others a node remembers what it has accepted. Beyond that all begin anew, with full
// buckets.
const maxPublishers = 1024

// spend spends one of a peer's, and reports whether there was one left.
func (f *flow) spend(id engine.ID, now time.Duration) bool {
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

// How much a node accepts of its peers, whichever node has published it.
const (
	// peerFlow is how many times as many items as of one publisher a peer may deliver: it forwards those of many.
	peerFlow = 10
	// askRate is how many requests for missed items a second are answered for one peer, and askBurst how many at once.
	// An honest peer asks at intervals of seconds.
	askRate, askBurst = 1, 8
)
