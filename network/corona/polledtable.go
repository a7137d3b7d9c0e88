package corona

import (
	"encoding/binary"

	"tidings/network/engine"
	"tidings/network/table"
)

// polledTable lists the channels that a node polls, each once. There are thousands of them, a million at
// most, so that their size counts: an entry takes 64 bytes, and some twelve more in the index.
type polledTable struct {
	pages  []*polledPage
	length int
	index  table.Positions
	latest latest // what was found last: it is mostly asked for several times
	seed   uint64 // of the index, so that nobody can make IDs fall together
}

// latest is a channel and its position in the table, now or before. It has the ID itself, so that comparing it does not
// touch a page.
type latest struct {
	channel  engine.ID
	position uint32
	known    bool
}

// Entries do not move when more come: they lie in pages.
type polledPage [polledPageLen]polled

const polledPageLen = 64

// at returns the entry at a position below length. It is good until an entry is removed.
func (r *polledTable) at(position int) *polled {
	return &r.pages[position/polledPageLen][position%polledPageLen]
}

// find returns a channel's entry; nil if there is none.
func (r *polledTable) find(channel engine.ID) *polled {
	if r.latest.known && r.latest.channel == channel {
		return r.at(int(r.latest.position))
	}
	position, ok := r.index.Find(r.hash(channel), func(i uint32) bool { return r.at(int(i)).channel.ID == channel })
	if !ok {
		return nil
	}
	r.latest = latest{channel, position, true}
	return r.at(int(position))
}

// add puts in the entry of a channel that has none.
func (r *polledTable) add(p polled) *polled {
	if r.length == len(r.pages)*polledPageLen {
		r.pages = append(r.pages, new(polledPage))
	}
	r.index.Put(r.hash(p.channel.ID), uint32(r.length))
	added := r.at(r.length)
	*added = p
	r.length++
	return added
}

// remove takes a channel's entry out, if it is in. The last one moves to its position.
func (r *polledTable) remove(channel engine.ID) {
	position, ok := r.index.Find(r.hash(channel), func(i uint32) bool { return r.at(int(i)).channel.ID == channel })
	if !ok {
		return
	}
	r.index.Remove(r.hash(channel), position)
	r.latest.known = false
	last := r.length - 1
	if int(position) != last {
		r.index.Move(r.hash(r.at(last).channel.ID), uint32(last), position)
		*r.at(int(position)) = *r.at(last)
	}
	*r.at(last) = polled{}
	r.length--
	if r.length <= (len(r.pages)-2)*polledPageLen {
		r.pages = r.pages[:len(r.pages)-1]
	}
}

func (r *polledTable) hash(channel engine.ID) uint64 {
	return engine.Mix(binary.LittleEndian.Uint64(channel[12:]) ^ r.seed)
}
