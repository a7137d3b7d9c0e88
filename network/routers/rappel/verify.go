package rappel

import (
	"time"

	"tidings/network/engine"
)

// verifying is how a parent checks where a child claims to lie. It measures up to minSamples round trips, as soon as
// the child is admitted. A child far from its claimed place would hold a place near the root, and send away the nodes
// that are sent to it.
type verifying struct {
	number uint32
	sent   time.Duration
	next   time.Duration // when it is pinged; 0: no more
	rtt    time.Duration // the least
	tries  int
}

// runVerification pings children that are to be checked, and returns when something will be due.
func (c *children) runVerification(now time.Duration) time.Duration {
	next := never
	for _, k := range c.list {
		v := &k.check
		if v.next == 0 {
			continue
		}
		if now >= v.next {
			if v.tries++; v.tries > 2*minSamples {
				v.next = 0 // it does not answer: the timeout for children is for that
				continue
			}
			v.number, v.sent, v.next = c.env.Rand().Uint32(), now, now+verifyEvery
			c.env.Send(k.peer, &Ping{Number: v.number, Versions: c.self.versions})
		}
		next = min(next, v.next)
	}
	return next
}

// verified receives the answer of a child. If the coordinate is false at every try, the node is a child no longer. It
// is not admitted again for a time, except as a guest of the root.
func (c *children) verified(from engine.Peer, number uint32) {
	k := c.find(from.ID)
	if k == nil || k.check.next == 0 || k.check.number != number || k.check.sent == 0 {
		return
	}
	v := &k.check
	rtt := max(c.now()-v.sent, 1)
	v.sent = 0
	if v.rtt == 0 || rtt < v.rtt {
		v.rtt = rtt
	}
	switch {
	case plausible(v.rtt, c.self.coordinate.Distance(k.coordinate)):
		v.next = 0
	case v.tries >= minSamples:
		c.env.Trace(Refused{c.topic, from, "coordinate"})
		c.env.Send(from, &Leave{Topic: c.topic, Child: true})
		c.remove(from.ID)
		c.banned.add(from.ID, c.now())
	}
}

// Bounds of what round trips and coordinates may say of each other.
const (
	minSamples  = 3
	stray       = 4
	slack       = 150 * time.Millisecond
	verifyEvery = 5 * time.Second // how long an answer of a child is waited for
)

// plausible reports whether a coordinate can be a peer's. No node can shorten the least measured round trip. It and the
// distance must be within a factor of each other. Coordinates are 9 % off in the median and 50 % at one pair of ten
// (see package vivaldi). Round trips under load are long.
func plausible(rtt, distance time.Duration) bool {
	return rtt <= stray*distance+slack && distance <= stray*rtt+slack
}
