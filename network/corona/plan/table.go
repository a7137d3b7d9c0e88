package plan

import (
	"encoding/binary"

	"tidings/network/engine"
	"tidings/network/table"
)

// dutyTable holds the channels that a node polls, each once. There are thousands of them, a million at most, so that
// their size counts. An entry needs 64 bytes, and some twelve more in the index.
type dutyTable struct {
	pages  []*dutyPage
	length int
	index  table.Positions
	latest latest // the last found entry: it is mostly looked up several times
	seed   uint64 // of the index, so that nobody can choose IDs that collide
}

// latest is a channel and its present or former position in the table. It has the ID itself, so that comparing it does
// not touch a page.
type latest struct {
	channel  engine.ID
	position uint32
	known    bool
}

// dutyPage holds entries that do not move when others are added.
type dutyPage [dutyPageLen]duty

const dutyPageLen = 64

// at returns the entry at a position below length. It is valid until an entry is removed.
func (r *dutyTable) at(position int) *duty {
	return &r.pages[position/dutyPageLen][position%dutyPageLen]
}

// find returns a channel's entry, or nil.
func (r *dutyTable) find(channel engine.ID) *duty {
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

// add adds the entry of a channel that has none.
func (r *dutyTable) add(p duty) *duty {
	if r.length == len(r.pages)*dutyPageLen {
		r.pages = append(r.pages, new(dutyPage))
	}
	r.index.Put(r.hash(p.channel.ID), uint32(r.length))
	added := r.at(r.length)
	*added = p
	r.length++
	return added
}

// remove removes a channel's entry, if there is one. The last one moves to its position.
func (r *dutyTable) remove(channel engine.ID) {
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
	*r.at(last) = duty{}
	r.length--
	if r.length <= (len(r.pages)-2)*dutyPageLen {
		r.pages = r.pages[:len(r.pages)-1]
	}
}

func (r *dutyTable) hash(channel engine.ID) uint64 {
	return engine.Mix(binary.LittleEndian.Uint64(channel[12:]) ^ r.seed)
}
