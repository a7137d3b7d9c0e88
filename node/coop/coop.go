// Package coop has a node poll public channels together with other nodes.
//
// It stands between two sides. Corona and the volunteers live in the network's loop and must not wait. The scheduler
// and the store make them wait. So the network asks and is answered later.
//
//   - [Coop] is the whole. It learns what is followed here, and does what package channels decides. What is known of
//     each channel is in a [sharing.Table], which decides what is reported.
//   - desk is what Corona and the volunteers see of the node. It notes what they say, and hands over orders.
//   - keeper brings store and scheduler to the plan of a channel. A wish is noted at once, and a worker carries it out.
//     So orders that follow each other closely cost once.
//   - library receives versions of other nodes, and packs those that are here for them.
//   - pollStats counts which node polls for which. params is what the network has agreed on. penalties is what the node
//     has against others.
package coop

import (
	"context"
	"encoding/binary"
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
	"tidings/node/coop/sharing"
	"tidings/node/workerpool"
	"tidings/source"
	"tidings/source/feed"
	"tidings/store"
	"tidings/store/content"
	"tidings/view"
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
type Coop struct {
	*sharing.Table
	locks
	params

	config  Config
	host    Host
	trust   Trust
	library library
	keeper  keeper
	desk    desk

	// Set by Start, before the loop runs. They are touched in the loop alone, but for loop.
	loop       Loop
	ring       *pastry.Node
	corona     *corona.Node
	volunteers *volunteer.Node

	// answers are jobs that the network waits for: storing and lending versions, reporting polls. chores bring about
	// what people and the plan want, thousands of channels at a time.
	answers, chores *workerpool.Pool

	told *broadcast.Broadcast // rings when a primary has reported how a channel is polled

	polls     pollStats
	penalties penalties
}

// locks keep two changes of one channel's content from mixing, such as recording a poll and storing a version. A
// channel has the one that its ID says. There are many, as a holder may wait for the disk.
type locks struct{ of [4096]sync.Mutex }

// Lock keeps others from changing a channel's content, until unlock is called.
func (l *locks) Lock(channel engine.ID) (unlock func()) {
	m := &l.of[binary.BigEndian.Uint16(channel[len(channel)-2:])%uint16(len(l.of))]
	m.Lock()
	return m.Unlock
}

// workers is how many there are in each pool. They wait for the disk.
const workers = 8

// New returns a Coop that does nothing until Start.
func New(c Config, host Host, trust Trust) *Coop {
	s := &Coop{
		Table: sharing.NewTable(), params: newParams(c.Own), config: c, host: host, trust: trust,
		library: library{c.Store, c.Entrance, c.Feed, c.NodeID, trust, nil},
		keeper:  keeper{c.Store, c.Scheduler, host, c.NodeID, c.Interval},
		answers: workerpool.New(workers), chores: workerpool.New(workers), told: broadcast.New(),
		penalties: penalties{of: make(map[string]*view.Penalty)},
	}
	s.desk = desk{Table: s.Table, params: s.params, scheduler: c.Scheduler, lab: c.Lab, told: s.told, log: c.Log,
		order: s.accept}
	return s
}

// Start makes the node's Corona and volunteers on a ring; it is called in the loop.
func (c *Coop) Start(loop Loop, env engine.Env, ring *pastry.Node) (*corona.Node, *volunteer.Node) {
	c.loop, c.ring, c.library.keys, c.desk.env = loop, ring, loop.Keys(), env
	c.corona = corona.New(env, ring, loop.Keys(), &c.desk, &c.desk, c.config.Own)
	ring.Handle(engine.Corona, c.corona)
	c.volunteers = c.desk.startTurns(env, ring, loop.Keys(), c.trust)
	return c.corona, c.volunteers
}

// Corona returns the node's Corona; it is called in the loop, after Start.
func (c *Coop) Corona() *corona.Node { return c.corona }

// Listener returns the receiver of Corona's reports. It is called in the loop, after Start.
func (c *Coop) Listener() corona.Listener { return &c.desk }

// Run works until ctx ends.
func (c *Coop) Run(ctx context.Context) {
	var all sync.WaitGroup
	all.Go(func() { c.answers.Run(ctx) })
	all.Go(func() { c.chores.Run(ctx) })
	all.Go(func() { c.keepCount(ctx) })
	all.Wait()
}

// Save stores what was counted, for the next start.
func (c *Coop) Save(ctx context.Context) error {
	err := c.penalties.save(ctx, c.config.Store.DB)
	if c.reckon(time.Now()) {
		err = errors.Join(err, c.polls.save(ctx, c.config.Store.DB))
	}
	return err
}

// Recall loads what the network is known to know, what is followed, and what was counted before. It is called once,
// before anything else.
func (c *Coop) Recall(ctx context.Context, watches []content.Watch) error {
	for setting, recall := range map[string]func(text string) error{pollsSetting: c.polls.recall,
		penaltiesSetting: c.penalties.recall} {
		text, err := c.config.Store.DB.Setting(ctx, setting)
		if err != nil {
			return err
		}
		if err := recall(text); err != nil {
			c.config.Log.Warn("what was counted is lost; counting begins anew", "what", setting, "error", err)
		}
	}
	versions, err := c.config.Store.Shared.Versions(ctx)
	if err != nil {
		return err
	}
	if err := c.config.Store.Content.RemoveAllRelayed(ctx); err != nil {
		return err
	}
	c.Load(watches, versions)
	return nil
}

// Begin reports to the network what is followed here, once it runs.
func (c *Coop) Begin() { c.reconcileAll(func(*sharing.Channel) bool { return true }) }

// Followed is called when the followers of a channel here, or what others may know of them, may have changed. It does
// not wait.
func (c *Coop) Followed(url string) {
	c.chores.Do(func(ctx context.Context) { c.review(ctx, url) })
}

// review reads the followers of a channel.
func (c *Coop) review(ctx context.Context, url string) {
	id := engine.ID(tidings.IDOf(url))
	defer c.Lock(id)() // of two reviews at a time the one that read last is right
	readers, private := 0, false
	w, err := c.config.Store.Content.Watch(ctx, url)
	switch {
	case err == nil && sharing.CanShare(&w):
		readers = w.Followers
	case err == nil:
		private = true
	case !isGone(err):
		c.config.Log.Error("the network was not told who follows a channel", "channel", url, "error", err)
		return
	}
	note := func(ch *sharing.Channel) { ch.Readers, ch.Private = readers, private }
	if readers > 0 {
		c.Add(url, note)
	} else {
		c.Alter(id, note)
	}
	c.reconcileSoon(id)
	c.host.Reviewed(ctx, url, readers > 0)
}

// SetPushed notes whether a channel's publisher pushes what is new. Of a channel that is not followed here nothing is
// noted.
func (c *Coop) SetPushed(id engine.ID, pushed bool) {
	c.desk.note(id, func(ch *sharing.Channel) bool { return ch.Push(pushed) })
}

// Stopped is called when the network has: the node polls on its own from then on.
func (c *Coop) Stopped() {
	c.params.alone.Store(true)
	c.reconcileAll(func(ch *sharing.Channel) bool {
		ch.Stop()
		return true
	})
}

// Work has a worker run a job that others wait for. It does not wait for it. The callers bound how many jobs wait.
func (c *Coop) Work(job func(context.Context)) { c.answers.Do(job) }

// InLoop runs f where the protocols live, and returns when it has. After the network has stopped nothing runs.
func (c *Coop) InLoop(ctx context.Context, f func()) {
	if c.loop == nil {
		return
	}
	if err := c.loop.Do(ctx, f); err != nil && ctx.Err() == nil {
		c.config.Log.Debug("the network did not answer", "error", err)
	}
}

// isGone reports whether an error says that a channel is not polled.
func isGone(err error) bool { return errors.Is(err, tidings.ErrNotFollowed) }
