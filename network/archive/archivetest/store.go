package archivetest

import (
	"bytes"
	"maps"
	"slices"
	"time"

	"tidings/network/archive"
	"tidings/network/engine"
)

// Disk is what a node's store holds, through crashes.
type Disk struct {
	items map[archive.Name]stored

	// Broken has every Put fail.
	Broken bool
}

type stored struct {
	held  archive.Held
	bytes []byte
}

// NewDisk returns an empty disk.
func NewDisk() *Disk { return &Disk{items: make(map[archive.Name]stored)} }

// Len returns how many items there are.
func (d *Disk) Len() int { return len(d.items) }

// Bytes returns how long they are together.
func (d *Disk) Bytes() (total int64) {
	for _, s := range d.items {
		total += int64(len(s.bytes))
	}
	return total
}

// Get returns an item; nil: it is not there.
func (d *Disk) Get(name archive.Name) []byte { return d.items[name].bytes }

// Damage spoils an item, or removes it.
func (d *Disk) Damage(name archive.Name, away bool) {
	if away {
		delete(d.items, name)
		return
	}
	s := d.items[name]
	s.bytes = bytes.Clone(s.bytes)
	s.bytes[0] ^= 1
	d.items[name] = s
}

// Names returns the names of all items, by key.
func (d *Disk) Names() []archive.Name {
	return slices.SortedFunc(maps.Keys(d.items), func(a, b archive.Name) int { return a.Key().Compare(b.Key()) })
}

// slowStore is an archive.Store with delays.
type slowStore struct {
	env     engine.Env
	disk    *Disk
	writing time.Duration
}

// The default delays of a disk.
const (
	writing = 2 * time.Millisecond
	reading = time.Millisecond
)

func (s *slowStore) Put(item archive.Held, content []byte, kept func(ok bool)) {
	s.env.After(s.writing, func() {
		if !s.disk.Broken {
			s.disk.items[item.Name] = stored{item, bytes.Clone(content)}
		}
		kept(!s.disk.Broken)
	})
}

func (s *slowStore) Get(name archive.Name, got func(bytes []byte)) {
	s.env.After(reading, func() { got(s.disk.items[name].bytes) })
}

// Drop waits behind the Puts before it.
func (s *slowStore) Drop(names []archive.Name) {
	names = slices.Clone(names)
	s.env.After(s.writing, func() {
		for _, name := range names {
			delete(s.disk.items, name)
		}
	})
}

func (s *slowStore) List(after *engine.ID, most int, listed func(items []archive.Held)) {
	from := (*engine.ID)(nil)
	if after != nil {
		id := *after
		from = &id
	}
	s.env.After(reading, func() {
		var items []archive.Held
		for _, name := range s.disk.Names() {
			if key := name.Key(); (from == nil || key.Compare(*from) > 0) && len(items) < most {
				items = append(items, s.disk.items[name].held)
			}
		}
		listed(items)
	})
}
