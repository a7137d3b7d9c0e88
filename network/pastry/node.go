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
	apps   []handler
	callbacks

	state     state
	member    bool // it has been active before
	confirmed bool // an active node has answered since the state became joining
	since     time.Duration
	attempt   *attempt
	rows      []engine.Peer // told by others while this node was joining

	known    known
	lost     lost
	probes   []*probe
	settling int // probes to those who are, or may become, neighbours

	contradicted []contradiction // within half a KeepAlive, the latest last

	nonce       uint64 // of this node's Joins
	incarnation uint32 // half of nonce: it tells this run of the node from others, and from those of a copy; never 0

	outgoing map[uint64]*outgoing
	pending  map[name]*pending
	lag      time.Duration // by how much more than a round trip hops take to acknowledge, of late
	latest   lateness      // above lag
	late     late
	held     []*Routed
	seen     seen

	ticked     time.Duration // when tick ran last
	turn       int           // counts tableTick
	repairing  bool          // a repair is due
	tell       bool          // it tells all neighbours
	damaged    time.Duration // since when the leaf set may have gaps; 0: it has none
	gained     bool          // somebody entered it since the latest repair was due
	merge      merge
	duplicates []engine.ID
}

type state uint8

const (
	idle state = iota
	joining
	active
)

type handler struct {
	protocol engine.ProtocolNumber
	app      App
}

// App is what runs on top: who sends payloads of its protocol by Route. Both calls may use the
// Node.
type App interface {
	// Forward is called at each node that is about to send m on to next, the first node
	// included. With false the message goes no further: it has reached its end here.
	// It may be called again for the same message, where the first node of the route
	// has sent it again.
	Forward(key engine.ID, m engine.Message, next engine.Peer) (goOn bool)

	// Deliver is called at the node whose ID is closest to key. from routed the message
	// first; that is hearsay.
	Deliver(key engine.ID, from engine.Peer, m engine.Message, hops int)
}

// New returns a node that is part of no ring. It starts nothing. It panics if c is not valid.
func New(env engine.Env, c Config) *Node {
	if err := c.Validate(); err != nil {
		panic(err)
	}
	n := &Node{
		env: env, config: c,
		known:    known{env: env, self: env.Self().ID, digit: c.Digit, half: c.LeafSet / 2, perSlot: c.PerSlot},
		lost:     lost{max: c.MaxLost, first: c.KeepAlive, last: c.LostRetry},
		outgoing: make(map[uint64]*outgoing),
		pending:  make(map[name]*pending),
		seen:     seen{half: c.MaxSeen},
		nonce:    env.Rand().Uint64(),
	}
	n.incarnation = max(uint32(n.nonce), 1)
	n.Handle(engine.Pastry, joins{n})
	return n
}

// Handle has app receive the payloads of one protocol. It panics if somebody does already.
func (n *Node) Handle(p engine.ProtocolNumber, app App) {
	if n.app(p) != nil {
		panic("pastry: two applications for one protocol")
	}
	n.apps = append(n.apps, handler{p, app})
}

func (n *Node) app(p engine.ProtocolNumber) App {
	for _, h := range n.apps {
		if h.protocol == p {
			return h.app
		}
	}
	return nil
}

// Active reports whether the node is a full part of a ring: it routes, and delivers what it
// owns. What is routed before waits.
func (n *Node) Active() bool { return n.state == active }

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
	if n.state == idle {
		return
	}
	n.maybeWake()
	if n.attempt != nil {
		n.attempt.mark(from.ID, false)
	}
	if c := n.known.find(from.ID); c != nil && c.peer == from {
		c.heard = n.env.Now()
	}
	switch m := m.(type) {
	case *Routed:
		n.onRouted(from, m)
	case *Ack:
		n.onAck(from, m)
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

// Stop says farewell to all that are known, and tells the neighbours who takes this node's
// place next to them.
func (n *Node) Stop() {
	for i, c := range n.known.list {
		m := &Leave{}
		if n.known.isLeaf(i) {
			m.Near = n.near(c.peer.ID, []engine.ID{n.known.self})
		}
		n.env.Send(c.peer, m)
	}
	n.state = idle
}

// becameActive says that the node is a full part of a ring, and how long that took.
func (n *Node) becameActive(took time.Duration) {
	nodes := n.Nodes()
	n.env.Trace(Joined{took, nodes})
	for _, f := range n.onJoined {
		f(nodes)
	}
}

func (n *Node) limitHit(what string, limit int) { n.env.Trace(LimitHit{what, limit}) }

// jitter returns a time a little below d, so that what nodes do at intervals does not fall
// together.
func (n *Node) jitter(d time.Duration) time.Duration {
	return d - time.Duration(n.env.Rand().Int64N(int64(d/8)+1))
}

var _ engine.Protocol = (*Node)(nil)
