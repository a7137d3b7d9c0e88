package scribe

import (
	"slices"
	"time"
)

// cache holds the latest events for those that lack them: of each group up to perGroup, of all groups together up to
// most and mostBytes. Where there would be more, those that came first go.
type cache struct {
	perGroup, most, mostBytes int

	queue []*keptEvent // in the order in which they came; those that are kept no longer have no group
	live  int
	bytes int
}

// messageCache holds the latest events of a group, in the order in which they came. Only a cache changes it.
type messageCache struct{ list []*keptEvent }

type keptEvent struct {
	event *Event
	name  uint64
	came  time.Duration
	size  int
	in    *messageCache
}

// keep adds an event of a group.
func (c *cache) keep(in *messageCache, e *Event, name uint64, size int, now time.Duration) {
	if len(in.list) >= c.perGroup {
		c.drop(in.list[0])
	}
	k := &keptEvent{event: e, name: name, came: now, size: size, in: in}
	in.list = append(in.list, k)
	c.queue = append(c.queue, k)
	c.live++
	c.bytes += k.size
	for c.live > c.most || c.bytes > c.mostBytes {
		oldest := c.queue[0]
		c.queue = c.queue[1:]
		if oldest.in != nil {
			c.drop(oldest)
		}
	}
	if len(c.queue) > 2*c.live+64 {
		c.queue = slices.DeleteFunc(c.queue, func(k *keptEvent) bool { return k.in == nil })
	}
}

func (c *cache) drop(k *keptEvent) {
	k.in.list = slices.DeleteFunc(k.in.list, func(o *keptEvent) bool { return o == k })
	k.in, k.event = nil, nil
	c.live--
	c.bytes -= k.size
}

// dropAll drops all of a group.
func (c *cache) dropAll(in *messageCache) {
	for len(in.list) > 0 {
		c.drop(in.list[0])
	}
}

// lacking returns the events that came within the last seconds and are none of those named.
func (m *messageCache) lacking(have []uint64, seconds uint32, now time.Duration) (lacks []*keptEvent) {
	for _, k := range m.list {
		if inSeconds(now-k.came) <= seconds && !slices.Contains(have, k.name) {
			lacks = append(lacks, k)
		}
	}
	return lacks
}

func (m *messageCache) count() int { return len(m.list) }
