package newswire

import (
	"slices"
	"time"

	"tidings/network/astrolabe/zone"
	"tidings/network/engine"
)

// Log is where a node writes its work, so that it continues it after a crash (NewsWire, section 9: "each forwarding
// component maintains a log file"). Its methods are called in the node's loop, and do not wait for the disk.
type Log interface {
	// Left returns what an earlier run has not come to the end of, the oldest first. It is asked once.
	Left() []Entry
	// Write keeps an entry. kept is called in the loop, after Write has returned, in one of three cases: the entry is
	// on the disk, it cannot be kept, or it need not be kept any more.
	Write(e Entry, kept func())
	// Strike forgets the entry of an item, by its name, and a zone, if there is one.
	Strike(item uint64, z zone.Path)
}

// Entry is an item that a node is to bring to all of a zone.
type Entry struct {
	Item      *Item
	Zone      zone.Path
	Published time.Time // by the node's calendar, as far as that is known
}

func (e Entry) key() jobKey { return jobKey{e.Item.Name(), e.Zone} }

// Bounds of what is in a log: entries, and their bytes in memory. Beyond them the oldest goes.
const (
	maxLogged   = 1024
	loggedBytes = 16 << 20
)

// book is what the log has, the oldest first.
type book struct {
	env     engine.Env
	log     Log           // nil: there is none, and the book stays empty
	keep    time.Duration // how long items are kept
	entries []logged
	bytes   int
}

// logged is an entry that the log has.
type logged struct {
	key  jobKey
	size int
}

func (b *book) find(key jobKey) int {
	return slices.IndexFunc(b.entries, func(l logged) bool { return l.key == key })
}

// write writes an entry whose item has size bytes. It reports whether kept is to be called: not where there is no log,
// or the entry is in it.
func (b *book) write(e Entry, size int, kept func()) bool {
	if b.log == nil || b.find(e.key()) >= 0 {
		return false
	}
	b.log.Write(e, kept)
	b.enter(e, size)
	return true
}

// enter notes that the log has an entry, and strikes the oldest where there are too many.
func (b *book) enter(e Entry, size int) {
	size += itemBytes
	b.entries = append(b.entries, logged{e.key(), size})
	for b.bytes += size; len(b.entries) > maxLogged || b.bytes > loggedBytes; {
		b.env.Trace(LimitHit{"maxLogged", maxLogged})
		b.strike(b.entries[0].key)
	}
}

// strike removes what has come to an end from the log.
func (b *book) strike(key jobKey) {
	if i := b.find(key); i >= 0 {
		b.bytes -= b.entries[i].size
		b.entries = slices.Delete(b.entries, i, i+1)
		b.log.Strike(key.item, key.zone)
	}
}

// since returns when an entry's item was published, by Env.Now.
func (b *book) since(e Entry) time.Duration {
	return b.env.Now() - min(max(0, b.env.Wall().Sub(e.Published)), b.keep)
}

// entry is the contrary of since.
func (b *book) entry(m *Item, z zone.Path, at time.Duration) Entry {
	return Entry{m, z, b.env.Wall().Add(at - b.env.Now())}
}

// resume has the node go on with what its log has left, when it knows its zone. What is older than items are kept
// nobody asks for, and what the disk has damaged is not let out.
func (n *Node) resume() {
	if n.seams.Log == nil {
		return
	}
	for _, e := range n.seams.Log.Left() {
		size, ok := n.admit(e.Item, n.env.Self())
		if !ok || n.env.Wall().Sub(e.Published) > n.config.Keep {
			n.seams.Log.Strike(e.Item.Name(), e.Zone)
			continue
		}
		n.cache.add(e.Item, size, n.book.since(e))
		n.book.enter(e, n.cache.size(e.Item.Name()))
		n.left = append(n.left, e)
	}
	if _, placed := n.zones.Path(); placed {
		n.late.Set(n.env, n.env.Now(), n.beginWaiting)
	}
}
