package corona

import (
	"encoding/binary"

	"tidings/network/engine"
)

// roll lists the channels that a node polls, each once. There are thousands of them, a million at
// most, so that their size counts: an entry takes 64 bytes, and some six more for its place in
// the index.
type roll struct {
	pages  []*rollPage
	length int
	index  []int32 // open addressing, linear probing: place + 1, 0 is free; a power of two long
	seed   uint64  // of the index, so that nobody can make IDs fall together
}

// Entries do not move when more come: they lie in pages.
type rollPage [rollPageLen]polled

const rollPageLen = 64

// at returns the entry at a place below length. It is good until an entry is removed.
func (r *roll) at(place int) *polled { return &r.pages[place/rollPageLen][place%rollPageLen] }

// find returns a channel's entry; nil if there is none.
func (r *roll) find(channel engine.ID) *polled {
	if r.length == 0 {
		return nil
	}
	if place := r.index[r.slot(channel)]; place != 0 {
		return r.at(int(place) - 1)
	}
	return nil
}

// add puts in the entry of a channel that has none.
func (r *roll) add(p polled) *polled {
	if 4*(r.length+1) > 3*len(r.index) {
		r.reindex(max(16, 2*len(r.index)))
	}
	if r.length == len(r.pages)*rollPageLen {
		r.pages = append(r.pages, new(rollPage))
	}
	r.length++
	r.index[r.slot(p.channel.ID)] = int32(r.length)
	added := r.at(r.length - 1)
	*added = p
	return added
}

// remove takes a channel's entry out, if it is in. The last one takes its place.
func (r *roll) remove(channel engine.ID) {
	if r.length == 0 {
		return
	}
	slot := r.slot(channel)
	if r.index[slot] == 0 {
		return
	}
	place, last := int(r.index[slot])-1, r.at(r.length-1)
	r.index[r.slot(last.channel.ID)] = int32(place + 1)
	*r.at(place) = *last
	*last = polled{}
	r.length--
	r.closeUp(slot)
	if r.length <= (len(r.pages)-2)*rollPageLen {
		r.pages = r.pages[:len(r.pages)-1]
	}
}

// closeUp frees a slot of the index, and moves those behind it up that would not be found any more
// (Knuth, volume 3, section 6.4, algorithm R).
func (r *roll) closeUp(free int) {
	mask := len(r.index) - 1
	r.index[free] = 0
	for slot := (free + 1) & mask; r.index[slot] != 0; slot = (slot + 1) & mask {
		home := r.home(r.at(int(r.index[slot]) - 1).channel.ID)
		if (slot-home)&mask >= (slot-free)&mask {
			r.index[free], r.index[slot] = r.index[slot], 0
			free = slot
		}
	}
}

// slot returns where a channel is in the index, or would be.
func (r *roll) slot(channel engine.ID) int {
	mask := len(r.index) - 1
	slot := r.home(channel)
	for r.index[slot] != 0 && r.at(int(r.index[slot])-1).channel.ID != channel {
		slot = (slot + 1) & mask
	}
	return slot
}

// home returns where the index is searched first.
func (r *roll) home(channel engine.ID) int {
	return int(mix(binary.LittleEndian.Uint64(channel[12:])^r.seed) & uint64(len(r.index)-1))
}

func (r *roll) reindex(size int) {
	r.index = make([]int32, size)
	for i := range r.length {
		r.index[r.slot(r.at(i).channel.ID)] = int32(i + 1)
	}
}
