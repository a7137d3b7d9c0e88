package newswire

import (
	"slices"
	"time"

	"tidings/network/astrolabe/zone"
)

// cache is what came lately: the items, for those who have missed them, and what was done with them, so that nothing is done twice.
type cache struct {
	keep         time.Duration
	most, memory int

	entries map[uint64]*kept
	order   []*kept // by at, the oldest first
	bare    int     // of how many, from the oldest on, only that they came is remembered
	bytes   int     // of the others
}

// kept is an item that came.
type kept struct {
	id        uint64
	item      *Item // nil: it is not kept any more
	size      int   // of its event
	at        time.Duration
	delivered bool        // it has been tried whether the node wants it
	done      []zone.Path // zones that were served; at most zone.MaxDepth+1
}

func (c *cache) init(config Config) {
	c.keep, c.most, c.memory = config.Keep, config.Cache, config.CacheBytes
	c.entries = make(map[uint64]*kept)
}

// knows reports whether an item came before.
func (c *cache) knows(id uint64) bool { return c.entries[id] != nil }

// size returns how many bytes the event of an item has, as long as it is known.
func (c *cache) size(id uint64) int {
	if k := c.entries[id]; k != nil {
		return k.size
	}
	return 0
}

// add keeps an item, whose event has so many bytes, that was published at a time, as far as that is known; one that is known stays as it is. Of one that is
// older than what is kept, only that it came is remembered.
func (c *cache) add(m *Item, size int, at time.Duration) {
	if c.entries[m.ID] != nil {
		return
	}
	k := &kept{id: m.ID, item: m, size: size, at: at}
	i := len(c.order)
	for i > 0 && c.order[i-1].at > at {
		i--
	}
	c.order = slices.Insert(c.order, i, k)
	if i < c.bare {
		c.bare++
		k.item = nil
	}
	c.entries[m.ID] = k
	c.bytes += k.bytes()
	for len(c.order)-c.bare > c.most || c.bytes > c.memory {
		c.strip()
	}
	for len(c.order) > remembered*c.most {
		c.forget()
	}
}

// Bounds of what is remembered of items that are not kept any more, in parts of what is kept.
const (
	remembered    = 4 // times as many
	rememberedFor = 3 // times as long
)

// trim drops what is too old.
func (c *cache) trim(now time.Duration) {
	for c.bare < len(c.order) && c.order[c.bare].at+c.keep < now {
		c.strip()
	}
	for len(c.order) > 0 && c.order[0].at+rememberedFor*c.keep < now {
		c.forget()
	}
}

// strip drops the oldest item that is kept, and remembers that it came.
func (c *cache) strip() {
	k := c.order[c.bare]
	c.bare++
	c.bytes -= k.bytes()
	k.item = nil
}

// forget forgets the oldest item.
func (c *cache) forget() {
	if c.bare == 0 {
		c.strip()
	}
	delete(c.entries, c.order[0].id)
	c.order = c.order[1:]
	c.bare--
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

// recent calls f with what is kept of what came since a time, from the oldest on, until it returns false.
func (c *cache) recent(since time.Duration, f func(k *kept) bool) {
	for _, k := range c.order[c.bare:] {
		if k.at >= since && !f(k) {
			return
		}
	}
}

// dropped returns when the last item was published that is known and not kept any more.
func (c *cache) dropped() (at time.Duration, ok bool) {
	if c.bare == 0 {
		return 0, false
	}
	return c.order[c.bare-1].at, true
}

// bytes is how much memory an item counts for.
func (k *kept) bytes() int {
	if k.item == nil {
		return 0
	}
	return itemBytes + k.size
}

// itemBytes is what an item counts for besides its event.
const itemBytes = 512
