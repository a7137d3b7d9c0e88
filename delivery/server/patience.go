package server

import "time"

// How long a client may keep the node waiting: grace, and as long again as its bytes need at the least rate.
const (
	grace     = 20 * time.Second
	leastRate = 500 // bytes a second
)

// patience is how long a client may still keep the node waiting, in one direction. Only waiting uses it up, not the
// time in which the node has nothing to send or is not ready to read.
type patience struct{ left time.Duration }

func newPatience() patience { return patience{grace} }

// deadline returns when the node stops waiting, if it begins to wait now.
func (p *patience) deadline(now time.Time) time.Time { return now.Add(p.left) }

// waited counts a wait, and the bytes that it brought, which restore patience up to grace.
func (p *patience) waited(d time.Duration, bytes int) {
	p.left = min(p.left-d+time.Duration(bytes)*time.Second/leastRate, grace)
}
