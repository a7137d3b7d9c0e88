package archive

import "time"

// bucket is how much may be done: so much a second, and so much at once.
type bucket struct {
	rate, burst, left int64
	at                time.Duration
}

func newBucket(rate, burst int) bucket {
	return bucket{rate: int64(rate), burst: int64(burst), left: int64(burst)}
}

// take takes n out if anything is left: what it owes then has to be made up for before there is more.
func (b *bucket) take(n int, now time.Duration) bool {
	full := time.Duration(2*b.burst/b.rate+1) * time.Second
	b.left = min(b.burst, b.left+int64(min(now-b.at, full)/time.Microsecond)*b.rate/1e6)
	b.at = now
	if b.left <= 0 {
		return false
	}
	b.left -= int64(n)
	return true
}
