package table

// Positions finds the positions of entries in a list by the hashes of their keys: a hash table with
// open addressing and linear probing, which takes some twelve bytes an entry where a map takes fifty.
// Half of each hash is in the table, so that hardly an entry is compared but the one that is meant.
// The list is the caller's; its positions are below 2^32 - 1.
type Positions struct {
	slots []hashSlot // a power of two
	used  int
}

const slotBytes = 8 // of a hashSlot

// hashSlot is the position of an entry.
type hashSlot struct {
	hash uint32 // the first half of it
	at   uint32 // the position + 1; 0: the slot is free
}

func half(hash uint64) uint32 { return uint32(hash >> 32) }

// Len returns how many entries there are.
func (x *Positions) Len() int { return x.used }

// Bytes returns how much memory the table takes.
func (x *Positions) Bytes() int { return len(x.slots) * slotBytes }

// Find returns the position of the entry with a hash; is reports whether the entry meant is at a position.
func (x *Positions) Find(hash uint64, is func(position uint32) bool) (position uint32, found bool) {
	if x.used == 0 {
		return 0, false
	}
	mask := uint32(len(x.slots) - 1)
	for slot := half(hash) & mask; x.slots[slot].at != 0; slot = (slot + 1) & mask {
		if s := x.slots[slot]; s.hash == half(hash) && is(s.at-1) {
			return s.at - 1, true
		}
	}
	return 0, false
}

// Put notes the position of an entry that is not in the table.
func (x *Positions) Put(hash uint64, at uint32) {
	if 4*(x.used+1) > 3*len(x.slots) {
		old := x.slots
		x.slots = make([]hashSlot, max(16, 2*len(old)))
		for _, taken := range old {
			if taken.at != 0 {
				x.slots[x.slot(taken.hash, 0)] = taken
			}
		}
	}
	x.slots[x.slot(half(hash), 0)] = hashSlot{half(hash), at + 1}
	x.used++
}

// Move notes that an entry has moved in the list.
func (x *Positions) Move(hash uint64, from, to uint32) {
	x.slots[x.slot(half(hash), from+1)].at = to + 1
}

// Remove takes an entry out, and moves up those that would not be found any more (Knuth, volume 3, section 6.4,
// algorithm R).
func (x *Positions) Remove(hash uint64, at uint32) {
	mask := len(x.slots) - 1
	free := x.slot(half(hash), at+1)
	x.slots[free] = hashSlot{}
	x.used--
	for slot := (free + 1) & mask; x.slots[slot].at != 0; slot = (slot + 1) & mask {
		home := int(x.slots[slot].hash) & mask
		if (slot-home)&mask >= (slot-free)&mask {
			x.slots[free], x.slots[slot] = x.slots[slot], hashSlot{}
			free = slot
		}
	}
}

// slot returns the first slot from a hash on with such an at.
func (x *Positions) slot(hash, at uint32) int {
	mask := len(x.slots) - 1
	slot := int(hash) & mask
	for x.slots[slot].at != at {
		slot = (slot + 1) & mask
	}
	return slot
}
