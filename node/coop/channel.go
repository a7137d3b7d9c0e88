package coop

import (
	"encoding/binary"
	"errors"
	"slices"
	"sync"
	"time"

	"tidings"
	router "tidings/network"
	"tidings/network/corona"
	"tidings/network/engine"
	"tidings/node/channels"
	"tidings/source"
	"tidings/source/feed"
	"tidings/store/content"
	"tidings/store/shared"
)

// table is the channels that others poll too, or that are polled here for others.
type table struct {
	mu       sync.Mutex
	channels map[engine.ID]*channel
	alone    bool // the network has stopped

	// locks keep two changes of one channel's content from mixing, such as settling a poll and storing a version. A
	// channel has the one that its ID says.
	locks [4096]sync.Mutex // many: a holder may wait for the disk
}

// channel is what is known of a channel. table.mu guards it, but for id and url, which never change.
type channel struct {
	id  engine.ID
	url string

	readers int // accounts here that follow it, as far as others may know
	told    int // of them, reported to Corona
	acked   bool
	pushed  bool // its publisher pushes what is new: others need not poll it for this node
	turns   bool // it is polled in turns with its other followers

	suspicion corona.Suspicion // why the owners are not relied on, if they are not
	polled    bool             // Corona has it polled here
	relayed   bool             // Corona makes its versions here, and has it kept for that
	slot      source.Slot      // when Corona has it polled

	// private says that people here follow it, or have followed it, in a way of their own. That is with a password, as
	// a private channel, or by rules that change its content. It is not polled for others.
	private bool
	kept    bool // the store knows that it is polled for others, if it is

	checking time.Time // when Corona has asked for a poll, which is the first that begins later; zero: it has not
	queued   bool      // a worker is about to reconcile it

	version uint64 // of the network's: the latest that is kept
	hash    corona.Hash
	telling telling
	// content is the hash of the latest content here; zero: not known. It is ahead of the
	// version when a poll has found what has no number yet.
	content corona.Hash
	unseen  corona.Hash // content that is here because others have seen it; zero: this node's own polls have
	seen    time.Time   // when a poll here found something last; zero: not since the start

	router router.RouterName // by which its updates come here

	fact   corona.Fact // the primary's report, of toldAt; zero: none so far
	toldAt time.Time
	asked  time.Time // when the primary was asked last
}

// facts are what decides about the channel.
func (c *channel) facts(alone, volunteers bool) channels.Facts {
	f := channels.Facts{
		Followed: c.readers > 0, Private: c.private, Alone: alone, Assigned: c.polled, Relayed: c.relayed, Pushed: c.pushed,
		Volunteers: volunteers, Acknowledged: c.acked,
	}
	switch c.suspicion {
	case corona.Trusted:
	case corona.Denied:
		f.Trust = channels.Denied
	case corona.Silent:
		f.Trust = channels.Silent
	}
	return f
}

// subscribes reports whether it is the owners' to see what changes of a channel for this node. The caller holds
// table.mu.
func (s *core) subscribes(c *channel) bool {
	return channels.Decide(c.facts(s.table.alone, s.params.now().Volunteers)).Subscribe
}

// isPolled reports whether the channel is polled here as Corona says.
func (c *channel) isPolled() bool { return c.polled && !c.private }

// isShared reports whether the channel's content is compared with what other nodes see.
func (c *channel) isShared() bool { return !c.private && (c.polled || c.relayed || c.readers > 0) }

// lock keeps others from changing a channel's content.
func (t *table) lock(id engine.ID) (unlock func()) {
	m := &t.locks[binary.BigEndian.Uint16(id[len(id)-2:])%uint16(len(t.locks))]
	m.Lock()
	return m.Unlock
}

// of returns a channel, from now on if it was not shared before. The caller holds t.mu.
func (t *table) of(id engine.ID, url string) *channel {
	c := t.channels[id]
	if c == nil {
		c = &channel{id: id, url: url}
		t.channels[id] = c
	}
	return c
}

// get returns a channel; nil if it is not shared.
func (t *table) get(id engine.ID) *channel {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.channels[id]
}

// recall loads what is followed, and what the network has numbered of that.
func (t *table) recall(watches []content.Watch, versions []shared.Version) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := range watches {
		if w := &watches[i]; CanShare(w) {
			t.of(engine.ID(w.ID()), w.URL).readers = w.Followers
		}
	}
	for _, v := range versions {
		if c := t.channels[engine.ID(tidings.IDOf(v.URL))]; c != nil {
			c.version, c.hash = v.Number, v.Hash
		}
	}
}

// maxSharedURL is the longest address that Corona's messages carry.
const maxSharedURL = 2048

// CanShare reports whether others may know of a channel, and see the same in it. They refuse an address that is not
// canonical, such as one that was stored when canonical addresses were made otherwise.
func CanShare(w *content.Watch) bool {
	if w.Privacy != tidings.Public || !w.Access.IsZero() || !w.Options.IsZero() || len(w.URL) > maxSharedURL {
		return false
	}
	canonical, err := feed.Canonical(w.URL)
	return err == nil && canonical == w.URL
}

// isGone reports whether an error says that a channel is not polled.
func isGone(err error) bool { return errors.Is(err, tidings.ErrNotFollowed) }

// Lock keeps others from changing a channel's content, until unlock is called.
func (c *Coop) Lock(id engine.ID) (unlock func()) { return c.table.lock(id) }

// Keeps reports whether a channel is polled here for others.
func (c *Coop) Keeps(url string) bool {
	c.table.mu.Lock()
	defer c.table.mu.Unlock()
	ch := c.table.channels[engine.ID(tidings.IDOf(url))]
	return ch != nil && ch.isPolled()
}

// Shares reports whether a channel's content is compared with that of other nodes. That may have begun during the
// current poll.
func (c *Coop) Shares(id tidings.ChannelID) bool {
	c.table.mu.Lock()
	defer c.table.mu.Unlock()
	ch := c.table.channels[engine.ID(id)]
	return ch != nil && ch.isShared()
}

// Counts counts channels that are polled for others, and by others.
func (c *Coop) Counts() (w tidings.CoopChannels) {
	c.each(func(ch *channel) {
		switch {
		case ch.isPolled() && ch.readers == 0:
			w.ForOthers++
		case ch.isPolled(), ch.turns:
			w.Both++
		case ch.acked && ch.readers > 0:
			w.ByOthers++
		}
	})
	return w
}

// ByTrees returns the URLs of the channels followed here with updates down trees, sorted.
func (c *Coop) ByTrees() (urls []string) {
	c.each(func(ch *channel) {
		if ch.router != router.Direct && ch.readers > 0 {
			urls = append(urls, ch.url)
		}
	})
	slices.Sort(urls)
	return urls
}

// FollowedOf returns the URLs of the given channels that accounts here follow, sorted.
func (c *Coop) FollowedOf(ids []engine.ID) (urls []string) {
	c.table.mu.Lock()
	defer c.table.mu.Unlock()
	for _, id := range ids {
		if ch := c.table.channels[id]; ch != nil && ch.readers > 0 {
			urls = append(urls, ch.url)
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
func (c *Coop) Means(id engine.ID, tree bool) Means {
	c.table.mu.Lock()
	defer c.table.mu.Unlock()
	ch := c.table.channels[id]
	switch {
	case ch == nil || ch.readers == 0:
		return NoMeans
	case tree && ch.pushed:
		return ByPushes
	case ch.turns:
		return ByTurns
	case ch.acked:
		return ByOwners
	}
	return NoMeans
}

// Corona returns the node's Corona; it is called in the loop, after Start.
func (c *Coop) Corona() *corona.Node { return c.corona }
