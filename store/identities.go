package store

import (
	"cmp"
	"slices"
	"sync"

	"tidings"
)

// maxMarks bounds the items whose marks are held in memory, of all channels together: about 6 MiB.
const maxMarks = 100_000

// marks holds in memory what the items of some feeds are known by, so that who has one item, or one version, need not
// read those of all that the feed ever had. What is asked for comes in, what was asked for longest ago goes.
//
// It is as the file is after the last commit: the writer tells it of every change.
type marks struct {
	mu       sync.Mutex
	channels map[string]*feedMarks // by URL
	ids      map[int64]*feedMarks  // the same, by the channel's row
	items    int                   // of all, and one more for each feed
	asked    uint64                // how often anything was asked for
	changes  uint64                // of the file, as far as they concern marks
}

// feedMarks are those of one feed.
type feedMarks struct {
	url   string
	id    int64
	items []tidings.KnownItem // by Row; what is listed is not held
	asked uint64              // marks.asked when it was asked for last
}

// marking is a change of what an item is known by. Without a row, anything may have changed.
type marking struct {
	channel int64
	tidings.KnownItem
}

func newMarks() *marks {
	return &marks{channels: make(map[string]*feedMarks), ids: make(map[int64]*feedMarks)}
}

// take takes in what a transaction has changed.
func (m *marks) take(changed []marking) {
	if len(changed) == 0 {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.changes++
	for _, c := range changed {
		if c.Row == 0 {
			clear(m.channels)
			clear(m.ids)
			m.items = 0
			continue
		}
		if f := m.ids[c.channel]; f != nil {
			m.items += f.set(c.KnownItem)
		}
	}
	m.bound(nil)
}

// set takes in an item, and returns how many more there are.
func (f *feedMarks) set(item tidings.KnownItem) (more int) {
	if item.ItemIdentity == (tidings.ItemIdentity{}) {
		return 0 // what is told of the channel itself
	}
	if n := len(f.items); n == 0 || f.items[n-1].Row < item.Row {
		f.items = append(f.items, item)
		return 1
	}
	at, found := f.find(item.Row)
	if found {
		f.items[at] = item
		return 0
	}
	f.items = slices.Insert(f.items, at, item)
	return 1
}

// latest returns the row of the item that came last, 0 if there is none.
func (f *feedMarks) latest() int64 {
	if len(f.items) == 0 {
		return 0
	}
	return f.items[len(f.items)-1].Row
}

// of returns what an item is known by.
func (f *feedMarks) of(row int64) (m tidings.ItemIdentity, known bool) {
	at, known := f.find(row)
	if known {
		m = f.items[at].ItemIdentity
	}
	return m, known
}

func (f *feedMarks) find(row int64) (at int, found bool) {
	return slices.BinarySearchFunc(f.items, row, func(k tidings.KnownItem, row int64) int { return cmp.Compare(k.Row, row) })
}

// bound lets go what was asked for longest ago, but for keep, until there is room. The caller holds m.mu.
func (m *marks) bound(keep *feedMarks) {
	for m.items > maxMarks {
		var oldest *feedMarks
		for _, f := range m.ids {
			if f != keep && (oldest == nil || f.asked < oldest.asked) {
				oldest = f
			}
		}
		if oldest == nil {
			return // keep alone has no more than maxMarks
		}
		m.drop(oldest)
	}
}

func (m *marks) drop(f *feedMarks) {
	delete(m.channels, f.url)
	delete(m.ids, f.id)
	m.items -= 1 + len(f.items)
}

// of runs look on the marks of a channel, which stay here. It returns false if they are not held.
func (m *marks) of(url string, poll func(f *feedMarks)) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	f := m.channels[url]
	if f == nil {
		return false
	}
	m.asked++
	f.asked = m.asked
	poll(f)
	return true
}

// after is of, unless there were changes after so many.
func (m *marks) after(changes uint64, url string, poll func(f *feedMarks)) bool {
	same := false
	return m.of(url, func(f *feedMarks) {
		if same = m.changes == changes; same {
			poll(f)
		}
	}) && same
}

// byID returns the marks of a channel, nil if they are not held. The writer alone may call it, and read them until it
// commits: it alone changes them.
func (m *marks) byID(channel int64) *feedMarks {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.ids[channel]
}

// hold has the marks of a channel held that were read after so many changes.
func (m *marks) hold(f *feedMarks, changes uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if f.id == 0 || m.changes != changes || len(f.items) > maxMarks || m.channels[f.url] != nil {
		return // there is no such channel so far, or they may be old
	}
	m.asked++
	f.asked = m.asked
	m.channels[f.url], m.ids[f.id] = f, f
	m.items += 1 + len(f.items)
	m.bound(f)
}

func (m *marks) changed() uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.changes
}
