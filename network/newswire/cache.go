package newswire

import (
	"time"

	"tidings/network/astrolabe/zone"
)

// cache is what came lately: the items, for those who have missed them, and what was done with them, so that nothing is done twice.
type cache struct {
	keep         time.Duration
	most, memory int

	entries map[uint64]*kept
	order   []uint64 // from the oldest on
	bytes   int
}

// kept is an item that came.
type kept struct {
	item      *Item
	at        time.Duration
	bytes     int
	delivered bool        // it has been tried whether the node wants it
	done      []zone.Path // zones that were served; at most zone.MaxDepth+1
}

func (c *cache) init(config Config) {
	c.keep, c.most, c.memory = config.Keep, config.Cache, config.CacheBytes
	c.entries = make(map[uint64]*kept)
}

// knows reports whether an item came before.
func (c *cache) knows(id uint64) bool { return c.entries[id] != nil }

// add keeps an item; one that is known stays as it is.
func (c *cache) add(m *Item, now time.Duration) {
	c.trim(now)
	if c.entries[m.ID] != nil {
		return
	}
	k := &kept{item: m, at: now, bytes: itemBytes}
	c.entries[m.ID] = k
	c.order = append(c.order, m.ID)
	c.bytes += k.bytes
	for len(c.entries) > c.most || c.bytes > c.memory {
		c.dropOldest()
	}
}

// itemBytes is what an item counts for besides its event.
const itemBytes = 512

// trim forgets what is too old.
func (c *cache) trim(now time.Duration) {
	for len(c.order) > 0 && c.entries[c.order[0]].at+c.keep < now {
		c.dropOldest()
	}
}

func (c *cache) dropOldest() {
	id := c.order[0]
	c.order = c.order[1:]
	c.bytes -= c.entries[id].bytes
	delete(c.entries, id)
}

// delivers reports whether an item is to be delivered now: the first time that it is asked.
func (c *cache) delivers(id uint64) bool {
	k := c.entries[id]
	if k == nil || k.delivered {
		return false
	}
	k.delivered = true
	return true
}

// finish notes that a zone has been served, and finished reports whether it has.
func (c *cache) finish(id uint64, z zone.Path) {
	if k := c.entries[id]; k != nil && len(k.done) <= zone.MaxDepth {
		k.done = append(k.done, z)
	}
}

func (c *cache) finished(id uint64, z zone.Path) bool {
	if k := c.entries[id]; k != nil {
		for _, done := range k.done {
			if done == z {
				return true
			}
		}
	}
	return false
}

// recent calls f with what came since a time, from the oldest on, until it returns false.
func (c *cache) recent(since time.Duration, f func(k *kept) bool) {
	for _, id := range c.order {
		if k := c.entries[id]; k.at >= since && !f(k) {
			return
		}
	}
}
