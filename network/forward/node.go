package forward

import (
	"tidings/network/engine"
)

// Node is the part of a node that forwards. It is an [engine.Protocol] for the world, and the world, an [engine.Env],
// for the protocols of the node: code that makes them hands it to them, and them to Serve.
type Node struct {
	engine.Env // the world below
	keys       engine.Keys
	codec      *engine.Codec
	config     Config
	above      engine.Protocol

	self          engine.ID
	introductions introductions
	routes        map[engine.ID]*route
	order         []*route               // the same, the oldest first
	down          recent[engine.Address] // those that the protocols believe down, and where
	transit       transit

	named func(engine.Peer) // notes a peer that a message names
	by    engine.ID         // its sender
	names *engine.Bucket    // how many that one may name
}

var (
	_ engine.Env        = (*Node)(nil)
	_ engine.Protocol   = (*Node)(nil)
	_ engine.Admitter   = (*Node)(nil)
	_ engine.Prefixer   = (*Node)(nil)
	_ engine.Linker     = (*Node)(nil)
	_ engine.Introducer = (*Node)(nil)
)

// New returns a node's part that forwards, above env, which is to know its connections (see engine.Linker). codec knows
// the messages of all protocols. It panics if c is not valid.
func New(env engine.Env, keys engine.Keys, codec *engine.Codec, c Config) *Node {
	if err := c.Validate(); err != nil {
		panic(err)
	}
	n := &Node{
		Env: env, keys: keys, codec: codec, config: c, self: env.Self().ID,
		routes: make(map[engine.ID]*route), transit: newTransit(c),
	}
	n.down.half, n.introductions.of.half, n.introductions.places.half = c.MaxRoutes, c.MaxIntroduced, c.MaxRoutes
	n.introductions.ways.half = c.MaxRoutes
	n.named = func(p engine.Peer) {
		if n.names.Take(1, n.Now()) {
			n.introduce(p.ID, n.by)
		}
	}
	return n
}

// Serve has p get what comes for the node. It is called once, before anything comes.
func (n *Node) Serve(p engine.Protocol) { n.above = p }

// Admissible implements engine.Admitter.
func (n *Node) Admissible(id engine.ID) bool { return engine.Admissible(n.Env, id) }

// Prefix implements engine.Prefixer.
func (n *Node) Prefix(a engine.Address) string { return engine.PrefixOf(n.Env, a) }

// Link implements engine.Linker: a route is no connection.
func (n *Node) Link(id engine.ID) (engine.Peer, bool) { return engine.LinkOf(n.Env, id) }

// Send sends directly where there is a connection, or may be one, and else by a route.
func (n *Node) Send(to engine.Peer, m engine.Message) {
	r := n.routes[to.ID]
	switch {
	case to.ID == n.self || engine.Refuses(n.Env, to.ID):
		n.Env.Send(to, m)
		return
	case n.isLinked(to.ID):
		if r != nil {
			n.connected(r)
		}
		n.Env.Send(to, m)
		return
	case r == nil:
		r = n.add(to)
	}
	if r == nil {
		n.Env.Send(to, m)
		return
	}
	r.used = n.Now()
	switch r.state {
	case open:
		n.send(r, m)
	case opening:
		r.hold(n, m)
	case trying:
		n.Env.Send(to, m)
		r.hold(n, m)
	case closed:
		n.Env.Send(to, m)
		n.tryAgain(r, to, m)
	}
}

// Receive handles a message that comes from a peer directly.
func (n *Node) Receive(from engine.Peer, m engine.Message) {
	if r := n.routes[from.ID]; r != nil {
		n.connected(r)
	}
	switch m := m.(type) {
	case *Open:
		n.onOpen(from, m)
	case *Message:
		n.onMessage(from, m)
	case *NotConnected:
		n.onNotConnected(from, m)
	case *WhoForwards:
		n.Env.Send(from, &NotConnected{Peer: m.Peer, Ask: n.whoElse(m.Peer, from.ID)})
	case *Try:
	default:
		n.deliver(from, m)
	}
}

// deliver hands the protocols a message.
func (n *Node) deliver(from engine.Peer, m engine.Message) {
	n.by, n.names = from.ID, &n.transit.of(from.ID).names
	n.down.remove(from.ID)
	n.codec.Peers(m, n.named)
	n.above.Receive(from, m)
}

// PeerDown handles that the world cannot reach a peer.
func (n *Node) PeerDown(p engine.Peer) {
	n.forwarderDown(p.ID)
	r := n.routes[p.ID]
	switch {
	case engine.Refuses(n.Env, p.ID):
		if r != nil {
			n.forget(r)
		}
		n.reportDown(p)
		return
	// it was looked for where it is not
	case n.isLinked(p.ID), r != nil && r.state == open && r.peer.Address != p.Address:
		n.reportDown(p)
		return
	case r == nil:
		r = n.add(p)
	}
	if r == nil {
		n.reportDown(p)
		return
	}
	switch r.state {
	case open: // as was to be expected
	case opening:
		r.down = p
	case trying:
		r.down = p
		n.open(r)
	case closed:
		r.down = p
		if n.Now() < r.again {
			n.close(r)
		} else {
			n.open(r)
		}
	}
}

// Stop stops the protocols.
func (n *Node) Stop() {
	n.above.Stop()
	for _, r := range n.order {
		r.stop()
	}
}

// admits reports whether the node accepts anything from another.
func (n *Node) admits(id engine.ID) bool {
	return id != n.self && engine.Admissible(n.Env, id) && !engine.Refuses(n.Env, id)
}

func (n *Node) isLinked(id engine.ID) bool {
	_, linked := engine.LinkOf(n.Env, id)
	return linked
}

func (n *Node) drop(by engine.Peer, why Why) { n.Trace(Dropped{by, why}) }

func (n *Node) limitHit(what string, limit int) { n.Trace(LimitHit{what, limit}) }
