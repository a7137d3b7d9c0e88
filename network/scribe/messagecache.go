package scribe

import (
	"slices"
	"time"
)

// messageCache holds the latest events of a group, in the order in which they came.
type messageCache struct{ list []*keptEvent }

type keptEvent struct {
	event *Event
	name  uint64
	came  time.Duration
	size  int
	group *group
}

// keptInAll is what this node keeps of all groups, in the order in which it came.
type keptInAll struct {
	queue []*keptEvent // those that a group has dropped since have no group
	live  int
	bytes int
}

// keep keeps an event for those who lack it.
func (n *Node) keep(g *group, e *Event, name uint64, size int) {
	if len(g.kept.list) >= n.config.Kept {
		n.unkeep(g.kept.list[0])
	}
	k := &keptEvent{event: e, name: name, came: n.env.Now(), size: size, group: g}
	g.kept.list = append(g.kept.list, k)
	all := &n.kept
	all.queue = append(all.queue, k)
	all.live++
	all.bytes += k.size
	for all.live > n.config.MaxKept || all.bytes > n.config.MaxKeptBytes {
		oldest := all.queue[0]
		all.queue = all.queue[1:]
		if oldest.group != nil {
			n.unkeep(oldest)
		}
	}
	if len(all.queue) > 2*all.live+64 {
		all.queue = slices.DeleteFunc(all.queue, func(k *keptEvent) bool { return k.group == nil })
	}
}

func (n *Node) unkeep(k *keptEvent) {
	g := k.group
	g.kept.list = slices.DeleteFunc(g.kept.list, func(o *keptEvent) bool { return o == k })
	k.group, k.event = nil, nil
	n.kept.live--
	n.kept.bytes -= k.size
}

func (n *Node) keepNone(g *group) {
	for len(g.kept.list) > 0 {
		n.unkeep(g.kept.list[0])
	}
}
