package files

import (
	"cmp"
	"errors"
	"slices"
	"sync"
	"time"

	"tidings"
	"tidings/network/pieces"
	"tidings/store/large"
	"tidings/store/pushed"
)

// catalog knows which contents are here, in part or as a whole, which are wanted, and which channels carry them.
type catalog struct {
	quota int64                         // Config.Quota
	path  func(ref, name string) string // Config.Path

	mu       sync.Mutex
	contents map[pieces.Ref]*content
	carried  map[string]map[string]pushed.File // by channel and URL
}

// content is the bytes of a file: here, in part or not so far. catalog.mu guards it.
type content struct {
	ref      pieces.Ref
	length   int64 // as published; once it is begun, as its manifest says
	have, of int   // pieces; of is 0 as long as it is not begun
	own      bool  // it was published here
	since    time.Time

	wanted   bool // by readers here, and not given up
	fetching bool
	tries    int       // in vain, since the start
	next     time.Time // when it is tried again
}

func (c *content) begun() bool { return c.of > 0 }
func (c *content) whole() bool { return c.of > 0 && c.have == c.of }

func newCatalog(quota int64, path func(ref, name string) string) *catalog {
	return &catalog{quota: quota, path: path, contents: make(map[pieces.Ref]*content),
		carried: make(map[string]map[string]pushed.File)}
}

// of returns a content, from now on if it was not known before. The caller holds c.mu.
func (c *catalog) of(ref pieces.Ref, since time.Time) *content {
	known := c.contents[ref]
	if known == nil {
		known = &content{ref: ref, since: since}
		c.contents[ref] = known
	}
	return known
}

// carry adds a file of a channel. The caller holds c.mu.
func (c *catalog) carry(f pushed.File) {
	if c.carried[f.Channel] == nil {
		c.carried[f.Channel] = make(map[string]pushed.File)
	}
	c.carried[f.Channel][f.URL] = f
	known := c.of(f.Ref, f.Since)
	if !known.begun() {
		known.length = f.Length
	}
	if f.Since.After(known.since) {
		known.since = f.Since
	}
	known.wanted = known.wanted || !f.GivenUp && c.quota > 0
}

// replaceCarried replaces the files that all items carry.
func (c *catalog) replaceCarried(files []pushed.File) {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.carried)
	for _, known := range c.contents {
		known.wanted = false
	}
	for _, f := range files {
		c.carry(f)
	}
}

// want adds the files of an item of a channel. Those that it has carried before stay as they are.
func (c *catalog) want(channel string, files []tidings.File, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, f := range files {
		if was, ok := c.carried[channel][f.URL]; !ok || was.Ref != f.Ref {
			c.carry(pushed.File{File: f, Channel: channel, Since: now})
		}
	}
}

// wantAgain has a file be wanted as if its item had come just now, and returns how it is here.
func (c *catalog) wantAgain(f pushed.File, now time.Time) tidings.Copy {
	c.mu.Lock()
	defer c.mu.Unlock()
	known := c.of(f.Ref, now)
	known.wanted, known.tries, known.next, known.since = true, 0, time.Time{}, now
	if !known.begun() {
		known.length = f.Length
	}
	return *c.copyOf(f)
}

// isWanted reports whether a content is wanted.
func (c *catalog) isWanted(ref pieces.Ref) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	known := c.contents[ref]
	return known != nil && known.wanted
}

// beginDue returns what is to be fetched now, of the latest items first, as many as the bound of fetches under way
// allows. They count as such from now on.
func (c *catalog) beginDue(now time.Time) (refs []pieces.Ref) {
	c.mu.Lock()
	defer c.mu.Unlock()
	room := maxFetching
	for _, known := range c.contents {
		if known.fetching {
			room--
		}
	}
	due := c.sorted(func(known *content) bool {
		return known.wanted && !known.whole() && !known.fetching && !known.next.After(now)
	})
	for _, known := range due[:min(len(due), max(0, room))] {
		known.fetching = true
		refs = append(refs, known.ref)
	}
	return refs
}

// fetched notes how a fetch has ended. giveUp reports whether the content is to be given up: it is wanted no longer.
func (c *catalog) fetched(ref pieces.Ref, err error, now time.Time) (giveUp bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	known := c.contents[ref]
	if known == nil {
		return false
	}
	known.fetching = false
	switch {
	case err == nil:
		known.have = known.of // it may have been here before the fetch
	case errors.Is(err, pieces.ErrTooLong), errors.Is(err, pieces.ErrStore),
		now.Sub(known.since) > fetchDays*24*time.Hour:
		known.wanted = false
		return true
	default:
		known.next = now.Add(min(fetchFirst<<min(known.tries, 20), fetchLast))
		known.tries++
	}
	return false
}

// begin notes that there is room for a content, and whether it is published here.
func (c *catalog) begin(m *pieces.Manifest, own bool, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	known := c.of(m.Ref(), now)
	known.length, known.of, known.own = m.Length, m.Count(), known.own || own
}

// recall adds a content with the given number of pieces here.
func (c *catalog) recall(l large.Content, m *pieces.Manifest, have int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	known := c.of(l.Ref, l.Since)
	known.length, known.have, known.of, known.own = m.Length, have, m.Count(), l.Own
}

// progress notes how many of a content's pieces are here.
func (c *catalog) progress(ref pieces.Ref, have, of int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if known := c.contents[ref]; known != nil {
		known.have, known.of = have, of
	}
}

// complete notes that all of a content is here.
func (c *catalog) complete(ref pieces.Ref) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if known := c.contents[ref]; known != nil {
		known.have = known.of
	}
}

// drop notes that nothing of a content is here any more. giveUp reports whether it is to be given up: it was wanted.
func (c *catalog) drop(ref pieces.Ref) (giveUp bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	known := c.contents[ref]
	if known == nil {
		return false
	}
	known.have, known.of, known.own = 0, 0, false
	giveUp, known.wanted = known.wanted, false
	return giveUp
}

// isBegun reports whether something of a content is kept here.
func (c *catalog) isBegun(ref pieces.Ref) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	known := c.contents[ref]
	return known != nil && known.begun()
}

// isPublished reports whether a content was published here, and is whole.
func (c *catalog) isPublished(ref pieces.Ref) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	known := c.contents[ref]
	return known != nil && known.own && known.whole()
}

// disown notes which contents are published here; the others are so no longer.
func (c *catalog) disown(published map[pieces.Ref]bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for ref, known := range c.contents {
		known.own = known.own && published[ref]
	}
}

// size returns how many contents are kept, and the bytes that are set aside for them.
func (c *catalog) size() (contents int, bytes int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, known := range c.contents {
		if known.begun() {
			contents++
			bytes += known.length
		}
	}
	return contents, bytes
}

// sorted returns contents, those of the latest items first. The caller holds c.mu.
func (c *catalog) sorted(want func(*content) bool) (list []*content) {
	for _, known := range c.contents {
		if want(known) {
			list = append(list, known)
		}
	}
	slices.SortFunc(list, func(a, b *content) int {
		return cmp.Or(b.since.Compare(a.since), slices.Compare(a.ref[:], b.ref[:]))
	})
	return list
}
