package engine

import "time"

// Bucket bounds how much is done: so much a second on average, and so much at once. The zero Bucket
// allows nothing.
type Bucket struct {
	rate, burst, left int64
	at                time.Duration
}

// NewBucket returns a full bucket. rate, a second, and burst are above zero.
func NewBucket(rate, burst int) Bucket {
	return Bucket{rate: int64(rate), burst: int64(burst), left: int64(burst)}
}

// Take spends n, if anything is left at the time now, and reports whether it did. More may be spent
// than is left: what is owed has to be made up for before there is more.
func (b *Bucket) Take(n int, now time.Duration) bool {
	if b.rate <= 0 {
		return false
	}
	// Whatever was owed, it is made up for after so long; so the product below stays small.
	since := min(now-b.at, time.Duration((b.burst-b.left)/b.rate+1)*time.Second)
	b.left = min(b.burst, b.left+int64(since/time.Microsecond)*b.rate/1e6)
	b.at = now
	if b.left <= 0 {
		return false
	}
	b.left -= int64(n)
	return true
}
