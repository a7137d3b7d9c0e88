package corona

// places finds where things stand in a list by hashes of what they are known by: a hash table with
// open addressing and linear probing, which takes some six bytes a thing where a map takes fifty.
// The list is the user's; its places are below 2^32 - 1.
type places struct {
	slots []uint32 // a power of two; place + 1, 0 is free
	used  int
}

// find returns the place of a thing with a hash; is tells whether that stands at a place.
func (x *places) find(hash uint64, is func(place uint32) bool) (place uint32, found bool) {
	if x.used == 0 {
		return 0, false
	}
	mask := uint64(len(x.slots) - 1)
	for slot := hash & mask; x.slots[slot] != 0; slot = (slot + 1) & mask {
		if is(x.slots[slot] - 1) {
			return x.slots[slot] - 1, true
		}
	}
	return 0, false
}

// put notes the place of a thing that has none. hashAt returns the hash of what stands at a place.
func (x *places) put(hash uint64, place uint32, hashAt func(place uint32) uint64) {
	if 4*(x.used+1) > 3*len(x.slots) {
		old := x.slots
		x.slots = make([]uint32, max(16, 2*len(old)))
		for _, taken := range old {
			if taken != 0 {
				x.slots[x.slot(hashAt(taken-1), 0)] = taken
			}
		}
	}
	x.slots[x.slot(hash, 0)] = place + 1
	x.used++
}

// move notes that a thing stands elsewhere now.
func (x *places) move(hash uint64, from, to uint32) { x.slots[x.slot(hash, from+1)] = to + 1 }

// remove forgets the place of a thing, and moves those up that would not be found any more (Knuth,
// volume 3, section 6.4, algorithm R).
func (x *places) remove(hash uint64, place uint32, hashAt func(place uint32) uint64) {
	mask := len(x.slots) - 1
	free := x.slot(hash, place+1)
	x.slots[free] = 0
	x.used--
	for slot := (free + 1) & mask; x.slots[slot] != 0; slot = (slot + 1) & mask {
		home := int(hashAt(x.slots[slot]-1) & uint64(mask))
		if (slot-home)&mask >= (slot-free)&mask {
			x.slots[free], x.slots[slot] = x.slots[slot], 0
			free = slot
		}
	}
}

// slot returns the first slot from a hash on that holds a value.
func (x *places) slot(hash uint64, value uint32) int {
	mask := len(x.slots) - 1
	slot := int(hash & uint64(mask))
	for x.slots[slot] != value {
		slot = (slot + 1) & mask
	}
	return slot
}
