package spread

import (
	"slices"
	"time"

	"tidings/network/engine"
)

// entry is an event that is kept.
type entry struct {
	topic   *topic
	digest  uint64
	message *Event // as it is sent on
	bytes   int
	from    uint32        // the link that it came over first, by its serial; 0: it was published here
	at      time.Duration // when it came
	heard   []uint32      // links whose neighbours have sent, announced or acknowledged it, by their serials
	unheard engine.Timer  // tells that nobody has heard of it; of those that were published here

	number       uint64 // rises along the list
	older, newer *entry
}

func (e *entry) heardBy(l *link) bool { return slices.Contains(e.heard, l.serial) }

// cache is the latest events, kept for neighbours that lack them, in the order in which they arrived. Each link has a position in
// this list (see news), so that nothing is queued for links.
type cache struct {
	*core
	oldest, newest *entry
	count, bytes   int
	number         uint64 // of the newest that ever was
}

// add keeps an event as the newest. Older ones make room.
func (c *cache) add(e *entry) {
	t := e.topic
	t.kept = append(t.kept, e)
	t.bytes += e.bytes
	c.bytes += e.bytes
	c.count++
	c.push(e)
	for len(t.kept) > 1 && (len(t.kept) > c.config.Kept || t.bytes > c.config.KeptBytes) {
		c.drop(t.kept[0])
	}
	for c.count > 1 && (c.count > c.config.MaxKept || c.bytes > c.config.MaxKeptBytes) {
		c.drop(c.oldest)
	}
}

// drop forgets an event.
func (c *cache) drop(e *entry) {
	if e.unheard.Stop() {
		c.env.Trace(Unheard{e.topic.id, e.digest})
	}
	t := e.topic
	t.kept = slices.DeleteFunc(t.kept, func(k *entry) bool { return k == e })
	t.bytes -= e.bytes
	c.bytes -= e.bytes
	c.count--
	c.unlink(e)
}

// dropAll forgets the events of a topic.
func (c *cache) dropAll(t *topic) {
	for len(t.kept) > 0 {
		c.drop(t.kept[0])
	}
}

// hear records that a neighbour knows of an event.
func (c *cache) hear(e *entry, l *link) {
	if !e.heardBy(l) {
		e.heard = append(e.heard, l.serial)
	}
	e.unheard.Stop()
}

// after returns the oldest event whose number is above that.
func (c *cache) after(number uint64) *entry {
	if c.newest == nil || c.newest.number <= number {
		return nil
	}
	e := c.newest
	for e.older != nil && e.older.number > number {
		e = e.older
	}
	return e
}

// forget removes a link from those that have heard of the events of these topics; nil: of all events.
func (c *cache) forget(l *link, topics []engine.ID) {
	for e := c.oldest; e != nil; e = e.newer {
		if topics == nil || has(topics, e.topic.id) {
			e.heard = slices.DeleteFunc(e.heard, func(serial uint32) bool { return serial == l.serial })
		}
	}
}

func (c *cache) push(e *entry) {
	c.number++
	e.number, e.older, e.newer = c.number, c.newest, nil
	if c.newest != nil {
		c.newest.newer = e
	} else {
		c.oldest = e
	}
	c.newest = e
}

func (c *cache) unlink(e *entry) {
	if e.older != nil {
		e.older.newer = e.newer
	} else {
		c.oldest = e.newer
	}
	if e.newer != nil {
		e.newer.older = e.older
	} else {
		c.newest = e.older
	}
	e.older, e.newer = nil, nil
}
