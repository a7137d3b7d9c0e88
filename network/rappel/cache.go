package rappel

import (
	"slices"
	"time"
)

// cache keeps the latest updates of a topic, for those who lack them (section 4.1), and what their events are known by.
type cache struct {
	list []cached // by epoch and number; at most Config.Cache
	seen []uint64 // digests of the latest events, a ring
	next int
}

type cached struct {
	update *Update
	digest uint64
	at     time.Duration // when it came
}

// maxSeen is how many digests are remembered: those of more events than any cache holds.
const maxSeen = 64

// add keeps an update in the place of the oldest, if there are so many.
func (c *cache) add(u *Update, digest uint64, now time.Duration, most int) {
	at, found := slices.BinarySearchFunc(c.list, u.Stamp, func(a cached, s Stamp) int { return a.update.Stamp.compare(s) })
	if found {
		return
	}
	if len(c.list) >= most {
		if at == 0 {
			return
		}
		c.list = slices.Delete(c.list, 0, 1)
		at--
	}
	c.list = slices.Insert(c.list, at, cached{u, digest, now})
}

// first reports whether an event is seen for the first time, and remembers it.
func (c *cache) first(digest uint64) bool {
	if slices.Contains(c.seen, digest) {
		return false
	}
	if len(c.seen) < maxSeen {
		c.seen = append(c.seen, digest)
		return true
	}
	c.seen[c.next] = digest
	c.next = (c.next + 1) % maxSeen
	return true
}

// numbered reports whether an event has a number of an epoch.
func (c *cache) numbered(epoch, digest uint64) bool {
	return slices.ContainsFunc(c.list, func(k cached) bool { return k.update.Stamp.Epoch == epoch && k.digest == digest })
}

// lacking returns the updates that somebody does not have, in order.
func (c *cache) lacking(h Have) (list []*Update) {
	for _, u := range c.list {
		if h.lacks(u.update.Stamp) {
			list = append(list, u.update)
		}
	}
	return list
}

// behind returns the number behind which those of an epoch begin: last if there are none.
func (c *cache) behind(epoch, last uint64) uint64 {
	for _, u := range c.list {
		if u.update.Stamp.Epoch == epoch {
			return u.update.Stamp.Number - 1
		}
	}
	return last
}

func (s Stamp) compare(t Stamp) int {
	switch {
	case s.Epoch < t.Epoch, s.Epoch == t.Epoch && s.Number < t.Number:
		return -1
	case s.Epoch == t.Epoch && s.Number == t.Number:
		return 0
	}
	return 1
}
