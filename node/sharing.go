package node

import (
	"context"
	"encoding/binary"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"tidings"
	router "tidings/network"
	"tidings/network/corona"
	"tidings/network/engine"
	"tidings/network/live"
	"tidings/network/pastry"
	"tidings/node/broadcast"
	"tidings/node/workerpool"
	"tidings/source"
	"tidings/source/feed"
	"tidings/store"
)

// sharing has the node poll public channels together with others. It stands between Corona,
// which lives in the host's loop and must not wait, and the watcher and the store, which make
// it wait: Corona asks and is answered later (see poller.go, library.go), and what polls have
// found is told to it (see polled.go).
//
// What is wanted of a channel is noted at once; a worker then brings the store, the watcher and
// Corona in accord with that (see accord.go). So orders that follow each other closely cost once.
type sharing struct {
	node *Node
	log  *slog.Logger

	// Set before the loop starts, and used in it alone but for host.
	host   *live.Host
	env    engine.Env
	corona *corona.Node

	mu       sync.Mutex
	channels map[engine.ID]*sharedChannel
	alone    bool      // the network has stopped
	reckoned time.Time // until when the books are

	agreement atomic.Pointer[standing] // nil: none so far; see terms

	// answers are jobs that the network waits for: taking versions and lending them, telling of polls.
	// chores bring in accord what people and the plan want, thousands of channels at a time.
	answers, chores *workerpool.Pool

	books books
	told  *broadcast.Broadcast // rings when a primary has told how a channel is polled

	// locks keep what changes one channel's content from mixing: settling a poll, taking a
	// version. A channel has the one that its ID says.
	locks [4096]sync.Mutex // many: who has one may wait for the disk
}

// sharedChannel is a channel that others poll too, or that is polled here for others.
// sharing.mu guards it.
type sharedChannel struct {
	id  engine.ID
	url string

	readers int // accounts here that follow it, as far as others are told of it
	told    int // of them Corona has been told
	acked   bool
	pushed  bool // its publisher pushes what is new: others need not poll it for this node

	volunteer bool // it is to be polled in turns with others who follow it
	turns     bool // it is
	// suspicion is why the owners are not relied on, if they are not.
	suspicion corona.Suspicion
	polled    bool // Corona has it polled here
	relayed   bool // Corona makes its versions here, and has it kept for that
	slot      source.Slot

	// private says that people here follow it, or have followed it, in a way of their own: with a
	// password, as a private one, or by rules that show them something else. It is not polled
	// at for others.
	private bool
	kept    bool // the store knows that it is polled for others, if it is

	checking time.Time // when Corona has asked for a poll, which is the first that begins later; zero: it has not
	queued   bool      // a worker is about to bring it in accord

	version uint64 // of the network's: the latest that is kept
	hash    corona.Hash
	telling telling
	// content is the hash of the latest content here; zero: not known. It is ahead of the
	// version when a poll has found what has no number yet.
	content corona.Hash
	seen    time.Time // when a poll here found something last; zero: not since the start

	router router.RouterName // by which its updates come here

	fact   corona.Fact // what the primary has told, at toldAt; zero: nothing so far
	toldAt time.Time
	asked  time.Time // when the primary was asked last
}

// wants returns for how many readers here others are to poll the channel.
func (c *sharedChannel) wants() int {
	if c.pushed || c.volunteer {
		return 0
	}
	return c.readers
}

// polls tells whether the channel is polled here as Corona says.
func (c *sharedChannel) polls() bool { return c.polled && !c.private }

// lends reports whether the channel is kept here for others, whether it is polled in turns or not.
func (c *sharedChannel) lends() bool { return (c.polled || c.relayed) && !c.private }

// sharers is how many workers there are in each pool. They wait for the disk.
const sharers = 8

func newSharing(n *Node) *sharing {
	return &sharing{node: n, log: n.log, channels: make(map[engine.ID]*sharedChannel),
		answers: workerpool.New(sharers), chores: workerpool.New(sharers), told: broadcast.New()}
}

// start makes the node's Corona; it is called in the host's loop.
func (s *sharing) start(env engine.Env, ring *pastry.Node) *corona.Node {
	s.env = env
	s.corona = corona.New(env, ring, s.host.Keys(), s, s, s.node.config.corona())
	ring.Handle(engine.Corona, s.corona)
	return s.corona
}

// run works for Corona until ctx ends.
func (s *sharing) run(ctx context.Context) {
	var both sync.WaitGroup
	both.Go(func() { s.answers.Run(ctx) })
	both.Go(func() { s.chores.Run(ctx) })
	both.Wait()
}

// work has a worker run a job that others wait for. Corona bounds how many it asks for at a time; others
// are one a channel.
func (s *sharing) work(job func(context.Context)) { s.answers.Do(job) }

// inLoop runs f where Corona lives. After the network has stopped nothing runs.
func (s *sharing) inLoop(ctx context.Context, f func()) {
	if s.host == nil {
		return
	}
	if err := s.host.Do(ctx, f); err != nil && ctx.Err() == nil {
		s.log.Debug("the network did not answer", "error", err)
	}
}

// lock keeps others from changing a channel's content.
func (s *sharing) lock(id engine.ID) (unlock func()) {
	m := &s.locks[binary.BigEndian.Uint16(id[len(id)-2:])%uint16(len(s.locks))]
	m.Lock()
	return m.Unlock
}

// of returns a channel, from now on if it was not shared before. The caller holds s.mu.
func (s *sharing) of(id engine.ID, url string) *sharedChannel {
	c := s.channels[id]
	if c == nil {
		c = &sharedChannel{id: id, url: url}
		s.channels[id] = c
	}
	return c
}

// maxSharedURL is the longest address that Corona's messages carry.
const maxSharedURL = 2048

// canShare reports whether others may be told of a channel, and see the same in it. They refuse an address that is not
// canonical, such as one that was stored when canonical addresses were made otherwise.
func canShare(w *store.Watch) bool {
	if w.Privacy != tidings.Public || w.User != "" || w.Password != "" || !w.Options.IsZero() || len(w.URL) > maxSharedURL {
		return false
	}
	canonical, err := feed.Canonical(w.URL)
	return err == nil && canonical == w.URL
}

// recall takes in what the network is known to know, and what is followed.
func (s *sharing) recall(ctx context.Context, watches []store.Watch) error {
	versions, err := s.node.store.SharedVersions(ctx)
	if err != nil {
		return err
	}
	if err := s.node.store.RemoveAllRelayed(ctx); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range watches {
		if w := &watches[i]; canShare(w) {
			s.of(engine.ID(w.ID()), w.URL).readers = w.Followers
		}
	}
	for _, v := range versions {
		if c := s.channels[engine.ID(tidings.IDOf(v.URL))]; c != nil {
			c.version, c.hash = v.Number, v.Hash
		}
	}
	return nil
}

// begin tells Corona what is followed here, once it runs.
func (s *sharing) begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.channels {
		s.accordSoon(c)
	}
}

// followed is called when who follows a channel here may have changed, or what others may be told
// of it.
func (s *sharing) followed(url string) {
	if s == nil {
		return
	}
	s.chores.Do(func(ctx context.Context) { s.review(ctx, url) })
}

// review reads who follows a channel.
func (s *sharing) review(ctx context.Context, url string) {
	readers, private := 0, false
	w, err := s.node.store.Watch(ctx, url)
	switch {
	case err == nil && canShare(&w):
		readers = w.Followers
	case err == nil:
		private = true
	case !isGone(err):
		s.log.Error("the network was not told who follows a channel", "channel", url, "error", err)
		return
	}
	s.node.pushes.reviewed(ctx, url, readers > 0)
	id := engine.ID(tidings.IDOf(url))
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.channels[id] == nil && readers == 0 {
		return
	}
	c := s.of(id, url)
	c.readers, c.private = readers, private
	s.accordSoon(c)
}

// setPushed notes whether a channel's publisher pushes what is new.
func (s *sharing) setPushed(id engine.ID, pushed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.channels[id]; c != nil && c.pushed != pushed {
		c.pushed = pushed
		s.accordSoon(c)
	}
}

// keeps tells whether a channel is polled here for others.
func (s *sharing) keeps(url string) bool {
	if s == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.channels[engine.ID(tidings.IDOf(url))]
	return c != nil && c.polls()
}

// stopped is called when the network has: the node polls by itself from then on.
func (s *sharing) stopped() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.alone = true
	for _, c := range s.channels {
		c.polled, c.relayed, c.acked = false, false, false
		s.accordSoon(c)
	}
}

// watching counts channels that are polled for others, and by others.
func (s *sharing) watching() (w tidings.CoopChannels) {
	if s == nil {
		return w
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.channels {
		switch {
		case c.polls() && c.readers == 0:
			w.ForOthers++
		case c.polls(), c.turns:
			w.Both++
		case c.acked && c.readers > 0:
			w.ByOthers++
		}
	}
	return w
}

// trees returns the URLs of the channels followed here whose updates come down trees, sorted.
func (s *sharing) trees() (urls []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.channels {
		if c.router != router.Direct && c.readers > 0 {
			urls = append(urls, c.url)
		}
	}
	slices.Sort(urls)
	return urls
}

// backup is the slot of a channel that others poll: this node polls too, now and then, in
// case the network has missed something. Nodes do so at different times.
func (s *sharing) backup(c *sharedChannel) source.Slot {
	interval := max(s.node.config.Interval, s.terms().Interval)
	every := backupEvery * interval
	if c.suspicion == corona.Denied {
		every = deniedEvery * interval
	}
	self, _ := engine.ParseID(s.node.id) // it is one
	mixed := binary.BigEndian.Uint64(self[:]) ^ binary.BigEndian.Uint64(c.id[:])
	at := time.Duration(mixed % uint64(every))
	return source.Slot{First: time.Unix(0, int64(at)), Interval: every, Regular: backupWhy}
}

// backupEvery is how many intervals pass between two polls of a channel that others poll: by
// default, one a day. Missed versions are found with each renewal of a subscription, long before.
const backupEvery = 48

// deniedEvery is how many it is where the owners deny what this node sees: either they lie, or this
// node is shown something else than others. Where they do not answer, the node looks as if it
// were alone, once an interval.
const deniedEvery = 8

// backupWhy is what such a poll is called.
const backupWhy = "a check in case the network has missed something"
