package scribe

import (
	"tidings/network"
	"tidings/network/engine"
)

// Node is one node's part in Scribe: an engine.Protocol, the application of Scribe's messages on the
// ring, and a network.Router.
type Node struct {
	env    engine.Env
	config Config
	ring   Ring
	member network.Member
	// onRootAcked is told of roots that have an event of this node; never nil.
	onRootAcked func(RootAcked)

	groups       groups
	links        links
	kept         keptInAll
	publications publications
	probes       probes
	sweep        sweep
}

var _ network.Router = (*Node)(nil)

// New returns a node that takes part as soon as ring is active. Nothing is to be delivered to the
// node before. It panics if c is not valid.
func New(env engine.Env, ring Ring, member network.Member, c Config) *Node {
	if err := c.Validate(); err != nil {
		panic(err)
	}
	n := &Node{env: env, config: c, ring: ring, member: member, onRootAcked: func(RootAcked) {}}
	n.groups.index = make(map[Group]*group)
	n.links.index = make(map[engine.ID]*link)
	n.publications.index = make(map[Group]*publication)
	ring.OnNeighbours(n.neighboursChanged)
	n.startHeartbeats()
	return n
}

// OnRootAcked has f told of each root that has an event which this node has published; f is called in the loop and calls
// nothing back. It is called once, before any message comes.
func (n *Node) OnRootAcked(f func(RootAcked)) { n.onRootAcked = f }

// Receive takes a message from a peer.
func (n *Node) Receive(from engine.Peer, m engine.Message) {
	n.hear(from)
	switch m := m.(type) {
	case *Join:
		n.takeJoin(m)
	case *Detour:
		n.takeDetour(m)
	case *Joined:
		n.joined(from, m)
	case *Above:
		n.takeAbove(from, m)
	case *Leave:
		n.takeLeave(from, m)
	case *Move:
		n.move(from, m)
	case *Probe:
		n.env.Send(from, &Probed{Number: m.Number})
	case *Probed:
		n.probed(from, m)
	case *Publish:
		n.takePublish(from, m)
	case *IHave:
		n.takeIHave(from, m)
	case *IWant:
		n.takeIWant(from, m)
	case *Taken:
		n.taken(from, m)
	case *Disseminate:
		n.takeDisseminate(from, m)
	case *Resend:
		n.resend(from, m)
	case *Heard:
		n.takeHeard(from, m.Line, m.Last)
	case *Heartbeat:
		n.takeHeartbeat(from, m)
	case *Groups:
		n.takeGroups(from, m)
	case *Ask:
		n.takeAsk(m)
	case *Roots:
		n.takeRoots(m)
	case *Compare:
		n.compare(from, m)
	case *Compared:
		n.compared(from, m)
	case *Missed:
		n.takeMissed(from, m)
	}
}

// Deliver takes a message that was routed to a key which this node is closest to.
func (n *Node) Deliver(_ engine.ID, _ engine.Peer, m engine.Message, _ int) {
	switch m := m.(type) {
	case *Join:
		n.takeJoin(m)
	case *Publish:
		n.takePublish(engine.Peer{}, m)
	case *Ask:
		n.takeAsk(m)
	}
}

// Forward is called where a message passes: a Join ends where somebody takes the child in, an Ask
// where somebody knows the answer.
func (n *Node) Forward(_ engine.ID, m engine.Message, _ engine.Peer) (goOn bool) {
	switch m := m.(type) {
	case *Join:
		return n.isSelf(m.Child) || !n.takeIn(m)
	case *Ask:
		return n.isSelf(m.Asker) || !n.answerAsk(m)
	}
	return true
}

// PeerDown has the node look for other parents, and forget children.
func (n *Node) PeerDown(p engine.Peer) { n.lost(p) }

// Stop tells parents and children that the node goes.
func (n *Node) Stop() {
	for _, l := range n.links.list {
		n.farewell(l)
	}
}

func (n *Node) isSelf(p engine.Peer) bool { return p.ID == n.env.Self().ID }

func (n *Node) limitHit(what string, limit int) { n.env.Trace(LimitHit{what, limit}) }
