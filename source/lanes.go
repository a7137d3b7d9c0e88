package source

import (
	"container/heap"
	"net/url"
	"slices"
)

// A look that somebody waits for goes before those that are made by plan; otherwise it is first come, first
// served.
func enqueue(queue []*watch, entry *watch) []*watch {
	if entry.why == "" {
		return append(queue, entry)
	}
	i := slices.IndexFunc(queue, func(e *watch) bool { return e.why == "" })
	if i < 0 {
		i = len(queue)
	}
	return slices.Insert(queue, i, entry)
}

// lane holds what waits for one origin host.
type lane struct {
	running int
	waiting []*watch
}

// park lets a due entry wait for its host and for a slot. The caller holds x.mu.
func (x *Watcher) park(entry *watch) {
	if entry.index >= 0 {
		heap.Remove(&x.due, entry.index)
	}
	entry.state = parked
	if x.schedule.PerHost == 0 {
		x.ready = enqueue(x.ready, entry)
		return
	}
	entry.lane = entry.host()
	l := x.lanes[entry.lane]
	if l == nil {
		l = &lane{}
		x.lanes[entry.lane] = l
	}
	if l.running < x.schedule.PerHost {
		l.running++
		x.ready = enqueue(x.ready, entry)
	} else {
		l.waiting = enqueue(l.waiting, entry)
	}
}

// prefer has a parked entry, that waits by plan, go before those that do. The caller holds x.mu.
func (x *Watcher) prefer(entry *watch, why string) {
	queue := &x.ready
	i := slices.Index(*queue, entry)
	if i < 0 {
		queue = &x.lanes[entry.lane].waiting
		i = slices.Index(*queue, entry)
	}
	*queue = slices.Delete(*queue, i, i+1)
	entry.why = why
	*queue = enqueue(*queue, entry)
}

// leave gives entry's place at its host to the next that waits. The caller holds x.mu.
func (x *Watcher) leave(entry *watch) {
	if x.schedule.PerHost == 0 {
		return
	}
	l := x.lanes[entry.lane]
	for len(l.waiting) > 0 {
		next := l.waiting[0]
		l.waiting = l.waiting[1:]
		if !next.gone {
			x.ready = enqueue(x.ready, next)
			return
		}
	}
	l.running--
	if l.running == 0 {
		delete(x.lanes, entry.lane)
	}
}

// host is what the lane of a channel is called.
func (e *watch) host() string {
	if u, err := url.Parse(e.Origin()); err == nil {
		return u.Host
	}
	return e.Origin()
}
