package corona

import (
	"encoding/binary"

	"tidings/network/engine"
)

// index finds what is known of a channel by its ID: a hash table with open addressing and linear
// probing. Most of what is looked for is in none of a node's tables, and whoever looks has to wait for
// memory: here it is one place, in a map it is four.
type index[T ofChannel] struct {
	slots []indexed[T] // a power of two
	used  int
	seed  uint64 // so that nobody can make IDs fall together
}

// ofChannel is what stands in an index: a pointer, or nil.
type ofChannel interface {
	comparable
	id() engine.ID // of the channel
}

type indexed[T ofChannel] struct {
	hash  uint64
	value T // nil: the slot is free
}

// get returns what is known of a channel; nil if that is nothing.
func (x *index[T]) get(id engine.ID) (none T) {
	if x.used == 0 {
		return none
	}
	return x.slots[x.slot(id)].value
}

// set notes what is known of a channel.
func (x *index[T]) set(id engine.ID, value T) {
	var none T
	if 4*(x.used+1) > 3*len(x.slots) {
		old := x.slots
		x.slots = make([]indexed[T], max(16, 2*len(old)))
		for _, s := range old {
			if s.value != none {
				x.slots[x.slot(s.value.id())] = s
			}
		}
	}
	s := &x.slots[x.slot(id)]
	if s.value == none {
		x.used++
	}
	*s = indexed[T]{x.hash(id), value}
}

// remove forgets a channel, if it is known, and moves those up that would not be found any more; see
// hashTable.
func (x *index[T]) remove(id engine.ID) {
	var none T
	if x.get(id) == none {
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
func (x *index[T]) slot(id engine.ID) int {
	var none T
	hash, mask := x.hash(id), len(x.slots)-1
	slot := int(hash) & mask
	for s := &x.slots[slot]; s.value != none && (s.hash != hash || s.value.id() != id); s = &x.slots[slot] {
		slot = (slot + 1) & mask
	}
	return slot
}

func (x *index[T]) hash(id engine.ID) uint64 {
	return engine.Mix(binary.LittleEndian.Uint64(id[12:]) ^ x.seed)
}
