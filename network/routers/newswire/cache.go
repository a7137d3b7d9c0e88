package newswire

import (
	"slices"
	"time"

	"tidings/network/astrolabe/zone"
	"tidings/network/engine"
)

// cache is what came lately: the items, for those that have missed them, and what was done with them, so that nothing
// is done twice.
type cache struct {
	keep         time.Duration
	most, memory int

	entries map[uint64]*kept  // by Item.Name
	events  map[uint64]*event // by Item.ID
	order   []*kept           // by at, the oldest first
	bare    int               // of how many, from the oldest on, only that they came is remembered
	bytes   int               // of the others
}

// kept is an item that came.
type kept struct {
	name      uint64
	event     *event
	publisher engine.ID
	item      *Item // nil: it is not kept any more
	size      int   // of its event
	at        time.Duration
	done      []zone.Path // zones that were served; at most zone.MaxDepth+1
}

// event is the event of items that came. It has one item, unless its publisher has sent it more than once, or others
// have that may.
type event struct {
	id        uint64
	items     []*kept
	delivered bool // it has been tried whether the node wants it
}

// maxWraps is how many items with one event by one publisher a node knows: for several zones, or with several
// conditions.
const maxWraps = 8

func (c *cache) init(config Config) {
	c.keep, c.most, c.memory = config.Keep, config.Cache, config.CacheBytes
	c.entries, c.events = make(map[uint64]*kept), make(map[uint64]*event)
}

// knows reports whether an item came before.
func (c *cache) knows(name uint64) bool { return c.entries[name] != nil }

// wraps returns how many items with an event are known by a publisher.
func (c *cache) wraps(id uint64, publisher engine.ID) (n int) {
	if e := c.events[id]; e != nil {
		for _, k := range e.items {
			if k.publisher == publisher {
				n++
			}
		}
	}
	return n
}

// size returns how many bytes the event of an item has, as long as it is known.
func (c *cache) size(name uint64) int {
	if k := c.entries[name]; k != nil {
		return k.size
	}
	return 0
}

// add keeps an item, with an event of so many bytes, that was published at a time, as far as that is known. A known
// item stays as it is. Of an item that is older than the kept ones, the cache remembers only that it came.
func (c *cache) add(m *Item, size int, at time.Duration) {
	name := m.Name()
	if c.entries[name] != nil {
		return
	}
	e := c.events[m.ID]
	if e == nil {
		e = &event{id: m.ID}
		c.events[m.ID] = e
	}
	k := &kept{name: name, event: e, publisher: m.Publisher.ID, item: m, size: size, at: at}
	e.items = append(e.items, k)
	i := len(c.order)
	for i > 0 && c.order[i-1].at > at {
		i--
	}
	c.order = slices.Insert(c.order, i, k)
	if i < c.bare {
		c.bare++
		k.item = nil
	}
	c.entries[name] = k
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
	k := c.order[0]
	delete(c.entries, k.name)
	if k.event.items = slices.DeleteFunc(k.event.items,
		func(other *kept) bool { return other == k }); len(k.event.items) == 0 {
		delete(c.events, k.event.id)
	}
	c.order = c.order[1:]
	c.bare--
}

// delivers reports whether an event is to be delivered now: the first time that it is asked.
func (c *cache) delivers(id uint64) bool {
	e := c.events[id]
	if e == nil || e.delivered {
		return false
	}
	e.delivered = true
	return true
}

// finish notes that a zone has been served, and finished reports whether it has.
func (c *cache) finish(name uint64, z zone.Path) {
	if k := c.entries[name]; k != nil && len(k.done) <= zone.MaxDepth {
		k.done = append(k.done, z)
	}
}

func (c *cache) finished(name uint64, z zone.Path) bool {
	if k := c.entries[name]; k != nil {
		for _, done := range k.done {
			if done == z {
				return true
			}
		}
	}
	return false
}

// recent calls f with the kept items that came since a time, from the oldest on, until it returns false.
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
