package spread

import (
	"slices"
	"sort"
	"time"

	"tidings/network/engine"
)

// entry is an event that is kept.
type entry struct {
	topic   *topic
	digest  uint64
	message *Event // as it is sent on
	bytes   int
	from    *link         // that it came over first; nil: it was published here
	at      time.Duration // when it came
	heard   []*link       // neighbours that have sent, announced or acknowledged it
	unheard engine.Timer  // says that none knows of it; of those that were published here
	number  uint64        // rises along the list
}

func (e *entry) knownTo(l *link) bool { return slices.Contains(e.heard, l) }

// noteKnown records that a neighbour knows of the event.
func (e *entry) noteKnown(l *link) {
	if !e.knownTo(l) {
		e.heard = append(e.heard, l)
	}
	e.unheard.Stop()
}

// forget removes a link from those that know of the event.
func (e *entry) forget(l *link) {
	e.heard = slices.DeleteFunc(e.heard, func(h *link) bool { return h == l })
}

// cache is the latest events, kept for neighbours that lack them. Each link has a position in the list (see news), so
// that nothing is queued for links.
type cache struct {
	env    engine.Env
	config *Config
	list   []*entry // in the order in which they arrived
	bytes  int
	number uint64 // of the newest that ever was
}

// add keeps an event as the newest. Older ones make room.
func (c *cache) add(e *entry) {
	c.number++
	e.number = c.number
	t := e.topic
	c.list, t.kept = append(c.list, e), append(t.kept, e)
	c.bytes, t.bytes = c.bytes+e.bytes, t.bytes+e.bytes
	for len(t.kept) > 1 && (len(t.kept) > c.config.Kept || t.bytes > c.config.KeptBytes) {
		c.dropOldest(t)
	}
	for len(c.list) > 1 && (len(c.list) > c.config.MaxKept || c.bytes > c.config.MaxKeptBytes) {
		c.dropOldest(c.list[0].topic)
	}
}

// dropOldest forgets the oldest event of a topic.
func (c *cache) dropOldest(t *topic) {
	e := t.kept[0]
	if e.unheard.Stop() {
		c.env.Trace(Unheard{t.id, e.digest})
	}
	i := slices.Index(c.list, e)
	c.list, t.kept = slices.Delete(c.list, i, i+1), slices.Delete(t.kept, 0, 1)
	c.bytes, t.bytes = c.bytes-e.bytes, t.bytes-e.bytes
}

// dropAll forgets the events of a topic.
func (c *cache) dropAll(t *topic) {
	for len(t.kept) > 0 {
		c.dropOldest(t)
	}
}

// between returns the events with numbers above the first and up to the last.
func (c *cache) between(first, last uint64) []*entry {
	above := func(number uint64) int {
		return sort.Search(len(c.list), func(i int) bool { return c.list[i].number > number })
	}
	return c.list[above(first):above(last)]
}
