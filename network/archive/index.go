package archive

import (
	"encoding/binary"
	"slices"

	"tidings/network/engine"
)

// entry is an item that is in the store, or about to be.
type entry struct {
	Held
	key    engine.ID
	mark   uint64 // of name and print; sums are of these
	coming bool   // it is not yet in the store
}

func newEntry(item Held) *entry {
	e := &entry{Held: item, key: item.Name.Key()}
	var b [len(e.key) + 8]byte
	copy(b[:], e.key[:])
	binary.BigEndian.PutUint64(b[len(e.key):], item.Print)
	e.mark = PrintOf(b[:])
	return e
}

// index is what a node has, in the order of keys, in chunks of which each knows its sum.
type index struct {
	chunks []*chunk
	names  map[Name]*entry
	bytes  int64
	topics map[engine.ID]*usage
}

type chunk struct {
	entries []*entry
	sum     uint64
}

// usage is what is kept of one topic.
type usage struct {
	bytes int64
	items int
}

const maxChunk = 512

func newIndex() index {
	return index{names: make(map[Name]*entry), topics: make(map[engine.ID]*usage)}
}

func (x *index) find(name Name) *entry { return x.names[name] }

// place returns the place of the first entry with a key higher than id.
func (x *index) place(id engine.ID) (at, in int) {
	at, _ = slices.BinarySearchFunc(x.chunks, id, func(c *chunk, id engine.ID) int {
		if c.entries[len(c.entries)-1].key.Compare(id) <= 0 {
			return -1
		}
		return 1
	})
	if at == len(x.chunks) {
		return at, 0
	}
	in, _ = slices.BinarySearchFunc(x.chunks[at].entries, id, func(e *entry, id engine.ID) int {
		if e.key.Compare(id) <= 0 {
			return -1
		}
		return 1
	})
	return at, in
}

// add inserts an entry with a new name.
func (x *index) add(e *entry) {
	x.names[e.Name] = e
	x.bytes += int64(e.Size)
	u := x.topics[e.Name.Topic]
	if u == nil {
		u = &usage{}
		x.topics[e.Name.Topic] = u
	}
	u.bytes += int64(e.Size)
	u.items++
	at, in := x.place(e.key)
	if at == len(x.chunks) {
		if at == 0 {
			x.chunks = append(x.chunks, &chunk{})
		}
		at = len(x.chunks) - 1
		in = len(x.chunks[at].entries)
	}
	c := x.chunks[at]
	c.entries = slices.Insert(c.entries, in, e)
	c.sum += e.mark
	if len(c.entries) > maxChunk {
		x.divide(at)
	}
}

func (x *index) divide(at int) {
	c := x.chunks[at]
	upper := &chunk{entries: slices.Clone(c.entries[maxChunk/2:])}
	for _, e := range upper.entries {
		upper.sum += e.mark
	}
	clear(c.entries[maxChunk/2:])
	c.entries = c.entries[:maxChunk/2]
	c.sum -= upper.sum
	x.chunks = slices.Insert(x.chunks, at+1, upper)
}

// remove drops an entry that is there.
func (x *index) remove(e *entry) {
	delete(x.names, e.Name)
	x.bytes -= int64(e.Size)
	u := x.topics[e.Name.Topic]
	u.bytes -= int64(e.Size)
	if u.items--; u.items == 0 {
		delete(x.topics, e.Name.Topic)
	}
	at, in := x.place(e.key) // behind it
	if in == 0 {
		at--
		in = len(x.chunks[at].entries)
	}
	c := x.chunks[at]
	c.entries = slices.Delete(c.entries, in-1, in)
	c.sum -= e.mark
	if len(c.entries) == 0 {
		x.chunks = slices.Delete(x.chunks, at, at+1)
	}
}

// runs calls f with the entries in an arc, upwards, until f returns false. Each call gets places of one chunk, from one
// up to before another.
func (x *index) runs(a keyRange, f func(c *chunk, from, to int) bool) {
	at, in := x.place(a.from)
	end, behind := x.place(a.to)
	if a.whole() || a.from.Compare(a.to) > 0 { // over the end of the numbers
		for ; at < len(x.chunks); at, in = at+1, 0 {
			if !f(x.chunks[at], in, len(x.chunks[at].entries)) {
				return
			}
		}
		at, in = 0, 0
	}
	for ; at < end; at, in = at+1, 0 {
		if !f(x.chunks[at], in, len(x.chunks[at].entries)) {
			return
		}
	}
	if at < len(x.chunks) && in < behind {
		f(x.chunks[at], in, behind)
	}
}

// up calls f with the entries of an arc, upwards, until it returns false.
func (x *index) up(a keyRange, f func(e *entry) bool) {
	x.runs(a, func(c *chunk, from, to int) bool {
		for _, e := range c.entries[from:to] {
			if !f(e) {
				return false
			}
		}
		return true
	})
}

// down calls f with all entries, downwards from a point, until it returns false.
func (x *index) down(from engine.ID, f func(e *entry) bool) {
	at, in := x.place(from)
	for range len(x.names) {
		if in == 0 {
			if at == 0 {
				at = len(x.chunks)
			}
			at--
			in = len(x.chunks[at].entries)
		}
		in--
		if !f(x.chunks[at].entries[in]) {
			return
		}
	}
}

// sum returns what there is in an arc.
func (x *index) sum(a keyRange) (p Part) {
	p.From, p.To = a.from, a.to
	x.runs(a, func(c *chunk, from, to int) bool {
		p.count(c, from, to)
		return true
	})
	return p
}

func (p *Part) count(c *chunk, from, to int) {
	p.Count += uint32(to - from)
	if from == 0 && to == len(c.entries) {
		p.Sum += c.sum
		return
	}
	for _, e := range c.entries[from:to] {
		p.Sum += e.mark
	}
}

// split cuts an arc into parts in which there is about the same. count is how much there is in all.
// Large parts end where chunks do, so that not every entry is looked at.
func (x *index) split(a keyRange, count uint32) (parts []Part) {
	each := (count + maxParts - 1) / maxParts
	p := Part{From: a.from}
	add := func(c *chunk, from, to int) {
		p.count(c, from, to)
		if p.Count >= each && len(parts) < maxParts-1 {
			p.To = c.entries[to-1].key
			parts = append(parts, p)
			p = Part{From: p.To}
		}
	}
	x.runs(a, func(c *chunk, from, to int) bool {
		if each >= 2*maxChunk {
			add(c, from, to)
			return true
		}
		for i := from; i < to; i++ {
			add(c, i, i+1)
		}
		return true
	})
	if p.From == a.to && len(parts) > 0 {
		return parts // the last entry stands at the end of the arc
	}
	p.To = a.to
	return append(parts, p)
}

// list returns what there is in an arc, at most most.
func (x *index) list(a keyRange, most int) (items []*entry) {
	x.up(a, func(e *entry) bool {
		items = append(items, e)
		return len(items) < most
	})
	return items
}
