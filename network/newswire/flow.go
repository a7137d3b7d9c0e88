package newswire

import (
	"tidings/network/engine"
)

// flow bounds how many items a node takes of each publisher: a token bucket for each (NewsWire, section 8: "a restrictive set of rules").
type flow struct {
	rate, burst int
	buckets     map[engine.ID]*engine.Bucket
}

// maxPublishers is of how many publishers a node remembers what it has taken. Beyond that all begin anew, with full buckets.
const maxPublishers = 1024

func (f *flow) init(c Config) { f.rate, f.burst = c.Rate, c.Burst }

// bucket returns that of a publisher.
func (f *flow) bucket(publisher engine.ID) *engine.Bucket {
	b := f.buckets[publisher]
	if b == nil {
		if f.buckets == nil || len(f.buckets) >= maxPublishers {
			f.buckets = make(map[engine.ID]*engine.Bucket)
		}
		full := engine.NewBucket(f.rate, f.burst)
		b = &full
		f.buckets[publisher] = b
	}
	return b
}
