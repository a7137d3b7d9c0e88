// Package sharing is what a node knows of the channels that it shares with other nodes.
//
//   - [Standing] is which nodes follow and poll a channel, and what was done about that.
//   - [Holding] is which content is here, and its version.
//   - [Telling] is how far the network has learned of a content that has no version yet.
//   - [Primary] is what the channel's primary says of how all nodes together poll it.
//
// A [Channel] is these four together, and a [Table] is all channels. Methods decide and note: they read no disk, wait
// for nothing and call no other part. Package coop acts on what they return.
package sharing

import (
	"slices"
	"sync"
	"time"

	"tidings"
	router "tidings/network"
	"tidings/network/corona"
	"tidings/network/engine"
	"tidings/store/content"
	"tidings/store/shared"
	"tidings/view"
)

// Channel is what is known of one channel.
type Channel struct {
	ID  engine.ID // never changes, nor does URL
	URL string

	Standing
	Holding
	Telling
	Primary
}

// Table is the channels that others poll too, or that are polled here for others. It is safe for concurrent use.
type Table struct {
	mu       sync.Mutex
	channels map[engine.ID]*Channel
}

// NewTable returns a table of no channels.
func NewTable() *Table { return &Table{channels: make(map[engine.ID]*Channel)} }

// Get returns a channel as it is now; ok is false if it is not shared.
func (t *Table) Get(id engine.ID) (c Channel, ok bool) { return t.Alter(id, func(*Channel) {}) }

// Alter changes a channel, and returns it as it is then; ok is false if it is not shared. alter uses the channel alone:
// the table is locked meanwhile.
func (t *Table) Alter(id engine.ID, alter func(*Channel)) (c Channel, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	known := t.channels[id]
	if known == nil {
		return c, false
	}
	alter(known)
	return *known, true
}

// Add is Alter of a channel that is shared from now on, if it was not before.
func (t *Table) Add(url string, alter func(*Channel)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	alter(t.of(url))
}

// of returns a channel, from now on if it was not shared before. The table is locked.
func (t *Table) of(url string) *Channel {
	id := engine.ID(tidings.IDOf(url))
	c := t.channels[id]
	if c == nil {
		c = &Channel{ID: id, URL: url}
		t.channels[id] = c
	}
	return c
}

// Each looks at each channel, which it may change; see Alter.
func (t *Table) Each(look func(*Channel)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, c := range t.channels {
		look(c)
	}
}

// All returns the IDs of the channels of which something holds.
func (t *Table) All(holds func(*Channel) bool) (ids []engine.ID) {
	t.Each(func(c *Channel) {
		if holds(c) {
			ids = append(ids, c.ID)
		}
	})
	return ids
}

// Drop forgets a channel of which nothing is wanted any more.
func (t *Table) Drop(id engine.ID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if c := t.channels[id]; c != nil && c.idle() {
		delete(t.channels, id)
	}
}

// Load adds what is followed here, and what the network has numbered of that.
func (t *Table) Load(watches []content.Watch, versions []shared.Version) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := range watches {
		if w := &watches[i]; CanShare(w) {
			t.of(w.URL).Readers = w.Followers
		}
	}
	for _, v := range versions {
		if c := t.channels[engine.ID(tidings.IDOf(v.URL))]; c != nil {
			c.Number(v.Number, v.Hash)
		}
	}
}

// Keeps reports whether a channel is polled here for others.
func (t *Table) Keeps(url string) bool {
	c, ok := t.Get(engine.ID(tidings.IDOf(url)))
	return ok && c.IsPolled()
}

// Shares reports whether a channel's content is compared with that of other nodes. That may have begun during the
// current poll.
func (t *Table) Shares(id tidings.ChannelID) bool {
	c, ok := t.Get(engine.ID(id))
	return ok && c.isShared()
}

// Counts counts channels that are polled for others, and by others.
func (t *Table) Counts() (w view.CoopChannels) {
	t.Each(func(c *Channel) {
		switch {
		case c.IsPolled() && c.Readers == 0:
			w.ForOthers++
		case c.IsPolled(), c.Turns:
			w.Both++
		case c.Acked && c.Readers > 0:
			w.ByOthers++
		}
	})
	return w
}

// ByTrees returns the URLs of the channels followed here with updates down trees, sorted.
func (t *Table) ByTrees() (urls []string) {
	t.Each(func(c *Channel) {
		if c.Router != router.Direct && c.Readers > 0 {
			urls = append(urls, c.URL)
		}
	})
	slices.Sort(urls)
	return urls
}

// FollowedOf returns the URLs of the given channels that accounts here follow, sorted.
func (t *Table) FollowedOf(ids []engine.ID) (urls []string) {
	for _, id := range ids {
		if c, ok := t.Get(id); ok && c.Readers > 0 {
			urls = append(urls, c.URL)
		}
	}
	slices.Sort(urls)
	return urls
}

// Means is by what a channel's updates come to this node.
type Means uint8

// The means.
const (
	NoMeans  Means = iota // this node polls on its own, or does not follow the channel
	ByPushes              // its publisher's tree
	ByTurns               // the tree of the nodes that poll it in turns
	ByOwners              // its owners send them, or a tree of theirs
)

// Means returns by what a channel's updates come; tree says that its publisher's tree is joined.
func (t *Table) Means(id engine.ID, tree bool) Means {
	c, ok := t.Get(id)
	switch {
	case !ok || c.Readers == 0:
		return NoMeans
	case tree && c.Pushed:
		return ByPushes
	case c.Turns:
		return ByTurns
	case c.Acked:
		return ByOwners
	}
	return NoMeans
}

// Terms are what all channels of a node are polled by.
type Terms struct {
	Alone       bool // the network has stopped
	Volunteers  bool // the followers of a channel poll it in turns
	Interval    time.Duration
	Maintenance time.Duration
}

// Held returns the latest version of the network's that is kept of a channel; zero: none.
func (t *Table) Held(id engine.ID) (version uint64, hash corona.Hash) {
	c, _ := t.Get(id)
	return c.Version, c.Hash
}

// Content returns the hash of the latest content of a channel that is here; zero: none is known.
func (t *Table) Content(id engine.ID) corona.Hash {
	c, _ := t.Get(id)
	return c.Holding.Content
}
