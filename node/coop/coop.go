// Package coop has a node poll public channels together with other nodes.
//
// It stands between two sides. Corona and the volunteers live in the network's loop and must not wait. The scheduler
// and the store make them wait. So the network asks and is answered later.
//
//   - [Coop] is the whole. It learns what is followed here, and does what package channels decides.
//   - poller, library and listener are what Corona sees of the node; turns is what the volunteers see.
//   - reconciler brings store, scheduler and network to the plan of a channel. A wish is noted at once, and a worker
//     carries it out. So orders that follow each other closely cost once.
//   - reporter reports the findings of this node's polls to the network.
//   - primaries asks how channels are polled by all nodes together. pollStats counts which node polls for which. params
//     is what the network has agreed on. penalties is what the node has against others.
package coop

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"tidings"
	"tidings/network/corona"
	"tidings/network/engine"
	"tidings/network/pastry"
	"tidings/network/volunteer"
	"tidings/node/broadcast"
	"tidings/node/channels"
	"tidings/node/workerpool"
	"tidings/source"
	"tidings/source/feed"
	"tidings/store"
	"tidings/store/content"
)

// Config is what a Coop works with.
type Config struct {
	Store     *store.Store
	Scheduler *source.Scheduler
	Entrance  *channels.Entrance
	Log       *slog.Logger
	NodeID    string
	Feed      feed.Config   // bounds of what other nodes send
	Interval  time.Duration // between two polls of a node without others
	Lab       bool          // private addresses count as public
	Own       corona.Config // how nodes poll together, as this one would have it
}

// Host is what cooperative polling needs of its node.
type Host interface {
	// Reviewed reports that the followers of a channel have changed. shared: others may know that it is followed here.
	Reviewed(ctx context.Context, url string, shared bool)
	// PushBackup returns the slot of a channel with a publisher that pushes, from that of one which others poll.
	PushBackup(others source.Slot) source.Slot
}

// Trust is what people here think of the nodes that find changes.
type Trust interface {
	// Level returns what is thought of a node.
	Level(node engine.ID) tidings.TrustLevel
	// Doubt notes that the word of a distrusted node was not enough for a content.
	Doubt(channel engine.ID, h corona.Hash, finder engine.ID)
	// MayPoll reports whether this node polls a channel now because of a doubt, at most once in so long.
	MayPoll(channel engine.ID, every time.Duration, now time.Time) bool
	// Saw notes which content a poll of this node has seen.
	Saw(channel engine.ID, h corona.Hash)
}

// Loop is where the protocols live.
type Loop interface {
	// Do runs f there and returns when it has; an error if the network has stopped or ctx ends first.
	Do(ctx context.Context, f func()) error
	Keys() engine.Keys
}

// Coop is one node's part in cooperative polling. Its methods are safe for concurrent use, unless they say otherwise.
type Coop struct{ *core }

// core is what the parts share.
type core struct {
	config Config
	host   Host
	trust  Trust

	// Set by Start, before the loop runs. env and corona are touched in the loop alone.
	loop   Loop
	env    engine.Env
	corona *corona.Node

	table table

	// answers are jobs that the network waits for: storing and lending versions, reporting polls. chores bring about
	// what people and the plan want, thousands of channels at a time.
	answers, chores *workerpool.Pool

	told *broadcast.Broadcast // rings when a primary has reported how a channel is polled

	reconciler *reconciler
	library    *library
	poller     *poller
	reporter   *reporter
	turns      *turns
	primaries  *primaries
	polls      *pollStats
	params     *params
	penalties  *penalties
}

// workers is how many there are in each pool. They wait for the disk.
const workers = 8

// New returns a Coop that does nothing until Start.
func New(c Config, host Host, trust Trust) *Coop {
	s := &core{
		config: c, host: host, trust: trust, table: table{channels: make(map[engine.ID]*channel)},
		answers: workerpool.New(workers), chores: workerpool.New(workers), told: broadcast.New(),
	}
	s.reconciler, s.library, s.poller, s.reporter = &reconciler{s}, &library{s}, &poller{s}, &reporter{s}
	s.turns, s.primaries, s.polls, s.params = &turns{core: s}, &primaries{s}, &pollStats{core: s}, &params{core: s}
	s.penalties = &penalties{core: s, of: make(map[string]*tidings.Penalty)}
	return &Coop{s}
}

// UseLoop says where the protocols live. It is called before Start.
func (c *Coop) UseLoop(l Loop) { c.loop = l }

// Start makes the node's Corona and volunteers on a ring; it is called in the loop.
func (c *Coop) Start(env engine.Env, ring *pastry.Node) (*corona.Node, *volunteer.Node) {
	c.env = env
	c.corona = corona.New(env, ring, c.loop.Keys(), c.poller, c.library, c.config.Own)
	ring.Handle(engine.Corona, c.corona)
	return c.corona, c.turns.start(env, ring)
}

// Listener returns the receiver of Corona's reports. It is called in the loop, after Start.
func (c *Coop) Listener() corona.Listener { return listener{c.core} }

// Run works until ctx ends.
func (c *Coop) Run(ctx context.Context) {
	var all sync.WaitGroup
	all.Go(func() { c.answers.Run(ctx) })
	all.Go(func() { c.chores.Run(ctx) })
	all.Go(func() { c.polls.run(ctx) })
	all.Wait()
}

// Save stores what was counted, for the next start.
func (c *Coop) Save(ctx context.Context) error {
	return errors.Join(c.polls.save(ctx), c.penalties.save(ctx))
}

// Recall loads what the network is known to know, what is followed, and what was counted before. It is called once,
// before anything else.
func (c *Coop) Recall(ctx context.Context, watches []content.Watch) error {
	if err := c.polls.recall(ctx); err != nil {
		return err
	}
	if err := c.penalties.recall(ctx); err != nil {
		return err
	}
	versions, err := c.config.Store.Shared.Versions(ctx)
	if err != nil {
		return err
	}
	if err := c.config.Store.Content.RemoveAllRelayed(ctx); err != nil {
		return err
	}
	c.table.recall(watches, versions)
	return nil
}

// Begin reports to the network what is followed here, once it runs.
func (c *Coop) Begin() { c.each(c.reconciler.enqueue) }

// Followed is called when the followers of a channel here, or what others may know of them, may have changed. It does
// not wait.
func (c *Coop) Followed(url string) {
	c.chores.Do(func(ctx context.Context) { c.review(ctx, url) })
}

// review reads the followers of a channel.
func (c *Coop) review(ctx context.Context, url string) {
	defer c.table.lock(engine.ID(tidings.IDOf(url)))() // of two reviews at a time the one that read last is right
	readers, private := 0, false
	w, err := c.config.Store.Content.Watch(ctx, url)
	switch {
	case err == nil && CanShare(&w):
		readers = w.Followers
	case err == nil:
		private = true
	case !isGone(err):
		c.config.Log.Error("the network was not told who follows a channel", "channel", url, "error", err)
		return
	}
	c.setReaders(url, readers, private)
	c.host.Reviewed(ctx, url, readers > 0)
}

// setReaders notes how many follow a channel here, and whether others may know of it.
func (c *Coop) setReaders(url string, readers int, private bool) {
	id := engine.ID(tidings.IDOf(url))
	c.table.mu.Lock()
	defer c.table.mu.Unlock()
	if c.table.channels[id] == nil && readers == 0 {
		return
	}
	ch := c.table.of(id, url)
	ch.readers, ch.private = readers, private
	c.reconciler.enqueue(ch)
}

// SetPushed notes whether a channel's publisher pushes what is new. Of a channel that is not followed here nothing is
// noted.
func (c *Coop) SetPushed(id engine.ID, pushed bool) {
	c.table.mu.Lock()
	defer c.table.mu.Unlock()
	if ch := c.table.channels[id]; ch != nil && ch.pushed != pushed {
		ch.pushed = pushed
		c.reconciler.enqueue(ch)
	}
}

// Stopped is called when the network has: the node polls on its own from then on.
func (c *Coop) Stopped() {
	c.table.mu.Lock()
	c.table.alone = true
	c.table.mu.Unlock()
	c.each(func(ch *channel) {
		ch.polled, ch.relayed, ch.acked = false, false, false
		c.reconciler.enqueue(ch)
	})
}

// Work has a worker run a job that others wait for. It does not wait for it. The callers bound how many jobs wait.
func (s *core) Work(job func(context.Context)) { s.answers.Do(job) }

// InLoop runs f where the protocols live, and returns when it has. After the network has stopped nothing runs.
func (s *core) InLoop(ctx context.Context, f func()) {
	if s.loop == nil {
		return
	}
	if err := s.loop.Do(ctx, f); err != nil && ctx.Err() == nil {
		s.config.Log.Debug("the network did not answer", "error", err)
	}
}

// each calls do with each channel, under the table's lock.
func (s *core) each(do func(*channel)) {
	s.table.mu.Lock()
	defer s.table.mu.Unlock()
	for _, ch := range s.table.channels {
		do(ch)
	}
}
