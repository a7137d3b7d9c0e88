package rappel

import (
	"slices"
	"time"

	"tidings/network/engine"
)

// verifying is how a parent checks where a child claims to lie: by a few round trips, as soon as it is taken in. A child far from where it
// claims to be would hold a place near the root, and send away those who are sent to it.
type verifying struct {
	number uint32
	sent   time.Duration
	next   time.Duration // when it is pinged; 0: no more
	rtt    time.Duration // the least
	tries  int
}

// Bounds of the check.
const (
	verifyEvery = 5 * time.Second
	maxBanned   = 16
)

// runVerification pings children that are to be checked, and returns when something will be due.
func (c *children) runVerification(now time.Duration) time.Duration {
	next := never
	var departing []engine.ID
	for i := range c.list {
		k := &c.list[i]
		v := &k.check
		if k.awaited || v.next == 0 {
			continue
		}
		if k.guest {
			if now >= v.next { // it is to come like others, and be checked anew
				c.env.Send(k.peer, &Leave{Topic: c.topic, Child: true})
				departing = append(departing, k.peer.ID)
			} else {
				next = min(next, v.next)
			}
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
	for _, id := range departing {
		c.remove(id)
		c.familyChanged()
	}
	return next
}

// verified takes the answer of a child. One whose coordinate is none at every try is a child no longer, and is not taken in again for a
// time, but for a guest of the root.
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
		c.familyChanged()
		if len(c.banned) == maxBanned {
			c.banned = slices.Delete(c.banned, 0, 1)
		}
		c.banned = append(c.banned, shunned{from.ID, c.now() + shunning})
	}
}

// isBanned reports whether a node is not taken in for a time.
func (c *children) isBanned(id engine.ID) bool {
	now := c.now()
	c.banned = slices.DeleteFunc(c.banned, func(s shunned) bool { return now >= s.until })
	return slices.ContainsFunc(c.banned, func(s shunned) bool { return s.id == id })
}
