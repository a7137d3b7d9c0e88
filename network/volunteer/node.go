package volunteer

import (
	"crypto/sha256"
	"encoding/binary"
	"time"

	"tidings/network/engine"
)

// Node is one node's part: the member of Scribe's trees to which volunteers tell what they found.
type Node struct {
	env    engine.Env
	config Config
	keys   engine.Keys
	poller Poller
	tree   Tree

	channels map[engine.ID]*channel
}

// channel is one that this node follows.
type channel struct {
	id    engine.ID
	timer engine.Timer // waits for the next turn
	zeal  float64
	heard []time.Duration // when others polled, within the last interval; the latest last
	own   time.Duration   // when this node polled last
	had   Hash            // the latest content
}

// New returns a node that follows nothing. keys may be nil: then nothing is signed, nor asked to
// be. Use must be called before anything else. It panics if c is not valid.
func New(env engine.Env, keys engine.Keys, poller Poller, c Config) *Node {
	if err := c.Validate(); err != nil {
		panic(err)
	}
	return &Node{env: env, config: c, keys: keys, poller: poller, channels: make(map[engine.ID]*channel)}
}

// Use says over which tree volunteers hear of each other.
func (n *Node) Use(tree Tree) { n.tree = tree }

// Follow has a channel polled by turns from now on.
func (n *Node) Follow(id engine.ID) {
	switch {
	case n.channels[id] != nil:
		return
	case len(n.channels) >= n.config.MaxChannels:
		n.env.Trace(LimitHit{"MaxChannels", n.config.MaxChannels})
		return
	}
	c := &channel{id: id, zeal: 1, own: n.env.Now()}
	n.channels[id] = c
	n.tree.Join(id)
	n.wait(c, time.Duration(n.env.Rand().Int64N(int64(n.config.Interval))))
}

// Unfollow ends that.
func (n *Node) Unfollow(id engine.ID) {
	if c := n.channels[id]; c != nil {
		c.timer.Stop()
		delete(n.channels, id)
		n.tree.Leave(id)
	}
}

// Stop ends all turns.
func (n *Node) Stop() {
	for _, c := range n.channels {
		c.timer.Stop()
	}
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
	case overdue || heard == 0:
	case heard >= n.config.Enough || n.env.Rand().Float64() >= c.zeal:
		return
	}
	c.own = now
	n.env.Trace(Volunteered{c.id, heard, c.zeal})
	n.poller.Poll(c.id)
}

// lately forgets what was heard before a time, and counts the rest.
func (c *channel) lately(since time.Duration) int {
	i := 0
	for i < len(c.heard) && c.heard[i] <= since {
		i++
	}
	c.heard = c.heard[i:]
	return len(c.heard)
}

// Polled takes what a poll gave that Poller.Poll has asked for, and tells the others.
func (n *Node) Polled(id engine.ID, f Found) {
	c := n.channels[id]
	if c == nil || f.Hash == (Hash{}) {
		return
	}
	if len(f.Payload) > MaxPayload {
		f.Payload = nil // the others see it when they look
	}
	if f.Hash != c.had && len(f.Payload) > 0 {
		c.zeal = 1
		n.env.Trace(First{id, f.Hash})
	} else {
		n.tire(c)
		f.Payload = nil
	}
	c.had = f.Hash
	m := &Looked{Finder: n.env.Self(), Time: n.env.Wall().UnixMilli(), Hash: f.Hash, Payload: f.Payload}
	n.sign(id, m)
	n.tree.Publish(id, m)
}

// tire makes a node less eager at a channel.
func (n *Node) tire(c *channel) { c.zeal = max(n.config.LeastZeal, c.zeal*3/4) }

// Admit looks at what is told of a channel, at all nodes of its tree.
func (n *Node) Admit(topic engine.ID, event engine.Message, _ engine.Peer) (digest uint64, bytes int, ok bool) {
	m, ok := event.(*Looked)
	if !ok {
		return 0, 0, false
	}
	if !n.genuine(topic, m) {
		n.env.Trace(Refused{topic, m.Finder.ID})
		return 0, 0, false
	}
	sum := sha256.Sum256(m.words(topic))
	return binary.BigEndian.Uint64(sum[:]), len(m.Payload) + 256, true
}

// Deliver takes what another node, or this one, tells of a channel that this node follows.
func (n *Node) Deliver(topic engine.ID, event engine.Message, _ engine.Peer) {
	m, ok := event.(*Looked)
	c := n.channels[topic]
	if !ok || c == nil || m.Finder.ID == n.env.Self().ID {
		return
	}
	if len(c.heard) == maxHeard {
		c.heard = c.heard[1:]
	}
	c.heard = append(c.heard, n.env.Now())
	news := m.Hash != c.had && len(m.Payload) > 0 && n.poller.Take(topic, m)
	if news {
		c.had = m.Hash
	}
	n.env.Trace(Heard{topic, m.Hash, m.Finder.ID, news})
}
