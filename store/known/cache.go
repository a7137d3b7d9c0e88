package known

import (
	"cmp"
	"slices"
	"sync"

	"tidings"
)

// maxMarks bounds the items whose marks are held in memory, of all channels together: about 6 MiB.
const maxMarks = 100_000

// Cache holds what the items of some feeds are known by. Many goroutines may use it at once.
type Cache struct {
	mu       sync.Mutex
	channels map[string]*Feed // by URL
	ids      map[int64]*Feed  // the same, by the channel's row
	items    int              // of all, and one more for each feed
	asked    uint64           // how often anything was asked for
	changes  uint64           // of the file, as far as they concern marks
}

// Feed is what the items of one feed are known by.
type Feed struct {
	url   string
	id    int64               // of its channel; 0: there is none
	items []tidings.KnownItem // by Row; what is listed is not held
	asked uint64              // Cache.asked when it was asked for last
}

// NewFeed returns a feed without items.
func NewFeed(url string) *Feed { return &Feed{url: url} }

// Add adds an item of the feed as the file has it, which may be its first row without an item.
func (f *Feed) Add(channel int64, item tidings.KnownItem) {
	f.id = channel
	f.set(item)
}

// Items returns the items by Row. The caller does not change them.
func (f *Feed) Items() []tidings.KnownItem { return f.items }

// Change is a change of what an item is known by. Without a row, anything may have changed.
type Change struct {
	Channel int64
	tidings.KnownItem
}

// NewCache returns a cache that holds nothing.
func NewCache() *Cache {
	return &Cache{channels: make(map[string]*Feed), ids: make(map[int64]*Feed)}
}

// Apply notes what a transaction has changed, once it is committed.
func (m *Cache) Apply(changed []Change) {
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
		if f := m.ids[c.Channel]; f != nil {
			m.items += f.set(c.KnownItem)
		}
	}
	m.bound(nil)
}

// set adds an item, and returns how many more there are.
func (f *Feed) set(item tidings.KnownItem) (more int) {
	if item.ItemIdentity == (tidings.ItemIdentity{}) {
		return 0 // a notice about the channel itself
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

// Latest returns the row of the item that came last, 0 if there is none.
func (f *Feed) Latest() int64 {
	if len(f.items) == 0 {
		return 0
	}
	return f.items[len(f.items)-1].Row
}

// Of returns what an item is known by.
func (f *Feed) Of(row int64) (m tidings.ItemIdentity, known bool) {
	at, known := f.find(row)
	if known {
		m = f.items[at].ItemIdentity
	}
	return m, known
}

// InOrder returns the identities of items in an order, as far as they are held.
func (f *Feed) InOrder(rows []int64) []tidings.ItemIdentity {
	marks := make([]tidings.ItemIdentity, 0, len(rows))
	for _, row := range rows {
		if m, known := f.Of(row); known {
			marks = append(marks, m)
		}
	}
	return marks
}

func (f *Feed) find(row int64) (at int, found bool) {
	return slices.BinarySearchFunc(f.items, row, func(k tidings.KnownItem, row int64) int {
		return cmp.Compare(k.Row, row)
	})
}

// bound lets go what was asked for longest ago, but for keep, until there is room. The caller holds m.mu.
func (m *Cache) bound(keep *Feed) {
	for m.items > maxMarks {
		var oldest *Feed
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

func (m *Cache) drop(f *Feed) {
	delete(m.channels, f.url)
	delete(m.ids, f.id)
	m.items -= 1 + len(f.items)
}

// View calls see with a feed that is held, which see must not keep. It returns false if the feed is not held.
func (m *Cache) View(url string, see func(f *Feed)) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	f := m.channels[url]
	if f == nil {
		return false
	}
	m.asked++
	f.asked = m.asked
	see(f)
	return true
}

// ViewAsOf is View, but fails if there were changes after so many.
func (m *Cache) ViewAsOf(changes uint64, url string, see func(f *Feed)) bool {
	same := false
	return m.View(url, func(f *Feed) {
		if same = m.changes == changes; same {
			see(f)
		}
	}) && same
}

// Held returns the feed of a channel, nil if it is not held. The writer alone may call it, and read the feed until it
// commits: it alone changes it.
func (m *Cache) Held(channel int64) *Feed {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.ids[channel]
}

// Hold has a feed held that was read from the file after so many changes.
func (m *Cache) Hold(f *Feed, changes uint64) {
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

// Changes returns how many changes were applied.
func (m *Cache) Changes() uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.changes
}
