// Package table keeps what protocols know by ID, and in the order in which it falls due: many entries in little memory.
package table

import (
	"encoding/binary"
	"iter"

	"tidings/network/engine"
)

// Index finds what is known of a channel by its ID: a hash table with open addressing and linear
// probing. Most of what is looked for is in none of a node's tables, and whoever looks has to wait for
// memory: here it is one place, in a map it is four.
type Index[T Entry] struct {
	slots []indexed[T] // a power of two
	used  int
	Seed  uint64 // so that nobody can make IDs fall together
}

// Entry is what stands in an index: a pointer, or nil.
type Entry interface {
	comparable
	ID() engine.ID // of the channel
}

type indexed[T Entry] struct {
	hash  uint64
	value T // nil: the slot is free
}

// Len returns how many entries there are.
func (x *Index[T]) Len() int { return x.used }

// Get returns what is known of a channel; nil if that is nothing.
func (x *Index[T]) Get(id engine.ID) (none T) {
	if x.used == 0 {
		return none
	}
	return x.slots[x.slot(id)].value
}

// Set notes what is known of a channel.
func (x *Index[T]) Set(id engine.ID, value T) {
	var none T
	if 4*(x.used+1) > 3*len(x.slots) {
		old := x.slots
		x.slots = make([]indexed[T], max(16, 2*len(old)))
		for _, s := range old {
			if s.value != none {
				x.slots[x.slot(s.value.ID())] = s
			}
		}
	}
	s := &x.slots[x.slot(id)]
	if s.value == none {
		x.used++
	}
	*s = indexed[T]{x.hash(id), value}
}

// Remove forgets a channel, if it is known, and moves those up that would not be found any more; see
// Positions.
func (x *Index[T]) Remove(id engine.ID) {
	var none T
	if x.Get(id) == none {
		return
	}
	free, mask := x.slot(id), len(x.slots)-1
	x.slots[free] = indexed[T]{}
	x.used--
	for slot := (free + 1) & mask; x.slots[slot].value != none; slot = (slot + 1) & mask {
		home := int(x.slots[slot].hash) & mask
		if (slot-home)&mask >= (slot-free)&mask {
			x.slots[free], x.slots[slot] = x.slots[slot], indexed[T]{}
			free = slot
		}
	}
}

// slot returns where a channel stands, or is to stand.
func (x *Index[T]) slot(id engine.ID) int {
	var none T
	hash, mask := x.hash(id), len(x.slots)-1
	slot := int(hash) & mask
	for s := &x.slots[slot]; s.value != none && (s.hash != hash || s.value.ID() != id); s = &x.slots[slot] {
		slot = (slot + 1) & mask
	}
	return slot
}

func (x *Index[T]) hash(id engine.ID) uint64 {
	return engine.Mix(binary.LittleEndian.Uint64(id[12:]) ^ x.Seed)
}

// All yields what is known, in an order that depends on the seed alone.
func (x *Index[T]) All() iter.Seq[T] {
	return func(yield func(T) bool) {
		var none T
		for _, s := range x.slots {
			if s.value != none && !yield(s.value) {
				return
			}
		}
	}
}
