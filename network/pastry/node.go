package pastry

import (
	"time"

	"tidings/network/engine"
)

// Node is one node of the ring. It is an [engine.Protocol]; see the package comment for what
// it promises. It does nothing before Create or Join.
type Node struct {
	env    engine.Env
	config Config
	callbacks

	membership  membership
	joiner      joiner
	incarnation uint32 // it distinguishes this run of the node from others, and from those of a copy; never 0

	known   known
	lost    lost
	prober  prober
	damage  damage
	routing routing
	lag     lag

	turn           int // counts tableTick
	merge          merge
	duplicates     duplicates
	contradictions contradictions
}

// New returns a node that is part of no ring. It starts nothing. It panics if c is not valid.
func New(env engine.Env, c Config) *Node {
	if err := c.Validate(); err != nil {
		panic(err)
	}
	n := &Node{
		env: env, config: c,
		known: known{env: env, self: env.Self().ID, digit: c.Digit, half: c.LeafSet / 2, perSlot: c.PerSlot},
		lost:  lost{max: c.MaxLost, first: c.KeepAlive, last: c.LostRetry},

		contradictions: contradictions{pause: c.KeepAlive / 2},
	}
	n.joiner = joiner{env: env, config: &n.config, nonce: env.Rand().Uint64()}
	n.routing = newRouting(env, &n.config, n)
	n.prober = prober{env: env, config: &n.config, node: n}
	n.incarnation = max(uint32(n.joiner.nonce), 1)
	n.Handle(engine.Pastry, joins{env, n.config.Digit, &n.known})
	return n
}

// Handle has app receive the payloads of one protocol. It panics if another one does already.
func (n *Node) Handle(p engine.ProtocolNumber, app App) { n.routing.handle(p, app) }

// Route sends a message to the node whose ID is closest to key, where its protocol's application receives it. While
// this node is not active, the message waits.
func (n *Node) Route(key engine.ID, payload engine.Message) { n.routing.originate(key, payload) }

// Active reports whether the node is a full part of a ring: it routes, and delivers what it
// owns. What is routed before waits.
func (n *Node) Active() bool { return n.membership.state == active }

// LeafSet returns the neighbours on the ring, each side nearest first. In a ring with no more
// nodes than a leaf set has, the sides overlap.
func (n *Node) LeafSet() (below, above []engine.Peer) {
	for i := range n.known.sides() {
		below = append(below, n.known.below(i).peer)
		above = append(above, n.known.above(i).peer)
	}
	return below, above
}

// Known returns every node that this one knows and believes alive, by ID.
func (n *Node) Known() []engine.Peer {
	peers := make([]engine.Peer, len(n.known.list))
	for i, c := range n.known.list {
		peers[i] = c.peer
	}
	return peers
}

// Knows reports whether this node knows the one with that ID, and believes it alive.
func (n *Node) Knows(id engine.ID) bool { return n.known.find(id) != nil }

// RTT returns the round trip time to a node that is known, and whether it has been measured.
func (n *Node) RTT(id engine.ID) (time.Duration, bool) {
	c := n.known.find(id)
	if c == nil {
		return 0, false
	}
	return c.rtt, c.rtt > 0
}

// Nodes estimates how many nodes the ring has by how densely the neighbours lie. It is exact
// up to LeafSet+1; above, it errs by a quarter, one standard deviation.
func (n *Node) Nodes() int { return n.known.size() }

// Receive handles a message.
func (n *Node) Receive(from engine.Peer, m engine.Message) {
	if n.membership.state == idle {
		return
	}
	n.ready()
	n.joiner.up(from.ID)
	if c := n.known.find(from.ID); c != nil && c.peer == from {
		c.spoke = n.env.Now()
	}
	switch m := m.(type) {
	case *Routed:
		n.routing.onRouted(from, m)
	case *Ack:
		if after, awaited := n.routing.onAck(from, m); awaited {
			n.answeredAfter(from.ID, after)
		}
	case *Probe:
		n.onProbe(from, m)
	case *Answer:
		n.onAnswer(from, m)
	case *Welcome:
		n.onWelcome(from, m)
	case *RowRequest:
		n.onRowRequest(from, m)
	case *Row:
		n.onRow(m)
	case *Foreign:
		n.onForeign(m)
	case *Leave:
		n.onLeave(from, m)
	}
}

// Stop sends a farewell to all known peers. It names to the neighbours the nodes that will be next to them instead.
func (n *Node) Stop() {
	for i, c := range n.known.list {
		m := &Leave{}
		if n.known.isLeaf(i) {
			m.Near = n.known.near(c.peer.ID, []engine.ID{n.known.self})
		}
		n.env.Send(c.peer, m)
	}
	n.membership.state = idle
}

// becameActive says that the node is a full part of a ring, and how long that lasted.
func (n *Node) becameActive(took time.Duration) {
	nodes := n.Nodes()
	n.env.Trace(Joined{took, nodes})
	for _, f := range n.onJoined {
		f(nodes)
	}
}

func limitHit(env engine.Env, what string, limit int) { env.Trace(LimitHit{what, limit}) }

// jitter returns a time a little below d, so that what nodes do at intervals does not fall
// together.
func jitter(env engine.Env, d time.Duration) time.Duration {
	return d - time.Duration(env.Rand().Int64N(int64(d/8)+1))
}

var _ engine.Protocol = (*Node)(nil)
