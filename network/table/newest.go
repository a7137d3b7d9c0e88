package table

import (
	"slices"

	"tidings/network/engine"
)

// Newest keeps a value for each of maxNewest channels, the latest added.
type Newest[V any] struct {
	of    map[engine.ID]V
	order []engine.ID // in the order of adding
}

const maxNewest = 1 << 14

// Get returns a channel's value, and whether there is one.
func (l *Newest[V]) Get(channel engine.ID) (v V, ok bool) {
	v, ok = l.of[channel]
	return v, ok
}

// Put sets a channel's value. One that is set again keeps its place in the order.
func (l *Newest[V]) Put(channel engine.ID, v V) {
	if l.of == nil {
		l.of = make(map[engine.ID]V)
	}
	if _, known := l.of[channel]; !known {
		if len(l.order) >= maxNewest {
			delete(l.of, l.order[0])
			l.order = l.order[1:]
		}
		l.order = append(l.order, channel)
	}
	l.of[channel] = v
}

// Drop removes a channel's value.
func (l *Newest[V]) Drop(channel engine.ID) {
	if _, known := l.of[channel]; known {
		delete(l.of, channel)
		l.order = slices.DeleteFunc(l.order, func(id engine.ID) bool { return id == channel })
	}
}
