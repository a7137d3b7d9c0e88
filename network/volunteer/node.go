package volunteer

import (
	"slices"
	"time"

	"tidings/network/engine"
)

// Node is one node's part: the member of Scribe's trees by which volunteers report what they found.
type Node struct {
	env    engine.Env
	config Config
	keys   engine.Keys
	poller Poller
	tree   Tree

	channels map[engine.ID]*channel
	ceiling  ceiling

	onHeard func(Heard) // never nil, as onLacks
	onLacks func(Lacks)
}

// channel is one that this node follows.
type channel struct {
	id              engine.ID
	host            string       // the one with the load that it counts to; empty: none
	timer           engine.Timer // waits for the next turn
	pollProbability float64
	heard           []poll        // the latest of each other node within the last interval, in the order of hearing
	own             time.Duration // when this node polled last, or one did that counts as much
	reported        time.Duration // when this node last reported a poll; negative: never
	had             Hash          // the latest content; zero: not known
	// hadAt is when that was seen last, in milliseconds since 1970, by the clock of the node that saw it, but not ahead
	// of this node's; 0: not known.
	hadAt   int64
	lacks   bool        // there is another content, which was not accepted
	storing *PollReport // the argument of the last call of Poller.Take
	next    *PollReport // what has come meanwhile; the latest
}

// poll is one that was reported.
type poll struct {
	by engine.ID
	at time.Duration
	// said is PollReport.Time.
	said int64
}

// New returns a node that follows nothing. keys may be nil: then nothing is signed, nor asked to
// be. Use must be called before anything else. It panics if c is not valid.
func New(env engine.Env, keys engine.Keys, poller Poller, c Config) *Node {
	if err := c.Validate(); err != nil {
		panic(err)
	}
	return &Node{
		env: env, config: c, keys: keys, poller: poller, channels: make(map[engine.ID]*channel),
		ceiling: ceiling{hosts: make(map[string]*allowance)}, onHeard: func(Heard) {}, onLacks: func(Lacks) {},
	}
}

// Use sets the tree by which volunteers report to each other.
func (n *Node) Use(tree Tree) { n.tree = tree }

// OnHeard has f called for each poll of another node that this one learns of, and OnLacks for each content that it does
// not have and did not get. f is called in the loop and calls nothing back. They are called once, before any message
// comes.
func (n *Node) OnHeard(f func(Heard)) { n.onHeard = f }

// OnLacks is described with OnHeard.
func (n *Node) OnLacks(f func(Lacks)) { n.onLacks = f }

// Follow has a channel polled by turns from now on. Its polls count to host (see SetCeiling), unless that is empty. It
// returns false if there is no room for the channel.
func (n *Node) Follow(id engine.ID, host string) bool {
	switch {
	case n.channels[id] != nil:
		return true
	case len(n.channels) >= n.config.MaxChannels:
		n.env.Trace(LimitHit{"MaxChannels", n.config.MaxChannels})
		return false
	}
	c := &channel{id: id, host: host, pollProbability: 1, own: n.env.Now(), reported: -1}
	n.channels[id] = c
	n.ceiling.come(host)
	n.tree.Join(TopicOf(id))
	n.beginTurns(c)
	return true
}

// Unfollow ends that.
func (n *Node) Unfollow(id engine.ID) {
	if c := n.channels[id]; c != nil {
		c.timer.Stop()
		delete(n.channels, id)
		n.ceiling.leave(c.host)
		n.tree.Leave(TopicOf(id))
	}
}

// Holds says which content is here of a channel that is followed, so that other nodes' findings can be compared with
// it.
func (n *Node) Holds(id engine.ID, h Hash) {
	if c := n.channels[id]; c != nil && c.had != h {
		c.had, c.hadAt = h, 0
	}
}

// SetInterval has turns come at another pace from now on. It panics if that cannot be.
func (n *Node) SetInterval(interval time.Duration) {
	if interval == n.config.Interval {
		return
	}
	n.config.Interval = interval
	if err := n.config.Validate(); err != nil {
		panic(err)
	}
	ids := make([]engine.ID, 0, len(n.channels))
	for id := range n.channels {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, engine.ID.Compare) // turns are drawn in this order
	for _, id := range ids {
		n.channels[id].timer.Stop()
		n.beginTurns(n.channels[id])
	}
}

// Stop ends all turns.
func (n *Node) Stop() {
	for _, c := range n.channels {
		c.timer.Stop()
	}
}

// beginTurns has the first turn come some time within an interval.
func (n *Node) beginTurns(c *channel) {
	n.wait(c, time.Duration(n.env.Rand().Int64N(int64(n.config.Interval))))
}

func (n *Node) wait(c *channel, d time.Duration) {
	c.timer = n.env.After(d, func() { n.turn(c) })
}

// turn decides whether to volunteer.
func (n *Node) turn(c *channel) {
	interval := float64(n.config.Interval)
	shift := n.config.Jitter * (2*n.env.Rand().Float64() - 1)
	n.wait(c, time.Duration(interval*(1+shift)))

	now := n.env.Now()
	heard := c.lately(now - n.config.Interval)
	overdue := now-c.own >= time.Duration(n.config.Trust)*n.config.Interval
	switch {
	case overdue || c.lacks || heard == 0:
	case heard >= n.config.Enough || n.env.Rand().Float64() >= c.pollProbability:
		return
	}
	if !n.allows(c) {
		return // others may; else the next turn does
	}
	c.own = now
	n.env.Trace(Volunteered{c.id, heard, c.pollProbability})
	n.poller.Poll(c.id)
}

// lately forgets pollers that were reported before a time, and counts the others.
func (c *channel) lately(since time.Duration) int {
	c.heard = slices.DeleteFunc(c.heard, func(p poll) bool { return p.at <= since })
	return len(c.heard)
}

// Pollers returns how many nodes are known to have polled a channel within the last interval: this one, and those that
// reported to it. It is 0 where none has, and maxHeard+1 at most.
func (n *Node) Pollers(id engine.ID) int {
	c := n.channels[id]
	if c == nil {
		return 0
	}
	since := n.env.Now() - n.config.Interval
	pollers := c.lately(since)
	if c.reported >= 0 && c.reported > since {
		pollers++
	}
	return pollers
}

// decay makes a node less eager at a channel.
func (n *Node) decay(c *channel) {
	c.pollProbability = max(n.config.LeastPollProbability, c.pollProbability*3/4)
}

// age returns how long ago a poll was reported, by its finder's clock and this node's; below zero: it comes from the
// future.
func (n *Node) age(m *PollReport) time.Duration {
	return time.Duration(n.wall()-m.Time) * time.Millisecond
}

func (n *Node) wall() int64 { return n.env.Wall().UnixMilli() }
